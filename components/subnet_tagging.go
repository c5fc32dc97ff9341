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

// SubnetTagging sets the tag Cluster.DiscoveryTag on the subnets for new nodes
// and on the cluster security group, and on no other security group: a node with
// two groups of the cluster breaks the load balancer controller. Other tags of
// these resources are left alone.
//
// A stack that owns a subnet with all its tags takes ours off at its next run.
// `pulumi up --refresh` here shows that as drift and sets the tag again; so that
// it stays, the other stack must ignore the key, or the node classes select by
// ids (Cluster.SelectByIds), and this component is not needed.
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
	for _, key := range slices.Sorted(maps.Keys(a.Cluster.Subnets)) {
		if err := tag(key, a.Cluster.Subnets[key]); err != nil {
			return nil, err
		}
	}
	if err := tag("cluster-security-group", a.Cluster.SecurityGroupId); err != nil {
		return nil, err
	}
	c.SubnetIds = a.Cluster.subnetIds().ToStringArrayOutput()
	return c, ctx.RegisterResourceOutputs(c, pulumi.Map{"subnetIds": c.SubnetIds})
}

// check adds the faults of the component's own arguments.
func (a SubnetTaggingArgs) check(f *faults) {
	if a.Cluster == nil {
		return
	}
	if a.Cluster.SelectByIds {
		f.add("Cluster.SelectByIds", "found true, and the component sets the tags that it does without", "leave one of the two out")
	}
	f.placement(a.Cluster)
}

// placement adds the faults of what says where new nodes go.
func (f *faults) placement(c *Cluster) {
	f.require("Cluster.SecurityGroupId", c.SecurityGroupId != nil)
	if len(c.Subnets) == 0 {
		f.add("Cluster.Subnets", "none", "name at least one subnet for new nodes")
	}
}
