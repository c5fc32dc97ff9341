package components

import (
	"fmt"
	"maps"
	"slices"

	"github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes"
	"github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes/apiextensions"
	metav1 "github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes/meta/v1"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/nodepool"
	"github.com/valohai/pulumi-kubernetes-autoscaling/components/release"
)

// NodePoolsToken is the type token of NodePools.
const NodePoolsToken = "kubernetes-autoscaling:index:NodePools"

// NodePoolsArgs are the arguments of NewNodePools.
type NodePoolsArgs struct {
	// Cluster is the EKS cluster. Required.
	Cluster *Cluster
	// Version is the installed Karpenter release. Default: release.Newest.
	Version string
	// NodeRoleName is the bare name of the node role. Required.
	NodeRoleName pulumi.StringInput
	// InstanceProfileName is the bare name of an instance profile with the node
	// role, for the controller to use in place of one of its own. Default: none.
	InstanceProfileName pulumi.StringInput
	// WindowsNodeRoleName and WindowsInstanceProfileName are those of the classes
	// with a Windows AMI. The role is required if there is one.
	WindowsNodeRoleName, WindowsInstanceProfileName pulumi.StringInput
	// Pools are the NodePools by their names. Default: nodepool.Default.
	Pools map[string]nodepool.Pool
	// NodeClasses are the EC2NodeClasses by their names. Default: one with the
	// name nodepool.DefaultNodeClass and nothing but defaults.
	NodeClasses map[string]nodepool.NodeClass
	// Chart is the installation of Karpenter. The pools are made after it and
	// removed before it, since only a running controller can end their nodes.
	// Required, unless DependsOn holds what installs Karpenter.
	Chart *KarpenterChart
	// DependsOn are further resources that nodes need, such as the discovery
	// tags and the nodes' access to the cluster. A component of this library
	// stands for all its resources.
	DependsOn []pulumi.Resource
}

// NodePools is the set of EC2NodeClasses and NodePools of a cluster.
//
// Source: https://karpenter.sh/docs/concepts/nodepools/
type NodePools struct {
	pulumi.ResourceState

	// NodePoolNames and NodeClassNames are the names, sorted.
	NodePoolNames  pulumi.StringArrayOutput `pulumi:"nodePoolNames"`
	NodeClassNames pulumi.StringArrayOutput `pulumi:"nodeClassNames"`
	// NodePoolLimits are the most that the nodes of each pool can have together,
	// by pool and resource, and under "all" what all pools can have.
	NodePoolLimits pulumi.StringMapMapOutput `pulumi:"nodePoolLimits"`
}

// NewNodePools registers a NodePools.
func NewNodePools(ctx *pulumi.Context, name string, args *NodePoolsArgs, opts ...pulumi.ResourceOption) (*NodePools, error) {
	a := NodePoolsArgs{}
	if args != nil {
		a = *args
	}
	a = a.withDefaults()
	var f faults
	rel := f.common(a.Cluster, a.Version)
	a.check(&f, rel)
	if err := f.of("NodePools", name); err != nil {
		return nil, err
	}
	c := &NodePools{}
	if err := ctx.RegisterComponentResource(NodePoolsToken, name, c, opts...); err != nil {
		return nil, err
	}
	for _, line := range nodepool.Advice(rel, a.Pools, a.NodeClasses) {
		if err := ctx.Log.Warn(line, &pulumi.LogArgs{Resource: c}); err != nil {
			return nil, err
		}
	}
	classes, err := c.classes(ctx, name, a, rel)
	if err != nil {
		return nil, err
	}
	if err := c.pools(ctx, name, a, rel, classes); err != nil {
		return nil, err
	}
	c.NodePoolNames = pulumi.ToStringArray(slices.Sorted(maps.Keys(a.Pools))).ToStringArrayOutput()
	c.NodeClassNames = pulumi.ToStringArray(slices.Sorted(maps.Keys(a.NodeClasses))).ToStringArrayOutput()
	c.NodePoolLimits = pulumi.ToStringMapMap(nodepool.Reach(rel, a.Pools)).ToStringMapMapOutput()
	return c, ctx.RegisterResourceOutputs(c, pulumi.Map{
		"nodePoolNames":  c.NodePoolNames,
		"nodeClassNames": c.NodeClassNames,
		"nodePoolLimits": c.NodePoolLimits,
	})
}

func (a NodePoolsArgs) withDefaults() NodePoolsArgs {
	a.Pools, a.NodeClasses = nodepool.OrDefaults(a.Pools, a.NodeClasses)
	return a
}

