package components

import (
	"fmt"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/eks"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/internal/names"
	"github.com/valohai/pulumi-kubernetes-autoscaling/components/policy"
	"github.com/valohai/pulumi-kubernetes-autoscaling/components/release"
)

// controllerRole registers the role of the controller, its policies, and how
// the controller becomes it.
func (c *KarpenterIAM) controllerRole(ctx *pulumi.Context, name string, a KarpenterIAMArgs, rel release.Release) error {
	trust, err := c.trust(ctx, name, a)
	if err != nil {
		return err
	}
	role, err := c.role(ctx, name+"-controller", a, &iam.RoleArgs{
		Name:             nameOr(a.ControllerRoleName, a.Cluster.named(a.NamePrefix, names.Names.ControllerRole)),
		Description:      pulumi.Sprintf("Karpenter controller of EKS cluster %s", a.Cluster.Name),
		AssumeRolePolicy: trust,
	})
	if err != nil {
		return err
	}
	c.ControllerRoleArn, c.ControllerRoleName = role.Arn, role.Name
	if err := c.permissions(ctx, name+"-controller", a, rel); err != nil {
		return err
	}
	if a.Identity != PodIdentity {
		return nil
	}
	association, err := eks.NewPodIdentityAssociation(ctx, name+"-association", &eks.PodIdentityAssociationArgs{
		ClusterName:    a.Cluster.Name,
		Namespace:      pulumi.String(a.Namespace),
		ServiceAccount: pulumi.String(a.ServiceAccount),
		RoleArn:        role.Arn,
		Tags:           a.Tags,
	}, pulumi.Parent(c))
	c.add(association)
	return err
}

// trust returns who may become the controller role, and registers the OIDC
// provider if one is to be made.
func (c *KarpenterIAM) trust(ctx *pulumi.Context, name string, a KarpenterIAMArgs) (pulumi.StringOutput, error) {
	sa := policy.ServiceAccount{Namespace: a.Namespace, Name: a.ServiceAccount}
	if a.Identity == PodIdentity {
		cluster := a.Cluster.arn("eks", pulumi.Sprintf("cluster/%s", a.Cluster.Name))
		return documentOf(func(arn string) policy.Document { return policy.PodIdentityTrust(arn, sa) }, cluster), nil
	}
	provider := a.Cluster.OidcProviderArn
	if provider == nil || a.CreateOidcProvider && a.Cluster.OwnsOidcProvider {
		made, err := iam.NewOpenIdConnectProvider(ctx, name+"-oidc", &iam.OpenIdConnectProviderArgs{
			Url:           stringOf(func(issuer string) string { return "https://" + policy.IssuerHost(issuer) }, a.Cluster.OidcIssuer),
			ClientIdLists: pulumi.StringArray{pulumi.String("sts.amazonaws.com")},
			Tags:          withOwner(a.Tags),
		}, pulumi.Parent(c))
		if err != nil {
			return pulumi.StringOutput{}, fmt.Errorf("creating OIDC provider: %w", err)
		}
		c.add(made)
		provider = made.Arn
	}
	c.OidcProviderArn = provider.ToStringOutput()
	return pulumi.All(provider, a.Cluster.OidcIssuer).ApplyT(func(v []any) string {
		return policy.IRSATrust(v[0].(string), v[1].(string), sa).JSON()
	}).(pulumi.StringOutput), nil
}

// permissions registers what the controller may do.
func (c *KarpenterIAM) permissions(ctx *pulumi.Context, name string, a KarpenterIAMArgs, rel release.Release) error {
	groups := policy.Groups(rel, policy.Features{
		InterruptionQueue: a.QueueArn != nil,
		ZonalShift:        a.EnableZonalShift,
		VolumeEncryption:  len(a.VolumeKmsKeyArns) > 0,
		Additional:        len(a.AdditionalStatements) > 0,
	})
	if a.EnableInlinePolicy {
		inline, err := iam.NewRolePolicy(ctx, name, &iam.RolePolicyArgs{
			Name: pulumi.String("KarpenterController"),
			Role: c.ControllerRoleName,
			Policy: c.document(a, policy.MaxInlineSize, func(in policy.ControllerInput) policy.Document {
				return policy.ControllerInline(rel, groups, in)
			}),
		}, pulumi.Parent(c))
		c.add(inline)
		return err
	}
	for _, group := range groups {
		if err := c.managedPolicy(ctx, name+"-"+string(group), a, rel, group); err != nil {
			return err
		}
	}
	return nil
}

// managedPolicy registers the managed policy of one group and attaches it.
func (c *KarpenterIAM) managedPolicy(ctx *pulumi.Context, name string, a KarpenterIAMArgs, rel release.Release, group policy.Group) error {
	managed, err := iam.NewPolicy(ctx, name, &iam.PolicyArgs{
		Name:        a.Cluster.named(a.NamePrefix, func(n names.Names) string { return n.ControllerPolicy(string(group)) }),
		Path:        pulumi.String(a.RolePath),
		Description: pulumi.Sprintf("Karpenter controller of EKS cluster %s", a.Cluster.Name),
		Policy: c.document(a, policy.MaxManagedSize, func(in policy.ControllerInput) policy.Document {
			return policy.Controller(rel, group, in)
		}),
		Tags: a.Tags,
	}, pulumi.Parent(c))
	if err != nil {
		return err
	}
	attachment, err := iam.NewRolePolicyAttachment(ctx, name, &iam.RolePolicyAttachmentArgs{
		Role: c.ControllerRoleName, PolicyArn: managed.Arn,
	}, pulumi.Parent(c))
	c.add(managed, attachment)
	return err
}

// document renders a document of the controller's permissions, and refuses one
// that IAM would refuse.
func (c *KarpenterIAM) document(a KarpenterIAMArgs, limit int, render func(policy.ControllerInput) policy.Document) pulumi.StringOutput {
	return pulumi.All(
		a.Cluster.Partition, a.Cluster.Region, a.Cluster.AccountId, a.Cluster.Name, c.NodeRoleArn, c.WindowsNodeRoleArn,
		orEmpty(a.QueueArn), orEmpty(a.QueueKmsMasterKeyId), append(pulumi.StringArray{}, a.VolumeKmsKeyArns...),
	).ApplyT(func(v []any) (string, error) {
		in := policy.ControllerInput{
			Partition: v[0].(string), Region: v[1].(string), Account: v[2].(string), Cluster: v[3].(string),
			NodeRoleArns: policy.List{v[4].(string)}, GivesInstanceProfile: a.CreateInstanceProfile,
			QueueArn: v[6].(string), QueueKmsKeyArn: v[7].(string), VolumeKmsKeyArns: v[8].([]string),
			Additional: a.AdditionalStatements,
		}
		if windows := v[5].(string); windows != "" {
			in.NodeRoleArns = append(in.NodeRoleArns, windows)
		}
		document := render(in)
		return document.JSON(), document.CheckSize(limit)
	}).(pulumi.StringOutput)
}
