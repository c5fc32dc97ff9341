package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/valohai/pulumi-kubernetes-autoscaling/tests/localcloud"
	"github.com/valohai/pulumi-kubernetes-autoscaling/tests/pulumicli"
)

// open prepares the stack for the cloud, or takes up the one that is there.
func open(s *screen, cloud *localcloud.Cloud, dir string) (*pulumicli.Project, error) {
	tools := os.Getenv(localcloud.ToolsVariable)
	return pulumicli.New(pulumicli.Options{
		Work: filepath.Join(dir, "pulumi"), Tools: tools, Env: cloud.Environ(), Output: s,
		Config: map[string]any{
			"aws:region":                         localcloud.Region,
			"kubernetes-autoscaling:clusterName": cloud.Facts().ClusterName,
			// The charts of the public registry, without the internet.
			"kubernetes-autoscaling:chartRegistry": filepath.Join(tools, "charts"),
		},
	})
}

// show runs the stack as a user does and shows what came of it.
func show(ctx context.Context, s *screen, cloud *localcloud.Cloud, dir string) error {
	before, err := cloud.Snapshot(ctx)
	if err != nil {
		return err
	}
	p, err := open(s, cloud, dir)
	if err != nil {
		return err
	}
	s.title("The stack's configuration: " + filepath.Base(p.ConfigFile()))
	config, err := os.ReadFile(p.ConfigFile())
	if err != nil {
		return err
	}
	s.say("%s", strings.TrimSpace(string(config)))
	if err := p.Init(ctx); err != nil {
		return err
	}
	for _, step := range []struct {
		title     string
		operation string
		flags     []string
	}{
		{"pulumi preview (compiles the program first)", "preview", nil},
		{"pulumi up", "up", nil},
		{"pulumi up again: nothing to change", "up", []string{"--expect-no-changes"}},
	} {
		s.title(step.title)
		r, err := p.Operation(ctx, step.operation, append(step.flags, s.pulumiFlags()...)...)
		if err == nil {
			err = r.Failure()
		}
		if err != nil {
			return fmt.Errorf("%s: %w", step.operation, err)
		}
	}
	s.title("pulumi stack: the resource tree and the outputs")
	if r, err := p.Command(ctx, append([]string{"stack", "--stack", pulumicli.Stack}, s.colorFlags()...)...); err != nil || r.ExitCode != 0 {
		return errors.Join(err, r.Failure())
	}
	after, err := cloud.Snapshot(ctx)
	if err != nil {
		return err
	}
	s.title("What AWS and Kubernetes say is new")
	return table(s, cloud.Facts(), before, after)
}

// table lists what the stack made, as AWS and the API server tell it.
func table(s *screen, facts localcloud.Facts, before, after localcloud.Inventory) error {
	w := tabwriter.NewWriter(s, 0, 0, 2, ' ', 0)
	row := func(kind, name, detail string) { fmt.Fprintf(w, "%s\t%s\t%s\n", kind, name, detail) }
	row("KIND", "NAME", "DETAIL")
	for _, name := range added(before.AWS.Roles, after.AWS.Roles) {
		row("IAM role", name, fmt.Sprintf("%d policies attached", len(after.AWS.Roles[name].AttachedPolicies)))
	}
	for _, arn := range added(before.AWS.Policies, after.AWS.Policies) {
		row("IAM policy", arn[strings.LastIndex(arn, "/")+1:], "")
	}
	for _, name := range added(before.AWS.Queues, after.AWS.Queues) {
		row("SQS queue", name, fmt.Sprintf("messages kept %v s, encrypted", after.AWS.Queues[name].Attributes["MessageRetentionPeriod"]))
	}
	for _, name := range added(before.AWS.EventRules, after.AWS.EventRules) {
		row("EventBridge rule", name, fmt.Sprintf("%d target", len(after.AWS.EventRules[name].Targets)))
	}
	entries := after.AWS.AccessEntries[facts.ClusterName]
	for _, arn := range added(before.AWS.AccessEntries[facts.ClusterName], entries) {
		row("EKS access entry", arn[strings.LastIndex(arn, "/")+1:], entries[arn].Type)
	}
	for _, tagged := range []struct {
		kind string
		tags map[string]map[string]string
	}{{"subnet tag", after.AWS.SubnetTags}, {"security group tag", after.AWS.SecurityGroupTags}} {
		for _, id := range slices.Sorted(maps.Keys(tagged.tags)) {
			if value, ok := tagged.tags[id]["karpenter.sh/discovery"]; ok {
				row(tagged.kind, id, "karpenter.sh/discovery = "+value)
			}
		}
	}
	for _, list := range []struct {
		kind          string
		before, after []string
	}{
		{"CRD", before.Kubernetes.CRDs, after.Kubernetes.CRDs},
		{"Deployment", before.Kubernetes.Deployments, after.Kubernetes.Deployments},
		{"EC2NodeClass", before.Kubernetes.EC2NodeClasses, after.Kubernetes.EC2NodeClasses},
		{"NodePool", before.Kubernetes.NodePools, after.Kubernetes.NodePools},
	} {
		for _, name := range list.after {
			if !slices.Contains(list.before, name) {
				row(list.kind, name, "")
			}
		}
	}
	return w.Flush()
}

// added returns the keys that are new, sorted.
func added[V any](before, after map[string]V) []string {
	var keys []string
	for _, key := range slices.Sorted(maps.Keys(after)) {
		if _, was := before[key]; !was {
			keys = append(keys, key)
		}
	}
	return keys
}
