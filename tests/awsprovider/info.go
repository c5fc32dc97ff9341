package main

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfbridge"
	"github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfbridge/info"
	shim "github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfshim"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
)

// sdkVersion is the version of the pulumi-aws SDK whose names are used. The
// engine picks the plugin by it.
const sdkVersion = "6.83.4"

// isMapped tells whether a Terraform type is in one of the tables.
func isMapped(tfType string) bool {
	_, r := resources[tfType]
	_, f := functions[tfType]
	return r || f
}

// providerInfo builds what the bridge serves. It also returns, as text, where
// the Terraform provider and the SDK disagree.
func providerInfo(p shim.Provider) (info.Provider, []string, error) {
	var f fitter
	provider := info.Provider{
		P:              p,
		Name:           "aws",
		Version:        sdkVersion,
		ResourcePrefix: "aws",
		MetadataInfo:   &info.Metadata{Data: tfbridge.ProviderMetadata(nil)},
		Resources:      map[string]*info.Resource{},
		DataSources:    map[string]*info.DataSource{},
		Config:         f.object("provider", p.Schema(), []reflect.Type{plainType(aws.ProviderArgs{})}),
	}
	var errs []error
	for tfType, mapping := range resources {
		tf, ok := p.ResourcesMap().GetOk(tfType)
		if !ok {
			errs = append(errs, fmt.Errorf("the Terraform provider has no resource %s", tfType))
			continue
		}
		provider.Resources[tfType] = resourceInfo(&f, tfType, tf, mapping)
	}
	for tfType, mapping := range functions {
		tf, ok := p.DataSourcesMap().GetOk(tfType)
		if !ok {
			errs = append(errs, fmt.Errorf("the Terraform provider has no data source %s", tfType))
			continue
		}
		provider.DataSources[tfType] = &info.DataSource{
			Tok: tokens.ModuleMember(mapping.token),
			Fields: f.object("data "+tfType, tf.Schema(),
				[]reflect.Type{plainType(mapping.result), plainType(mapping.args)}),
		}
	}
	return provider, f.problems, errors.Join(errs...)
}

func resourceInfo(f *fitter, tfType string, tf shim.Resource, mapping resourceMapping) *info.Resource {
	args := plainType(mapping.args)
	r := &info.Resource{
		Tok:    tokens.Type(mapping.token),
		Fields: f.object(tfType, tf.Schema(), []reflect.Type{plainType(mapping.state), args}),
	}
	if mapping.autoName.attribute != "" {
		r.Fields[mapping.autoName.attribute] = autoNameSchema(mapping.autoName.maxLength)
	}
	if names := untypedInputs(args); len(names) > 0 {
		r.PreCheckCallback = flattenInputs(names)
	}
	if mapping.adjust != nil {
		mapping.adjust(r)
	}
	return r
}

// autoNameSchema generates a name from the resource's name in the program,
// unless namePrefix leaves the name to Terraform.
func autoNameSchema(maxLength int) *info.Schema {
	s := tfbridge.AutoName("", maxLength, "-")
	generate := s.Default.ComputeDefault
	s.Default.ComputeDefault = func(ctx context.Context, o info.ComputeDefaultOptions) (any, error) {
		if _, ok := o.Properties[resource.PropertyKey("namePrefix")]; ok {
			return nil, nil
		}
		return generate(ctx, o)
	}
	return s
}

// plainType returns the struct with the pulumi tags. The SDK's XArgs for
// resources and its XState have none: they name it by ElementType.
func plainType(v any) reflect.Type {
	if e, ok := v.(interface{ ElementType() reflect.Type }); ok {
		return e.ElementType()
	}
	return reflect.TypeOf(v)
}
