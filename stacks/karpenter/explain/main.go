// Command explain says where a job would land: which node pools of a stack take
// it and why the others do not, the cheapest instance types that it would get,
// and what is missing if no pool takes it. It needs no cloud and no cluster.
//
//	go run ./stacks/karpenter/explain --config Pulumi.ml-prod.yaml --pod job.yaml
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/valohai/pulumi-kubernetes-autoscaling/internal/quantity"
)

// Exit codes.
const (
	exitOK      = 0 // every pod lands somewhere
	exitFault   = 1 // the configuration or a manifest is wrong
	exitUsage   = 2
	exitNowhere = 3 // a pod lands nowhere
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// options are what the command line says.
type options struct {
	config, pod, region, daemons string
	zones                        string
	types                        int
	admit, json                  bool
}

func run(args []string, in io.Reader, out, problems io.Writer) int {
	o, err := parse(args, problems)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		return exitUsage
	}
	report, err := explain(o, in)
	if err == nil && o.json {
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		err = encoder.Encode(report)
	} else if err == nil {
		err = report.print(out)
	}
	if err != nil {
		fmt.Fprintf(problems, "explain: %v\n", err)
		return exitFault
	}
	for _, p := range report.Pods {
		if p.Pool == "" {
			return exitNowhere
		}
	}
	return exitOK
}

// parse reads the command line, and says what is wrong with it.
func parse(args []string, problems io.Writer) (o options, err error) {
	flags := flag.NewFlagSet("explain", flag.ContinueOnError)
	flags.SetOutput(problems)
	flags.StringVar(&o.config, "config", "", "the stack's configuration, Pulumi.<stack>.yaml")
	flags.StringVar(&o.pod, "pod", "", "manifests of pods or of what makes them (Job, CronJob, Deployment, ...), YAML or JSON; - reads standard input")
	flags.StringVar(&o.region, "region", "", "the AWS region (default: aws:region of the configuration)")
	flags.StringVar(&o.zones, "zones", "", "the zones of the cluster's subnets, such as eu-west-1a,eu-west-1b (default: any)")
	flags.StringVar(&o.daemons, "daemons", "cpu=150m,memory=0,pods=2", "what the DaemonSets of the cluster take of each node: by default that of aws-node and kube-proxy")
	flags.IntVar(&o.types, "types", 5, "how many instance types to list")
	flags.BoolVar(&o.admit, "extended-resource-toleration", true, "let a pod tolerate the taint of every resource that it asks for, such as nvidia.com/gpu, as the API server of EKS does")
	flags.BoolVar(&o.json, "json", false, "print JSON")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if o.config == "" || o.pod == "" || o.types < 1 || flags.NArg() > 0 {
		fmt.Fprintln(problems, "explain: --config and --pod are required, --types is at least 1, and nothing else is taken")
		flags.Usage()
		return o, errors.New("wrong usage")
	}
	return o, nil
}

// amounts reads resources such as "cpu=150m,pods=2".
func amounts(text string) (map[string]int64, error) {
	read := map[string]int64{}
	for one := range strings.SplitSeq(text, ",") {
		if one == "" {
			continue
		}
		resource, value, _ := strings.Cut(one, "=")
		n, ok := quantity.Milli(value)
		if !ok {
			return nil, fmt.Errorf("--daemons: found %q, allowed is a list such as cpu=150m,memory=200Mi,pods=3: write it so", text)
		}
		read[resource] = n
	}
	return read, nil
}
