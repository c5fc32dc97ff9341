package components

import (
	"fmt"
	"maps"
	"slices"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/internal/names"
	"github.com/valohai/pulumi-kubernetes-autoscaling/components/policy"
	"github.com/valohai/pulumi-kubernetes-autoscaling/components/release"
)

// KarpenterIAMToken is the type token of KarpenterIAM.
const KarpenterIAMToken = "kubernetes-autoscaling:index:KarpenterIAM"

// KarpenterIAMArgs are the arguments of NewKarpenterIAM.
type KarpenterIAMArgs struct {
	// Cluster is the EKS cluster. Required, with its OIDC issuer and provider.
	Cluster *Cluster
	// Version is the Karpenter release whose permissions to grant, such as
	// "1.15.2". Default: release.Newest.
	Version string
	// QueueArn is the interruption queue. Default: none, and no permission to
	// read one.
	QueueArn pulumi.StringInput
	// Namespace and ServiceAccount of the controller: nobody else may become the
	// controller role. Default: "kube-system" and "karpenter".
	Namespace, ServiceAccount string
	// NodeRoleName and ControllerRoleName are the names of the roles, bare, of at
	// most 64 characters. Default: KarpenterNodeRole-CLUSTER and
	// KarpenterControllerRole-CLUSTER, shortened if need be.
	NodeRoleName, ControllerRoleName string
	// RolePath is the IAM path of roles and policies, such as "/team/". Default:
	// "/".
	RolePath string
	// PermissionsBoundaryArn is the permissions boundary of both roles. Default:
	// none.
	PermissionsBoundaryArn pulumi.StringPtrInput
	// EnableInlinePolicy writes the controller's permissions as one inline policy
	// instead of managed ones, where those are not allowed.
	EnableInlinePolicy bool
	// NodeRoleAdditionalPolicies are ARNs of further managed policies for the
	// node role, by a name of the user's choice.
	NodeRoleAdditionalPolicies map[string]pulumi.StringInput
	// Tags are set on the roles and policies.
	Tags pulumi.StringMapInput
}

// KarpenterIAM is the node role and the controller role of Karpenter.
//
// The controller role has the permissions of the chosen release, as the managed
// policies into which the reference template splits them, and may be assumed by
// one service account of the cluster only.
type KarpenterIAM struct {
	pulumi.ResourceState
	members

	// ControllerRoleArn and ControllerRoleName are the role of the controller.
	ControllerRoleArn  pulumi.StringOutput `pulumi:"controllerRoleArn"`
	ControllerRoleName pulumi.StringOutput `pulumi:"controllerRoleName"`
	// NodeRoleArn and NodeRoleName are the role of the nodes. The name is bare:
	// an EC2NodeClass wants it without a path.
	NodeRoleArn  pulumi.StringOutput `pulumi:"nodeRoleArn"`
	NodeRoleName pulumi.StringOutput `pulumi:"nodeRoleName"`
}

// NewKarpenterIAM registers a KarpenterIAM.
func NewKarpenterIAM(ctx *pulumi.Context, name string, args *KarpenterIAMArgs, opts ...pulumi.ResourceOption) (*KarpenterIAM, error) {
	a := KarpenterIAMArgs{}
	if args != nil {
		a = *args
	}
	a.Namespace = defaulted(a.Namespace, release.DefaultNamespace)
	a.ServiceAccount = defaulted(a.ServiceAccount, release.DefaultServiceAccount)
	a.RolePath = defaulted(a.RolePath, "/")
	var f faults
	rel := f.common(a.Cluster, a.Version)
	a.check(&f)
	if err := f.of("KarpenterIAM", name); err != nil {
		return nil, err
	}
	c := &KarpenterIAM{}
	if err := ctx.RegisterComponentResource(KarpenterIAMToken, name, c, opts...); err != nil {
		return nil, err
	}
	if err := c.nodeRole(ctx, name, a, rel); err != nil {
		return nil, fmt.Errorf("creating node role: %w", err)
	}
	if err := c.controllerRole(ctx, name, a, rel); err != nil {
		return nil, fmt.Errorf("creating controller role: %w", err)
	}
	return c, ctx.RegisterResourceOutputs(c, pulumi.Map{
		"controllerRoleArn":  c.ControllerRoleArn,
		"controllerRoleName": c.ControllerRoleName,
		"nodeRoleArn":        c.NodeRoleArn,
		"nodeRoleName":       c.NodeRoleName,
	})
}

// check adds the faults of the component's own arguments.
func (a KarpenterIAMArgs) check(f *faults) {
	for field, name := range map[string]string{"NodeRoleName": a.NodeRoleName, "ControllerRoleName": a.ControllerRoleName} {
		if name != "" {
			f.wrap(field, names.CheckRole(name))
		}
	}
	f.wrap("RolePath", names.CheckPath(defaulted(a.RolePath, "/")))
	if a.Cluster == nil {
		return
	}
	f.require("Cluster.OidcIssuer", a.Cluster.OidcIssuer != nil)
	if a.Cluster.OidcProviderArn == nil {
		f.add("Cluster.OidcProviderArn", "IAM has no OIDC provider for the cluster's issuer",
			"create one: eksctl utils associate-iam-oidc-provider --cluster CLUSTER --approve")
	}
}

