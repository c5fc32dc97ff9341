// Package pulumitest runs Pulumi programs against mocks and records what they
// register, so that tests can look at it after the program has ended.
package pulumitest

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/valohai/pulumi-kubernetes-autoscaling/internal/recorded"
)

type (
	// Resource is what a program registered or read.
	Resource = recorded.Resource
	// Functions answer a program's invokes and reads.
	Functions = recorded.Functions
)

// Recorder holds what a program did.
type Recorder struct{ *recorded.Program }

// Run runs a program, as up does, and returns what it did and its error.
func Run(t *testing.T, program pulumi.RunFunc, functions Functions) (*Recorder, error) {
	t.Helper()
	return run(program, recorded.Options{Functions: functions})
}

// Preview runs a program as preview does: ids and computed outputs are unknown.
func Preview(t *testing.T, program pulumi.RunFunc, functions Functions) (*Recorder, error) {
	t.Helper()
	return run(program, recorded.Options{Functions: functions, Preview: true})
}

func run(program pulumi.RunFunc, o recorded.Options) (*Recorder, error) {
	o.Project, o.Stack, o.Outputs = "tests", "mocks", outputs
	p, err := recorded.Run(program, o)
	return &Recorder{p}, err
}

// outputs are an ARN and a name that tell what they are of.
func outputs(r Resource) resource.PropertyMap {
	computed := resource.PropertyMap{"arn": resource.NewProperty("arn:mock:" + r.Type + ":" + r.Name)}
	if _, ok := r.Inputs["name"]; !ok {
		computed["name"] = resource.NewProperty(r.Name)
	}
	return computed
}

// Find returns the resource of a type and a name, and fails the test if there
// is none.
func (r *Recorder) Find(t *testing.T, typ, name string) Resource {
	t.Helper()
	for _, res := range r.Resources {
		if res.Type == typ && res.Name == name {
			return res
		}
	}
	t.Fatalf("no resource %s %q among %q", typ, name, r.URNs())
	return Resource{}
}
