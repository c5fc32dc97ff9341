// Package pulumitest runs Pulumi programs against mocks and records what they
// register, so that tests can look at it after the program has ended.
package pulumitest

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// Project and stack of every recorded program.
const (
	project = "tests"
	stack   = "mocks"
)

// Resource is a registered or a read resource.
type Resource struct {
	// URN, Type and Name identify it.
	URN, Type, Name string
	// Parent is the URN of its parent.
	Parent string
	// Provider is the reference of its provider, empty for the default one.
	Provider string
	// Dependencies are the URNs that it waits for.
	Dependencies []string
	// Custom is false for a component.
	Custom bool
	// Read tells that it was read and not registered.
	Read bool
	// Inputs are what was sent.
	Inputs resource.PropertyMap
}

// Call is an invoke.
type Call struct {
	Token, Provider string
	Args            resource.PropertyMap
}

// Functions answer invokes by their token. An invoke that has no function fails
// the program.
type Functions map[string]func(args resource.PropertyMap) (resource.PropertyMap, error)

// Recorder holds what a program did.
type Recorder struct {
	Resources []Resource
	Calls     []Call
}

// Run runs a program, as up does, and returns what it did and its error.
func Run(t *testing.T, program pulumi.RunFunc, functions Functions) (*Recorder, error) {
	t.Helper()
	return run(program, &mocks{functions: functions})
}

// Preview runs a program as preview does: ids and computed outputs are unknown.
func Preview(t *testing.T, program pulumi.RunFunc, functions Functions) (*Recorder, error) {
	t.Helper()
	return run(program, &mocks{functions: functions, preview: true})
}

func run(program pulumi.RunFunc, m *mocks) (*Recorder, error) {
	err := pulumi.RunErr(program, pulumi.WithMocks(project, stack, m), func(info *pulumi.RunInfo) { info.DryRun = m.preview })
	slices.SortFunc(m.recorder.Resources, func(a, b Resource) int {
		return strings.Compare(a.URN, b.URN)
	})
	return &m.recorder, err
}

// URNs returns the URNs of all resources, sorted.
func (r *Recorder) URNs() []string {
	urns := make([]string, len(r.Resources))
	for i, res := range r.Resources {
		urns[i] = res.URN
	}
	return urns
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

// OfType returns the resources of a type, by URN.
func (r *Recorder) OfType(typ string) []Resource {
	var found []Resource
	for _, res := range r.Resources {
		if res.Type == typ {
			found = append(found, res)
		}
	}
	return found
}

// mocks implements pulumi.MockResourceMonitor.
type mocks struct {
	functions Functions
	preview   bool

	mu       sync.Mutex
	recorder Recorder
}

// NewResource implements pulumi.MockResourceMonitor. A resource's state is its
// inputs, its ARN and its name.
func (m *mocks) NewResource(args pulumi.MockResourceArgs) (string, resource.PropertyMap, error) {
	res := Resource{Type: args.TypeToken, Name: args.Name, Custom: args.Custom, Inputs: args.Inputs, Provider: args.Provider}
	if rpc := args.RegisterRPC; rpc != nil {
		res.Parent, res.Dependencies = rpc.GetParent(), rpc.GetDependencies()
	}
	if rpc := args.ReadRPC; rpc != nil {
		res.Parent, res.Dependencies, res.Read = rpc.GetParent(), rpc.GetDependencies(), true
	}
	res.URN = urn(res)
	m.mu.Lock()
	m.recorder.Resources = append(m.recorder.Resources, res)
	m.mu.Unlock()

	state := args.Inputs.Copy()
	if m.preview {
		return "", state, nil
	}
	if _, ok := state["name"]; !ok {
		state["name"] = resource.NewProperty(args.Name)
	}
	state["arn"] = resource.NewProperty("arn:" + args.TypeToken + ":" + args.Name)
	return args.Name + "-id", state, nil
}

// Call implements pulumi.MockResourceMonitor.
func (m *mocks) Call(args pulumi.MockCallArgs) (resource.PropertyMap, error) {
	m.mu.Lock()
	m.recorder.Calls = append(m.recorder.Calls, Call{Token: args.Token, Provider: args.Provider, Args: args.Args})
	m.mu.Unlock()
	f, ok := m.functions[args.Token]
	if !ok {
		return nil, fmt.Errorf("no mock for function %s", args.Token)
	}
	return f(args.Args)
}

// urn is how the mock monitor of the SDK names a resource.
func urn(r Resource) string {
	parent := resource.URN(r.Parent)
	parentType := resource.RootStackType
	if r.Parent != "" && parent.QualifiedType() != "" {
		parentType = parent.QualifiedType()
	}
	if parentType == resource.RootStackType {
		parentType = ""
	}
	return string(resource.NewURN(stack, project, parentType, tokens.Type(r.Type), r.Name))
}
