// Command localcloud starts and stops a local AWS and Kubernetes.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"text/tabwriter"

	"github.com/valohai/pulumi-kubernetes-autoscaling/tests/localcloud"
)

const usage = `usage: localcloud [--dir DIR] COMMAND

A local AWS with an EKS cluster, and the Kubernetes that it describes.

  up      start it
  down    stop it and remove everything of it
  status  show its parts; the exit code is 3 when it is not running, 1 when a part has crashed
  env     print the variables that make programs use it: eval "$(localcloud env)"

`

// Exit codes of the command.
const (
	exitFailure     = 1
	exitUsage       = 2
	exitNotRunning  = 3
	exitInterrupted = 130
)

// command is one of the subcommands; it returns the exit code.
type command func(ctx context.Context, dir string) (int, error)

var commands = map[string]command{"up": up, "down": down, "status": status, "env": env}

func main() {
	os.Exit(run())
}

func run() int {
	flags := flag.NewFlagSet("localcloud", flag.ContinueOnError)
	flags.SetOutput(os.Stderr)
	dir := flags.String("dir", defaultDir(), "folder of the cloud")
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), usage)
		flags.PrintDefaults()
	}
	if err := flags.Parse(os.Args[1:]); err != nil {
		return exitUsage
	}
	call, ok := commands[flags.Arg(0)]
	if !ok {
		flags.Usage()
		return exitUsage
	}
	// Flags may also follow the command.
	if err := flags.Parse(flags.Args()[1:]); err != nil || flags.NArg() > 0 {
		flags.Usage()
		return exitUsage
	}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer cancel()
	code, err := call(ctx, *dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, "localcloud:", err)
	}
	if ctx.Err() != nil {
		return exitInterrupted
	}
	return code
}

func defaultDir() string {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	return filepath.Join(cache, "kubernetes-autoscaling", "cloud")
}

func up(ctx context.Context, dir string) (int, error) {
	cloud, err := localcloud.Open(dir)
	switch {
	case err == nil && cloud.Err() != nil:
		return exitFailure, fmt.Errorf("the cloud in %s is broken, `down` removes it: %w", dir, cloud.Err())
	case err == nil:
		fmt.Printf("The local cloud is already up in %s\n", dir)
		return 0, nil
	case !errors.Is(err, localcloud.ErrNotRunning):
		return exitFailure, err
	}
	cloud, err = localcloud.Start(ctx, localcloud.Options{Dir: dir, Log: os.Stdout, KeepRunning: true})
	if err != nil {
		return exitFailure, err
	}
	facts := cloud.Facts()
	fmt.Printf("The local cloud is up in %s: EKS cluster %s, Kubernetes %s, %d nodes\n",
		dir, facts.ClusterName, facts.KubernetesVersion, len(facts.Nodes))
	return 0, nil
}

func down(_ context.Context, dir string) (int, error) {
	err := localcloud.Remove(dir)
	if errors.Is(err, localcloud.ErrNotRunning) {
		fmt.Println("The local cloud is not running")
		return 0, nil
	}
	if err != nil {
		return exitFailure, err
	}
	fmt.Println("The local cloud is down, nothing of it is left")
	return 0, nil
}

func status(_ context.Context, dir string) (int, error) {
	cloud, err := localcloud.Open(dir)
	if errors.Is(err, localcloud.ErrNotRunning) {
		return exitNotRunning, err
	}
	if err != nil {
		return exitFailure, err
	}
	parts := cloud.Status()
	printStatus(os.Stdout, parts)
	code := 0
	for _, part := range parts {
		if part.State == localcloud.StateCrashed {
			fmt.Printf("\n%s has crashed, the end of its log:\n%s\n", part.Name, indent(part.LogTail))
			code = exitFailure
		}
	}
	return code, nil
}

func printStatus(w io.Writer, parts []localcloud.PartStatus) {
	const mebi = 1 << 20
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "PART\tPID\tPORT\tSTATE\tMEMORY")
	var total int64
	for _, part := range parts {
		total += part.Memory
		fmt.Fprintf(table, "%s\t%d\t%d\t%s\t%d MiB\n", part.Name, part.PID, part.Port, part.State, part.Memory/mebi)
	}
	fmt.Fprintf(table, "all\t\t\t\t%d MiB\n", total/mebi)
	_ = table.Flush()
}

func indent(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") }

func env(_ context.Context, dir string) (int, error) {
	cloud, err := localcloud.Open(dir)
	if errors.Is(err, localcloud.ErrNotRunning) {
		return exitNotRunning, err
	}
	if err != nil {
		return exitFailure, err
	}
	fmt.Println("unset AWS_PROFILE AWS_SESSION_TOKEN")
	for _, variable := range cloud.Env() {
		name, value, _ := strings.Cut(variable, "=")
		fmt.Printf("export %s='%s'\n", name, strings.ReplaceAll(value, "'", `'\''`))
	}
	return 0, nil
}
