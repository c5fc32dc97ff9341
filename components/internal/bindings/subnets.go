package bindings

import "github.com/pulumi/pulumi/sdk/v3/go/pulumi"

// Tokens of the bound functions.
const (
	getSubnetsToken = "aws:ec2/getSubnets:getSubnets"
	getSubnetToken  = "aws:ec2/getSubnet:getSubnet"
)

// Filter selects what has one of the values.
//
// Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeSubnets.html
type Filter struct {
	Name   string   `pulumi:"name"`
	Values []string `pulumi:"values"`
}

type getSubnetsArgs struct {
	Filters []Filter `pulumi:"filters"`
}

type getSubnetsResult struct {
	Ids []string `pulumi:"ids"`
}

// GetSubnets returns the ids of the subnets that all filters select.
func GetSubnets(ctx *pulumi.Context, filters []Filter, opts ...pulumi.InvokeOption) ([]string, error) {
	var result getSubnetsResult
	err := ctx.Invoke(getSubnetsToken, &getSubnetsArgs{Filters: filters}, &result, withInvokeVersion(opts)...)
	return result.Ids, err
}

type getSubnetArgs struct {
	Id *string `pulumi:"id"`
}

type getSubnetResult struct {
	Tags map[string]string `pulumi:"tags"`
}

// GetSubnetTags returns the tags of a subnet.
func GetSubnetTags(ctx *pulumi.Context, id string, opts ...pulumi.InvokeOption) (map[string]string, error) {
	var result getSubnetResult
	err := ctx.Invoke(getSubnetToken, &getSubnetArgs{Id: &id}, &result, withInvokeVersion(opts)...)
	return result.Tags, err
}

// withInvokeVersion puts the plugin's version before the caller's options, in a
// list of its own.
func withInvokeVersion(opts []pulumi.InvokeOption) []pulumi.InvokeOption {
	return append([]pulumi.InvokeOption{pulumi.Version(AWSVersion)}, opts...)
}
