// Package recorded runs a Pulumi program without an engine and without a cloud,
// and records what it registers. Tests look at that, and so does a command that
// shows what a stack would make.
package recorded

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
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
	// Retained tells that a destroy leaves it.
	Retained bool
	// Inputs are what was sent.
	Inputs resource.PropertyMap
}

// Call is an invoke.
type Call struct {
	Token, Provider string
	Args            resource.PropertyMap
}

// Functions answer invokes by their token, and reads by the type of what is
// read. An invoke that has no function fails the program; a read that has none
// finds what was asked for.
type Functions map[string]func(args resource.PropertyMap) (resource.PropertyMap, error)

// Program holds what a program did.
type Program struct {
	// Resources are sorted by their URNs.
	Resources []Resource
	Calls     []Call
}

// Options say how to run a program.
type Options struct {
	// Project and Stack that the program sees.
	Project, Stack string
	// Preview leaves all ids and outputs unknown that a cloud would compute.
	Preview bool
	// Functions answer invokes and reads.
	Functions Functions
	// Outputs returns what a cloud computes for a new resource beside its inputs,
	// such as its ARN. Default: nothing.
	Outputs func(Resource) resource.PropertyMap
}

// Run runs a program and returns what it did, and its error.
func Run(program pulumi.RunFunc, o Options) (*Program, error) {
	m := &mocks{options: o}
	err := pulumi.RunErr(program, pulumi.WithMocks(o.Project, o.Stack, m), func(info *pulumi.RunInfo) { info.DryRun = o.Preview })
	slices.SortFunc(m.program.Resources, func(a, b Resource) int { return strings.Compare(a.URN, b.URN) })
	return &m.program, err
}

// URNs returns the URNs of all resources, sorted.
func (p *Program) URNs() []string {
	urns := make([]string, len(p.Resources))
	for i, res := range p.Resources {
		urns[i] = res.URN
	}
	return urns
}

// OfType returns the resources of a type, by URN.
func (p *Program) OfType(typ string) []Resource {
	var found []Resource
	for _, res := range p.Resources {
		if res.Type == typ {
			found = append(found, res)
		}
	}
	return found
}

// mocks implements pulumi.MockResourceMonitor.
type mocks struct {
	options Options

	mu      sync.Mutex
	program Program
}

// NewResource implements pulumi.MockResourceMonitor. A resource's state is its
// inputs and what the options say that a cloud computes.
func (m *mocks) NewResource(args pulumi.MockResourceArgs) (string, resource.PropertyMap, error) {
	res := Resource{Type: args.TypeToken, Name: args.Name, Custom: args.Custom, Inputs: args.Inputs, Provider: args.Provider}
	if rpc := args.RegisterRPC; rpc != nil {
		res.Parent, res.Dependencies, res.Retained = rpc.GetParent(), rpc.GetDependencies(), rpc.GetRetainOnDelete()
	}
	if rpc := args.ReadRPC; rpc != nil {
		res.Parent, res.Dependencies, res.Read = rpc.GetParent(), rpc.GetDependencies(), true
	}
	res.URN = m.urn(res)
	m.mu.Lock()
	m.program.Resources = append(m.program.Resources, res)
	m.mu.Unlock()

	if f, ok := m.options.Functions[args.TypeToken]; ok && res.Read {
		state, err := f(args.Inputs)
		return args.ID, state, err
	}
	state := args.Inputs.Copy()
	if m.options.Preview {
		return "", state, nil
	}
	if m.options.Outputs != nil {
		for key, value := range m.options.Outputs(res) {
			state[key] = value
		}
	}
	return args.Name + "-id", state, nil
}

// Call implements pulumi.MockResourceMonitor.
func (m *mocks) Call(args pulumi.MockCallArgs) (resource.PropertyMap, error) {
	m.mu.Lock()
	m.program.Calls = append(m.program.Calls, Call{Token: args.Token, Provider: args.Provider, Args: args.Args})
	m.mu.Unlock()
	f, ok := m.options.Functions[args.Token]
	if !ok {
		return nil, fmt.Errorf("no mock for function %s", args.Token)
	}
	return f(args.Args)
}

// urn is how the mock monitor of the SDK names a resource.
func (m *mocks) urn(r Resource) string {
	parent := resource.URN(r.Parent)
	parentType := resource.RootStackType
	if r.Parent != "" && parent.QualifiedType() != "" {
		parentType = parent.QualifiedType()
	}
	if parentType == resource.RootStackType {
		parentType = ""
	}
	return string(resource.NewURN(tokens.QName(m.options.Stack), tokens.PackageName(m.options.Project), parentType, tokens.Type(r.Type), r.Name))
}
