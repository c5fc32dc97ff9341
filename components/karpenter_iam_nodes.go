package components

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/internal/names"
	"github.com/valohai/pulumi-kubernetes-autoscaling/components/policy"
	"github.com/valohai/pulumi-kubernetes-autoscaling/components/release"
)

// nodeRoles registers the roles of nodes and their instance profiles.
func (c *KarpenterIAM) nodeRoles(ctx *pulumi.Context, name string, a KarpenterIAMArgs, rel release.Release) error {
	if err := c.linuxRole(ctx, name+"-node", a, rel); err != nil {
		return fmt.Errorf("creating node role: %w", err)
	}
	if a.EnableWindows {
		role, err := c.nodeRole(ctx, name+"-windows-node", a, rel, a.Cluster.named(a.NamePrefix, names.Names.WindowsNodeRole), "Windows nodes")
		if err != nil {
			return fmt.Errorf("creating Windows node role: %w", err)
		}
		c.WindowsNodeRoleArn, c.WindowsNodeRoleName = role.Arn, role.Name
	}
	if !a.CreateInstanceProfile {
		return nil
	}
	var err error
	if c.InstanceProfileName, err = c.profile(ctx, name+"-node", a, "Node", c.NodeRoleName); err != nil {
		return err
	}
	if a.EnableWindows {
		c.WindowsInstanceProfileName, err = c.profile(ctx, name+"-windows-node", a, "WindowsNode", c.WindowsNodeRoleName)
	}
	return err
}

// linuxRole takes the role that is there already, or registers one.
func (c *KarpenterIAM) linuxRole(ctx *pulumi.Context, name string, a KarpenterIAMArgs, rel release.Release) error {
	if a.NodeRoleArn == "" {
		role, err := c.nodeRole(ctx, name, a, rel, nameOr(a.NodeRoleName, a.Cluster.named(a.NamePrefix, names.Names.NodeRole)), "Nodes")
		if err != nil {
			return err
		}
		c.NodeRoleArn, c.NodeRoleName = role.Arn, role.Name
		return nil
	}
	bare := names.RoleOfArn(a.NodeRoleArn)
	found, err := iam.LookupRole(ctx, &iam.LookupRoleArgs{Name: bare}, pulumi.Parent(c))
	switch {
	case isNotFound(err):
		return fmt.Errorf("NodeRoleArn: there is no role %q in the account: correct the ARN, or leave it out and a role is made", bare)
	case err != nil:
		return fmt.Errorf("reading role %q: %w", bare, err)
	case found.Arn != a.NodeRoleArn:
		return fmt.Errorf("NodeRoleArn: found %q, and the role of that name is %q: write that one", a.NodeRoleArn, found.Arn)
	case !strings.Contains(found.AssumeRolePolicy, "ec2.amazonaws.com"):
		return fmt.Errorf("NodeRoleArn: found role %q, which EC2 may not assume: take the role of nodes, or let ec2.amazonaws.com "+
			"assume this one", bare)
	}
	c.NodeRoleArn, c.NodeRoleName = pulumi.String(found.Arn).ToStringOutput(), pulumi.String(bare).ToStringOutput()
	return nil
}

// nodeRole registers a role of nodes and attaches its policies.
func (c *KarpenterIAM) nodeRole(ctx *pulumi.Context, name string, a KarpenterIAMArgs, rel release.Release, roleName pulumi.StringPtrInput, what string) (*iam.Role, error) {
	role, err := c.role(ctx, name, a, &iam.RoleArgs{
		Name:             roleName,
		Description:      pulumi.Sprintf("%s that Karpenter makes for EKS cluster %s", what, a.Cluster.Name),
		AssumeRolePolicy: documentOf(policy.NodeTrust, a.Cluster.Partition),
	})
	if err != nil {
		return nil, err
	}
	arns, err := c.nodePolicies(ctx, name, a, rel)
	if err != nil {
		return nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(arns)) {
		attachment, err := iam.NewRolePolicyAttachment(ctx, name+"-"+key, &iam.RolePolicyAttachmentArgs{
			Role: role.Name, PolicyArn: arns[key],
		}, pulumi.Parent(c))
		if err != nil {
			return nil, err
		}
		c.add(attachment)
	}
	return role, nil
}

// nodePolicies returns the ARNs of the policies of a role of nodes, by a key
// for each.
func (c *KarpenterIAM) nodePolicies(ctx *pulumi.Context, name string, a KarpenterIAMArgs, rel release.Release) (map[string]pulumi.StringInput, error) {
	arns := maps.Clone(a.NodeRoleAdditionalPolicies)
	if arns == nil {
		arns = map[string]pulumi.StringInput{}
	}
	ipv6 := a.Cluster.IpFamily == familyIPv6
	for _, managed := range policy.NodeManagedPolicies(rel.PullsImagesOnly, ipv6) {
		arns[managed] = stringOf(func(partition string) string { return policy.ManagedPolicyArn(partition, managed) }, a.Cluster.Partition)
	}
	if !ipv6 {
		return arns, nil
	}
	if c.ipv6CNI == nil {
		cni, err := iam.NewPolicy(ctx, name+"-IPv6CNI", &iam.PolicyArgs{
			Name:   a.Cluster.named(a.NamePrefix, func(n names.Names) string { return n.NodePolicy("IPv6CNI") }),
			Path:   pulumi.String(a.RolePath),
			Policy: documentOf(policy.IPv6CNI, a.Cluster.Partition),
			Tags:   a.Tags,
		}, pulumi.Parent(c))
		if err != nil {
			return nil, err
		}
		c.add(cni)
		c.ipv6CNI = cni.Arn
	}
	arns["IPv6CNI"] = c.ipv6CNI
	return arns, nil
}

// profile registers the instance profile of a role of nodes and returns its
// name.
func (c *KarpenterIAM) profile(ctx *pulumi.Context, name string, a KarpenterIAMArgs, what string, role pulumi.StringInput) (pulumi.StringOutput, error) {
	profile, err := iam.NewInstanceProfile(ctx, name+"-profile", &iam.InstanceProfileArgs{
		Name: a.Cluster.named(a.NamePrefix, func(n names.Names) string { return n.InstanceProfile(what) }),
		Path: pulumi.String(a.RolePath),
		Role: role,
		Tags: a.Tags,
	}, pulumi.Parent(c))
	if err != nil {
		return pulumi.StringOutput{}, fmt.Errorf("creating instance profile: %w", err)
	}
	c.add(profile)
	return profile.Name, nil
}
