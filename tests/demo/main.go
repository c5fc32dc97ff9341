// Command demo shows the product at work on this machine: an EKS cluster that
// already exists, in a local AWS, gets Karpenter through the real Pulumi engine.
//
//	demo up      start the local cloud, preview, up, up again, show what there is
//	demo down    destroy the stack and stop everything
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/valohai/pulumi-kubernetes-autoscaling/tests/localcloud"
)

// folderVariable moves the demo's folder.
const folderVariable = "AUTOSCALING_DEMO"

func main() {
	os.Exit(run(os.Args[1:]))
}

func run(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	dir, err := folder()
	if err == nil {
		switch {
		case len(args) == 1 && args[0] == "up":
			err = up(ctx, dir)
		case len(args) == 1 && args[0] == "down":
			err = down(ctx, dir)
		default:
			fmt.Fprintln(os.Stderr, "usage: demo up|down")
			return 2
		}
	}
	switch {
	case ctx.Err() != nil:
		fmt.Fprintln(os.Stderr, "\nInterrupted. Nothing is left running.")
		return 130
	case err != nil:
		fmt.Fprintln(os.Stderr, "\ndemo:", err)
		return 1
	}
	return 0
}

func folder() (string, error) {
	if dir := os.Getenv(folderVariable); dir != "" {
		return filepath.Abs(dir)
	}
	cache, err := os.UserCacheDir()
	return filepath.Join(cache, "kubernetes-autoscaling", "demo"), err
}

// up runs the whole demo. If it does not come to its end, nothing of it stays.
func up(ctx context.Context, dir string) (err error) {
	cloudDir := filepath.Join(dir, "cloud")
	if _, err := localcloud.Open(cloudDir); err == nil {
		return errors.New("it is up already: `make demo-down` ends it")
	}
	if err := remove(dir); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, remove(dir))
		}
	}()
	watch := watchMemory()
	s := newScreen(os.Stdout)
	s.title("A local AWS and Kubernetes")
	cloud, err := localcloud.Start(ctx, localcloud.Options{Dir: cloudDir, Log: s, KeepRunning: true})
	if err != nil {
		return err
	}
	facts := cloud.Facts()
	s.say("EKS cluster %s exists: Kubernetes %s, %d nodes in %d node groups, and no autoscaling.",
		facts.ClusterName, facts.KubernetesVersion, len(facts.Nodes), len(facts.NodeGroups))
	if err := show(ctx, s, cloud, dir); err != nil {
		return err
	}
	s.title("Done")
	s.say("%s in all, %.1f GiB of memory at most. The cloud stays up:", s.elapsed(), watch.peakGiB())
	s.say("  cd tests && eval \"$(go run ./localcloud/cmd/localcloud env --dir %s)\"\n"+
		"                   lets aws and kubectl work on it;", cloudDir)
	s.say("  make demo-down   destroys the stack and stops everything.")
	return nil
}

// down destroys the stack and stops the cloud. Without a running cloud it
// removes what an earlier run left.
func down(ctx context.Context, dir string) error {
	s := newScreen(os.Stdout)
	cloud, err := localcloud.Open(filepath.Join(dir, "cloud"))
	if err != nil {
		if _, statErr := os.Stat(dir); errors.Is(statErr, os.ErrNotExist) {
			s.say("The demo is not up.")
			return nil
		}
		s.say("The demo's cloud does not run (%v): removing its files.", err)
		return remove(dir)
	}
	s.title("pulumi destroy")
	p, err := open(s, cloud, dir)
	if err != nil {
		return err
	}
	r, err := p.Operation(ctx, "destroy", s.pulumiFlags()...)
	if err != nil {
		return errors.Join(err, remove(dir))
	}
	if err := r.Failure(); err != nil {
		return fmt.Errorf("destroy: %w", err)
	}
	if err := cloud.Stop(); err != nil {
		return err
	}
	s.say("%s: the stack is destroyed, the cloud is down, nothing is left.", s.elapsed())
	return remove(dir)
}

// remove stops what runs in the folder and deletes it.
func remove(dir string) error {
	err := localcloud.Remove(filepath.Join(dir, "cloud"))
	if errors.Is(err, localcloud.ErrNotRunning) {
		err = nil
	}
	return errors.Join(err, os.RemoveAll(dir))
}