// check adds the faults of the component's own arguments.
func (a NodePoolsArgs) check(f *faults, rel release.Release) {
	f.require("NodeRoleName", a.NodeRoleName != nil)
	if a.Chart == nil && len(a.DependsOn) == 0 {
		f.add("Chart", "missing", "pass the KarpenterChart, or in DependsOn what installs Karpenter")
	}
	if nodepool.AnyWindows(a.NodeClasses) {
		f.require("WindowsNodeRoleName", a.WindowsNodeRoleName != nil)
	}
	if a.Cluster != nil && a.Cluster.SelectByIds {
		f.placement(a.Cluster)
	}
	target := nodepool.Target{Release: rel}
	if a.Cluster != nil {
		target.Kubernetes = a.Cluster.KubernetesVersion
	}
	f.include(nodepool.Validate(target, a.Pools, a.NodeClasses))
}

// placement returns where the nodes of a class belong and what they are.
func (a NodePoolsArgs) placement(class nodepool.NodeClass) pulumi.AnyOutput {
	role, profile := a.NodeRoleName, a.InstanceProfileName
	if class.IsWindows() {
		role, profile = a.WindowsNodeRoleName, a.WindowsInstanceProfileName
	}
	var ids pulumi.StringArray
	group := pulumi.StringInput(pulumi.String(""))
	if a.Cluster.SelectByIds {
		ids, group = a.Cluster.subnetIds(), a.Cluster.SecurityGroupId
	}
	return pulumi.All(role, orEmpty(profile), a.Cluster.Name, ids, group).ApplyT(func(v []any) nodepool.Placement {
		return nodepool.Placement{
			Role: v[0].(string), InstanceProfile: v[1].(string),
			DiscoveryTag: a.Cluster.discoveryTag(), DiscoveryValue: v[2].(string),
			SubnetIds: v[3].([]string), SecurityGroupId: v[4].(string),
		}
	}).(pulumi.AnyOutput)
}

// classes registers the EC2NodeClasses, after the controller and whatever else
// the nodes need.
func (c *NodePools) classes(ctx *pulumi.Context, name string, a NodePoolsArgs, rel release.Release) (map[string]pulumi.Resource, error) {
	after := concrete(a.DependsOn)
	if a.Chart != nil {
		after = append(after, a.Chart.concrete()...)
	}
	classes := map[string]pulumi.Resource{}
	for _, key := range slices.Sorted(maps.Keys(a.NodeClasses)) {
		class := a.NodeClasses[key]
		spec := a.placement(class).ApplyT(func(at any) map[string]any { return class.Spec(rel, at.(nodepool.Placement)) })
		object, err := c.object(ctx, name+"-class-"+key, nodepool.GroupAWS+"/"+nodepool.Version(rel), nodepool.KindEC2NodeClass, key, spec, after)
		if err != nil {
			return nil, fmt.Errorf("creating node class %s: %w", key, err)
		}
		classes[key] = object
	}
	return classes, nil
}

// pools registers the NodePools, each after its class.
func (c *NodePools) pools(ctx *pulumi.Context, name string, a NodePoolsArgs, rel release.Release, classes map[string]pulumi.Resource) error {
	for _, key := range slices.Sorted(maps.Keys(a.Pools)) {
		pool := a.Pools[key]
		after := []pulumi.Resource{classes[pool.NodeClassName()]}
		if _, err := c.object(ctx, name+"-pool-"+key, nodepool.GroupKarpenter+"/"+nodepool.Version(rel), nodepool.KindNodePool, key, pool.Spec(rel, a.NodeClasses[pool.NodeClassName()]), after); err != nil {
			return fmt.Errorf("creating node pool %s: %w", key, err)
		}
	}
	return nil
}

// object registers one of Karpenter's objects.
func (c *NodePools) object(ctx *pulumi.Context, name, apiVersion, kind, key string, spec any, after []pulumi.Resource) (*apiextensions.CustomResource, error) {
	return apiextensions.NewCustomResource(ctx, name, &apiextensions.CustomResourceArgs{
		ApiVersion:  pulumi.String(apiVersion),
		Kind:        pulumi.String(kind),
		Metadata:    metav1.ObjectMetaArgs{Name: pulumi.String(key)},
		OtherFields: kubernetes.UntypedArgs{"spec": spec},
	}, pulumi.Parent(c), pulumi.DependsOn(after))
}
