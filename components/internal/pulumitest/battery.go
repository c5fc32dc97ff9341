package pulumitest

import (
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// Battery checks what must hold for every component:
//
//   - every URN is registered once;
//   - all that is named after the component is below it, and the other way round;
//   - resources and invokes use the component's provider for their package;
//   - a preview registers the same resources as an up;
//   - an error of an invoke is the program's error.
//
// The program registers one component of the given type, named "k", with the
// given options.
func Battery(t *testing.T, typ string, functions Functions, program func(ctx *pulumi.Context, opts ...pulumi.ResourceOption) error) {
	t.Helper()
	withProviders := func(ctx *pulumi.Context) error {
		var aws, kubernetes pulumi.ProviderResourceState
		if err := ctx.RegisterResource("pulumi:providers:aws", "chosen", nil, &aws); err != nil {
			return err
		}
		if err := ctx.RegisterResource("pulumi:providers:kubernetes", "chosen", nil, &kubernetes); err != nil {
			return err
		}
		return program(ctx, pulumi.Providers(&aws, &kubernetes))
	}
	up, err := Run(t, withProviders, functions)
	if err != nil {
		t.Fatalf("up: %v", err)
	}
	preview, err := Preview(t, withProviders, functions)
	if err != nil {
		t.Fatalf("preview: %v", err)
	}
	if !slices.Equal(up.URNs(), preview.URNs()) {
		t.Errorf("preview registers\n%s\nup registers\n%s", strings.Join(preview.URNs(), "\n"), strings.Join(up.URNs(), "\n"))
	}
	checkURNs(t, up, typ)
	checkProviders(t, up)
	if len(up.Calls) > 0 {
		if _, err := Run(t, withProviders, nil); err == nil {
			t.Error("every invoke failed, and the program did not")
		}
	}
}

func checkURNs(t *testing.T, r *Recorder, typ string) {
	t.Helper()
	urns := r.URNs()
	if unique := slices.Compact(slices.Clone(urns)); len(unique) != len(urns) {
		t.Errorf("a URN is registered twice: %q", urns)
	}
	if len(r.OfType(typ)) != 1 {
		t.Fatalf("%d components of type %s", len(r.OfType(typ)), typ)
	}
	root := r.OfType(typ)[0]
	for _, res := range r.Resources {
		if res.URN == root.URN {
			continue
		}
		below := strings.Contains(res.Parent, typ)
		named := strings.HasPrefix(res.Name, root.Name+"-")
		if below != named {
			t.Errorf("%s: below the component: %v, named after it: %v", res.URN, below, named)
		}
	}
}

func checkProviders(t *testing.T, r *Recorder) {
	t.Helper()
	check := func(what, typ, provider string) {
		pkg, _, _ := strings.Cut(typ, ":")
		if pkg != "aws" && pkg != "kubernetes" {
			return
		}
		if !strings.Contains(provider, "pulumi:providers:"+pkg+"::chosen") {
			t.Errorf("%s: uses provider %q and not the component's", what, provider)
		}
	}
	for _, res := range r.Resources {
		check(res.URN, res.Type, res.Provider)
	}
	for _, c := range r.Calls {
		check("invoke "+c.Token, c.Token, c.Provider)
	}
}
