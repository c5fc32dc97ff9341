// Command render writes what a stack would make: every policy and trust
// document, the chart's values, the node pools and the node classes, with their
// sizes and hashes. It needs no cloud, no cluster, no credentials and no Pulumi.
//
//	go run ./stacks/karpenter/render --config Pulumi.ml-prod.yaml --facts cluster.json --out rendered
//
// It runs the stack's own components without an engine, so that what it shows is
// what `pulumi up` applies.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components"
	"github.com/valohai/pulumi-kubernetes-autoscaling/stacks/karpenter/internal/config"
)

// Exit codes.
const (
	exitOK    = 0
	exitFault = 1
	exitUsage = 2
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, out, problems io.Writer) int {
	flags := flag.NewFlagSet("render", flag.ContinueOnError)
	flags.SetOutput(problems)
	stack := flags.String("config", "", "the stack's configuration, Pulumi.<stack>.yaml")
	facts := flags.String("facts", "", "the facts of the cluster, JSON or YAML: see examples/existing-cluster/cluster.json")
	dir := flags.String("out", "", "the folder to write, new or of an earlier run")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return exitOK
		}
		return exitUsage
	}
	if *stack == "" || *facts == "" || *dir == "" || flags.NArg() > 0 {
		fmt.Fprintln(problems, "render: --config, --facts and --out are required, and nothing else is taken")
		flags.Usage()
		return exitUsage
	}
	files, err := renderFiles(*stack, *facts)
	if err == nil {
		err = files.write(*dir)
	}
	if err != nil {
		fmt.Fprintf(problems, "render: %v\n", err)
		return exitFault
	}
	fmt.Fprintf(out, "%d files in %s: start with README.md\n", len(files.list)+1, *dir)
	return exitOK
}

// renderFiles returns the documents of a stack for a cluster.
func renderFiles(stackFile, factsFile string) (*files, error) {
	c, stack, err := config.ReadStack(stackFile)
	if err != nil {
		return nil, err
	}
	var facts components.ClusterFacts
	if err := config.ReadFile(factsFile, &facts); err != nil {
		return nil, err
	}
	cluster, err := complete(c, facts)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", factsFile, err)
	}
	program, err := dryRun(c, cluster, stack)
	if err != nil {
		return nil, err
	}
	return documents(program)
}
