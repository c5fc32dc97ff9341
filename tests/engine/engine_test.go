// Package engine runs the product through the real Pulumi engine and the real
// providers, against a local AWS and Kubernetes, and asks these, not Pulumi,
// what there is.
package engine

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/valohai/pulumi-kubernetes-autoscaling/tests/localcloud"
	"github.com/valohai/pulumi-kubernetes-autoscaling/tests/pulumicli"
)

// step bounds one run of Pulumi: with a cold cache it compiles the program.
const step = 10 * time.Minute

// config is a stack's configuration by the keys of the stack, without project.
type config map[string]any

// startCloud starts a cloud of the test's own, with the cluster ml-prod.
func startCloud(t *testing.T) *localcloud.Cloud {
	t.Helper()
	return startCloudWith(t, localcloud.ClusterOptions{})
}

// startCloudWith starts a cloud of the test's own, with a cluster of its choice.
func startCloudWith(t *testing.T, cluster localcloud.ClusterOptions) *localcloud.Cloud {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cloud, err := localcloud.Start(ctx, localcloud.Options{Cluster: cluster})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cloud.Stop(); err != nil {
			t.Errorf("stopping the cloud: %v", err)
		}
	})
	return cloud
}

// newProject prepares the stack, or the example in a folder, for a cloud.
func newProject(t *testing.T, cloud *localcloud.Cloud, folder string, c config) *pulumicli.Project {
	t.Helper()
	tools := os.Getenv(localcloud.ToolsVariable)
	project, err := pulumicli.New(pulumicli.Options{
		Work: t.TempDir(), Tools: tools, Env: cloud.Environ(), Folder: folder, Config: keys(c),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := project.Init(t.Context()); err != nil {
		t.Fatal(err)
	}
	return project
}

// keys returns the full keys of a configuration of the stack.
func keys(c config) map[string]any {
	full := map[string]any{"aws:region": localcloud.Region}
	for key, value := range c {
		if key == "aws:region" {
			full[key] = value
			continue
		}
		full["kubernetes-autoscaling:"+key] = value
	}
	return full
}

// charts is the folder of Karpenter's charts.
func charts() string { return os.Getenv(localcloud.ToolsVariable) + "/charts" }

// run runs an operation and fails the test if it cannot be run at all.
func run(t *testing.T, p *pulumicli.Project, operation string, flags ...string) pulumicli.Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), step)
	defer cancel()
	r, err := p.Operation(ctx, operation, flags...)
	if err != nil {
		t.Fatalf("%s: %v\n%s", operation, err, r.Output)
	}
	t.Logf("%s: %v in %.1f s", operation, r.Changes, r.Duration.Seconds())
	return r
}

// mustRun runs an operation that has to succeed.
func mustRun(t *testing.T, p *pulumicli.Project, operation string, flags ...string) pulumicli.Result {
	t.Helper()
	r := run(t, p, operation, flags...)
	if err := r.Failure(); err != nil {
		t.Fatalf("%s: %v", operation, err)
	}
	return r
}

// mustStay runs an operation that has to succeed and to change nothing.
func mustStay(t *testing.T, p *pulumicli.Project, operation string) {
	t.Helper()
	r := mustRun(t, p, operation, "--expect-no-changes", "--diff")
	if r.Changed() != 0 {
		t.Errorf("%s changed %v:\n%s", operation, r.Changes, r.Output)
	}
}

// snapshot asks AWS and Kubernetes what there is.
func snapshot(t *testing.T, cloud *localcloud.Cloud) localcloud.Inventory {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	inventory, err := cloud.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return inventory
}

// mustEqual fails if anything differs between two snapshots.
func mustEqual(t *testing.T, what string, before, after localcloud.Inventory) {
	t.Helper()
	lines, err := before.Diff(after)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		t.Error(what + ": " + line)
	}
}

// has checks one fact of a snapshot.
func has(t *testing.T, what string, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: %v and not %v", what, got, want)
	}
}
