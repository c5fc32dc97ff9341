package bindings

import (
	"reflect"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// Release is an installation of a Helm chart with Helm's own semantics.
//
// Source: https://www.pulumi.com/registry/packages/kubernetes/api-docs/helm/v3/release/
type Release struct {
	pulumi.CustomResourceState

	Name      pulumi.StringPtrOutput `pulumi:"name"`
	Namespace pulumi.StringPtrOutput `pulumi:"namespace"`
	Version   pulumi.StringPtrOutput `pulumi:"version"`
}

// ReleaseArgs are the arguments of NewRelease.
type ReleaseArgs struct {
	// Chart is an OCI reference or the path of a folder or an archive.
	Chart pulumi.StringInput
	// Name is the name of the release.
	Name pulumi.StringPtrInput
	// Namespace is where it is installed.
	Namespace pulumi.StringPtrInput
	// RepositoryOpts says in which repository Chart is, if that is a name.
	RepositoryOpts RepositoryOptsPtrInput
	// SkipCrds leaves out the custom resource definitions in the chart's crds
	// folder, which Helm would install once and never upgrade.
	SkipCrds pulumi.BoolPtrInput
	// Timeout bounds each wait for an object to become ready, in seconds.
	Timeout pulumi.IntPtrInput
	// Values are those of the chart.
	Values pulumi.MapInput
	// Version of the chart.
	Version pulumi.StringPtrInput

	// Compat is set by NewRelease.
	Compat pulumi.StringPtrInput
}

// RepositoryOpts is the repository of a chart.
type RepositoryOpts struct {
	Repo *string `pulumi:"repo"`
}

// RepositoryOptsPtrInput is what RepositoryOptsArgs implement.
type RepositoryOptsPtrInput interface {
	pulumi.Input
	isRepositoryOpts()
}

// RepositoryOptsArgs are the arguments of a RepositoryOpts.
type RepositoryOptsArgs struct {
	// Repo is the URL of the repository.
	Repo pulumi.StringPtrInput `pulumi:"repo"`
}

// ElementType implements pulumi.Input.
func (RepositoryOptsArgs) ElementType() reflect.Type { return reflect.TypeFor[RepositoryOpts]() }

func (RepositoryOptsArgs) isRepositoryOpts() {}

type releaseArgs struct {
	Chart          string          `pulumi:"chart"`
	Compat         *string         `pulumi:"compat"`
	Name           *string         `pulumi:"name"`
	Namespace      *string         `pulumi:"namespace"`
	RepositoryOpts *RepositoryOpts `pulumi:"repositoryOpts"`
	SkipCrds       *bool           `pulumi:"skipCrds"`
	Timeout        *int            `pulumi:"timeout"`
	Values         map[string]any  `pulumi:"values"`
	Version        *string         `pulumi:"version"`
}

// ElementType implements pulumi.Input.
func (ReleaseArgs) ElementType() reflect.Type { return reflect.TypeFor[releaseArgs]() }

// NewRelease installs a chart and waits until its objects are ready.
func NewRelease(ctx *pulumi.Context, name string, args *ReleaseArgs, opts ...pulumi.ResourceOption) (*Release, error) {
	sent := *args
	sent.Compat = pulumi.StringPtr("true") // as the SDK's constructor sends it
	var release Release
	if err := ctx.RegisterResource(ReleaseToken, name, &sent, &release, withVersion(KubernetesVersion, opts)...); err != nil {
		return nil, err
	}
	return &release, nil
}