// nodeRole registers the role of the nodes and attaches its policies.
func (c *KarpenterIAM) nodeRole(ctx *pulumi.Context, name string, a KarpenterIAMArgs, rel release.Release) error {
	role, err := iam.NewRole(ctx, name+"-node", &iam.RoleArgs{
		Name:                nameOr(a.NodeRoleName, names.NodeRole, a.Cluster.Name),
		Path:                pulumi.String(a.RolePath),
		Description:         pulumi.Sprintf("Nodes that Karpenter makes for EKS cluster %s", a.Cluster.Name),
		AssumeRolePolicy:    documentOf(policy.NodeTrust, a.Cluster.Partition),
		PermissionsBoundary: a.PermissionsBoundaryArn,
		Tags:                a.Tags,
	}, pulumi.Parent(c))
	if err != nil {
		return err
	}
	c.add(role)
	arns := map[string]pulumi.StringInput{}
	ipv6 := a.Cluster.IpFamily == familyIPv6
	for _, managed := range policy.NodeManagedPolicies(rel.PullsImagesOnly, ipv6) {
		arns[managed] = stringOf(func(partition string) string { return policy.ManagedPolicyArn(partition, managed) }, a.Cluster.Partition)
	}
	if ipv6 {
		cni, err := iam.NewPolicy(ctx, name+"-node-IPv6CNI", &iam.PolicyArgs{
			Name:   stringOf(func(cluster string) string { return names.NodePolicy(cluster, "IPv6CNI") }, a.Cluster.Name),
			Path:   pulumi.String(a.RolePath),
			Policy: documentOf(policy.IPv6CNI, a.Cluster.Partition),
			Tags:   a.Tags,
		}, pulumi.Parent(c))
		if err != nil {
			return err
		}
		c.add(cni)
		arns["IPv6CNI"] = cni.Arn
	}
	maps.Copy(arns, a.NodeRoleAdditionalPolicies)
	for _, key := range slices.Sorted(maps.Keys(arns)) {
		attachment, err := iam.NewRolePolicyAttachment(ctx, name+"-node-"+key, &iam.RolePolicyAttachmentArgs{
			Role: role.Name, PolicyArn: arns[key],
		}, pulumi.Parent(c))
		if err != nil {
			return err
		}
		c.add(attachment)
	}
	c.NodeRoleArn, c.NodeRoleName = role.Arn, role.Name
	return nil
}

// controllerRole registers the role of the controller and its policies.
func (c *KarpenterIAM) controllerRole(ctx *pulumi.Context, name string, a KarpenterIAMArgs, rel release.Release) error {
	sa := policy.ServiceAccount{Namespace: a.Namespace, Name: a.ServiceAccount}
	trust := pulumi.All(a.Cluster.OidcProviderArn, a.Cluster.OidcIssuer).ApplyT(func(v []any) string {
		return policy.IRSATrust(v[0].(string), v[1].(string), sa).JSON()
	}).(pulumi.StringOutput)
	role, err := iam.NewRole(ctx, name+"-controller", &iam.RoleArgs{
		Name:                nameOr(a.ControllerRoleName, names.ControllerRole, a.Cluster.Name),
		Path:                pulumi.String(a.RolePath),
		Description:         pulumi.Sprintf("Karpenter controller of EKS cluster %s", a.Cluster.Name),
		AssumeRolePolicy:    trust,
		PermissionsBoundary: a.PermissionsBoundaryArn,
		Tags:                a.Tags,
	}, pulumi.Parent(c))
	if err != nil {
		return err
	}
	c.add(role)
	c.ControllerRoleArn, c.ControllerRoleName = role.Arn, role.Name
	groups := policy.Groups(rel, policy.Features{InterruptionQueue: a.QueueArn != nil})
	if a.EnableInlinePolicy {
		inline, err := iam.NewRolePolicy(ctx, name+"-controller", &iam.RolePolicyArgs{
			Name:   pulumi.String("KarpenterController"),
			Role:   role.Name,
			Policy: c.controllerDocument(a, func(in policy.ControllerInput) policy.Document { return policy.ControllerInline(rel, groups, in) }),
		}, pulumi.Parent(c))
		c.add(inline)
		return err
	}
	for _, group := range groups {
		if err := c.controllerPolicy(ctx, name+"-controller-"+string(group), a, rel, group); err != nil {
			return err
		}
	}
	return nil
}

// controllerPolicy registers the managed policy of one group and attaches it.
func (c *KarpenterIAM) controllerPolicy(ctx *pulumi.Context, name string, a KarpenterIAMArgs, rel release.Release, group policy.Group) error {
	managed, err := iam.NewPolicy(ctx, name, &iam.PolicyArgs{
		Name:        stringOf(func(cluster string) string { return names.ControllerPolicy(cluster, string(group)) }, a.Cluster.Name),
		Path:        pulumi.String(a.RolePath),
		Description: pulumi.Sprintf("Karpenter controller of EKS cluster %s", a.Cluster.Name),
		Policy:      c.controllerDocument(a, func(in policy.ControllerInput) policy.Document { return policy.Controller(rel, group, in) }),
		Tags:        a.Tags,
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

// controllerDocument renders a document of the controller's permissions.
func (c *KarpenterIAM) controllerDocument(a KarpenterIAMArgs, render func(policy.ControllerInput) policy.Document) pulumi.StringOutput {
	queueArn := a.QueueArn
	if queueArn == nil {
		queueArn = pulumi.String("")
	}
	return pulumi.All(a.Cluster.Partition, a.Cluster.Region, a.Cluster.AccountId, a.Cluster.Name, c.NodeRoleArn, queueArn).
		ApplyT(func(v []any) string {
			return render(policy.ControllerInput{
				Partition: v[0].(string), Region: v[1].(string), Account: v[2].(string), Cluster: v[3].(string),
				NodeRoleArn: v[4].(string), QueueArn: v[5].(string),
			}).JSON()
		}).(pulumi.StringOutput)
}
