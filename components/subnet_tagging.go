package components

import (
	"fmt"
	"maps"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/internal/bindings"
)

// SubnetTaggingToken is the type token of SubnetTagging.
const SubnetTaggingToken = "kubernetes-autoscaling:index:SubnetTagging"

// SubnetTaggingArgs are the arguments of NewSubnetTagging.
type SubnetTaggingArgs struct {
	// Cluster is the EKS cluster. Required, with its subnets and its security
	// group.
	Cluster *Cluster
}

// SubnetTagging sets the tag Cluster.DiscoveryTag on the subnets for new nodes and on the
// cluster security group, and on no other security group: a node with two
// groups of the cluster breaks the load balancer controller. Other tags of
// these resources are left alone.
type SubnetTagging struct {
	pulumi.ResourceState
	members

	// SubnetIds are the tagged subnets, sorted by their keys in Cluster.Subnets.
	SubnetIds pulumi.StringArrayOutput `pulumi:"subnetIds"`
}

// NewSubnetTagging registers a SubnetTagging.
func NewSubnetTagging(ctx *pulumi.Context, name string, args *SubnetTaggingArgs, opts ...pulumi.ResourceOption) (*SubnetTagging, error) {
	a := SubnetTaggingArgs{}
	if args != nil {
		a = *args
	}
	var f faults
	f.include(a.Cluster.check())
	a.check(&f)
	if err := f.of("SubnetTagging", name); err != nil {
		return nil, err
	}
	c := &SubnetTagging{}
	if err := ctx.RegisterComponentResource(SubnetTaggingToken, name, c, opts...); err != nil {
		return nil, err
	}
	tag := func(suffix string, id pulumi.StringInput) error {
		tag, err := bindings.NewTag(ctx, name+"-"+suffix, &bindings.TagArgs{
			ResourceId: id, Key: pulumi.String(a.Cluster.discoveryTag()), Value: a.Cluster.Name,
		}, pulumi.Parent(c))
		if err != nil {
			return fmt.Errorf("tagging %s: %w", suffix, err)
		}
		c.add(tag)
		return nil
	}
	var ids pulumi.StringArray
	for _, key := range slices.Sorted(maps.Keys(a.Cluster.Subnets)) {
		ids = append(ids, a.Cluster.Subnets[key])
		if err := tag(key, a.Cluster.Subnets[key]); err != nil {
			return nil, err
		}
	}
	if err := tag("cluster-security-group", a.Cluster.SecurityGroupId); err != nil {
		return nil, err
	}
	c.SubnetIds = ids.ToStringArrayOutput()
	return c, ctx.RegisterResourceOutputs(c, pulumi.Map{"subnetIds": c.SubnetIds})
}

// check adds the faults of the component's own arguments.
func (a SubnetTaggingArgs) check(f *faults) {
	if a.Cluster == nil {
		return
	}
	f.require("Cluster.SecurityGroupId", a.Cluster.SecurityGroupId != nil)
	if len(a.Cluster.Subnets) == 0 {
		f.add("Cluster.Subnets", "none", "name at least one subnet for new nodes")
	}
}
