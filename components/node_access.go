package components

import (
	"fmt"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/eks"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// NodeAccessToken is the type token of NodeAccess.
const NodeAccessToken = "kubernetes-autoscaling:index:NodeAccess"

// NodeAccessArgs are the arguments of NewNodeAccess.
type NodeAccessArgs struct {
	// Cluster is the EKS cluster. Required, with an authentication mode that
	// has access entries: API or API_AND_CONFIG_MAP.
	Cluster *Cluster
	// NodeRoleArn is the full ARN of the node role. Required.
	NodeRoleArn pulumi.StringInput
	// Tags are set on the access entry.
	Tags pulumi.StringMapInput
}

// NodeAccess lets nodes with the node role join the cluster, by an access entry
// of type EC2_LINUX. EKS gives such an entry its groups and its user name.
//
// Source: https://docs.aws.amazon.com/eks/latest/userguide/access-entries.html
type NodeAccess struct {
	pulumi.ResourceState
	members

	// NodeAccessEntryArn is the ARN of the access entry.
	NodeAccessEntryArn pulumi.StringOutput `pulumi:"nodeAccessEntryArn"`
}

// NewNodeAccess registers a NodeAccess.
func NewNodeAccess(ctx *pulumi.Context, name string, args *NodeAccessArgs, opts ...pulumi.ResourceOption) (*NodeAccess, error) {
	a := NodeAccessArgs{}
	if args != nil {
		a = *args
	}
	var f faults
	f.include(a.Cluster.check())
	a.check(&f)
	if err := f.of("NodeAccess", name); err != nil {
		return nil, err
	}
	c := &NodeAccess{}
	if err := ctx.RegisterComponentResource(NodeAccessToken, name, c, opts...); err != nil {
		return nil, err
	}
	entry, err := eks.NewAccessEntry(ctx, name+"-entry", &eks.AccessEntryArgs{
		ClusterName:  a.Cluster.Name,
		PrincipalArn: a.NodeRoleArn,
		Type:         pulumi.String("EC2_LINUX"),
		Tags:         a.Tags,
	}, pulumi.Parent(c))
	if err != nil {
		return nil, fmt.Errorf("creating access entry: %w", err)
	}
	c.add(entry)
	c.NodeAccessEntryArn = entry.AccessEntryArn
	return c, ctx.RegisterResourceOutputs(c, pulumi.Map{"nodeAccessEntryArn": c.NodeAccessEntryArn})
}

// check adds the faults of the component's own arguments.
func (a NodeAccessArgs) check(f *faults) {
	f.require("NodeRoleArn", a.NodeRoleArn != nil)
	if a.Cluster != nil && (a.Cluster.AuthenticationMode == "" || a.Cluster.AuthenticationMode == authenticationConfigMap) {
		f.add("Cluster.AuthenticationMode", "the cluster has no access entries (CONFIG_MAP)",
			"let it have both; entries of aws-auth stay valid: aws eks update-cluster-config --name CLUSTER "+
				"--access-config authenticationMode=API_AND_CONFIG_MAP")
	}
}
