package bindings

import (
	"reflect"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// Tag is one tag of an EC2 resource that somebody else owns.
//
// Source: https://www.pulumi.com/registry/packages/aws/api-docs/ec2/tag/
type Tag struct {
	pulumi.CustomResourceState

	Key        pulumi.StringOutput `pulumi:"key"`
	ResourceId pulumi.StringOutput `pulumi:"resourceId"`
	Value      pulumi.StringOutput `pulumi:"value"`
}

// TagArgs are the arguments of NewTag. All are required.
type TagArgs struct {
	Key        pulumi.StringInput
	ResourceId pulumi.StringInput
	Value      pulumi.StringInput
}

type tagArgs struct {
	Key        string `pulumi:"key"`
	ResourceId string `pulumi:"resourceId"`
	Value      string `pulumi:"value"`
}

// ElementType implements pulumi.Input.
func (TagArgs) ElementType() reflect.Type { return reflect.TypeFor[tagArgs]() }

// NewTag sets a tag.
func NewTag(ctx *pulumi.Context, name string, args *TagArgs, opts ...pulumi.ResourceOption) (*Tag, error) {
	var tag Tag
	if err := ctx.RegisterResource(TagToken, name, args, &tag, withVersion(AWSVersion, opts)...); err != nil {
		return nil, err
	}
	return &tag, nil
}
