package components

import (
	"fmt"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/internal/names"
	"github.com/valohai/pulumi-kubernetes-autoscaling/components/policy"
	"github.com/valohai/pulumi-kubernetes-autoscaling/components/release"
)

// KarpenterIAMToken is the type token of KarpenterIAM.
const KarpenterIAMToken = "kubernetes-autoscaling:index:KarpenterIAM"

// How the controller becomes its role.
const (
	// IRSA is through the cluster's OIDC provider in IAM.
	IRSA = "IRSA"
	// PodIdentity is through the add-on eks-pod-identity-agent.
	PodIdentity = "PodIdentity"
)

// podIdentityAgent is the add-on that Pod Identity needs.
const podIdentityAgent = "eks-pod-identity-agent"

// maxAdditionalPolicies leaves room for the policies that nodes need, below the
// 20 that IAM attaches to a role at most.
const maxAdditionalPolicies = 16

// KarpenterIAMArgs are the arguments of NewKarpenterIAM.
type KarpenterIAMArgs struct {
	// Cluster is the EKS cluster. Required, for IRSA with its OIDC issuer.
	Cluster *Cluster
	// Version is the Karpenter release whose permissions to grant, such as
	// "1.15.2". Default: release.Newest.
	Version string
	// Identity is IRSA or PodIdentity. Default: IRSA.
	Identity string
	// CreateOidcProvider makes the IAM OIDC provider of the cluster's issuer where
	// the account has none. Everything that uses IRSA in the cluster shares it,
	// and it goes when the component goes.
	CreateOidcProvider bool
	// Namespace and ServiceAccount of the controller: nobody else may become the
	// controller role. Default: "kube-system" and "karpenter".
	Namespace, ServiceAccount string

	// NamePrefix starts the names of roles, policies and profiles, at most 20
	// letters, digits, - and _. Default: "Karpenter".
	NamePrefix string
	// NodeRoleName and ControllerRoleName are the names of the roles, bare, of at
	// most 64 characters. Default: KarpenterNodeRole-CLUSTER and
	// KarpenterControllerRole-CLUSTER, shortened if need be.
	NodeRoleName, ControllerRoleName string
	// RolePath is the IAM path of roles, policies and profiles, such as "/team/".
	// Default: "/".
	RolePath string
	// PermissionsBoundaryArn is the permissions boundary of all roles. Default:
	// none.
	PermissionsBoundaryArn pulumi.StringPtrInput
	// Tags are set on everything that the component makes.
	Tags pulumi.StringMapInput

	// NodeRoleArn is a role that is there already, by its full ARN, to use for
	// the nodes. It is left as it is: it must be one that EC2 may assume, with
	// the policies that nodes need. Default: none, and a role is made.
	NodeRoleArn string
	// NodeRoleAdditionalPolicies are ARNs of further managed policies for the
	// node roles that are made, by a name of the user's choice.
	NodeRoleAdditionalPolicies map[string]pulumi.StringInput
	// EnableWindows makes a second role, for Windows nodes: a role can have one
	// access entry only, and Windows nodes need one of another type.
	EnableWindows bool
	// CreateInstanceProfile makes an instance profile for each role of nodes, and
	// leaves the controller without the permission to make any. An isolated VPC
	// needs it: IAM has no endpoint there.
	CreateInstanceProfile bool

	// QueueArn is the interruption queue. Default: none, and no permission to
	// read one.
	QueueArn pulumi.StringInput
	// QueueKmsMasterKeyId is your own key, by its ARN, that encrypts the queue.
	// Default: none.
	QueueKmsMasterKeyId pulumi.StringInput
	// VolumeKmsKeyArns are your own keys, by their ARNs, that encrypt volumes of
	// nodes. Default: none.
	VolumeKmsKeyArns []pulumi.StringInput
	// EnableZonalShift lets the controller see zonal shifts of the cluster.
	EnableZonalShift bool
	// AdditionalStatements are statements that you add to what the controller may
	// do, in IAM's own words. Default: none.
	AdditionalStatements []policy.Statement
	// EnableInlinePolicy writes the controller's permissions as one inline policy
	// instead of managed ones, where those are not allowed.
	EnableInlinePolicy bool
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
	// WindowsNodeRoleArn and WindowsNodeRoleName are the role of Windows nodes,
	// and empty without EnableWindows.
	WindowsNodeRoleArn  pulumi.StringOutput `pulumi:"windowsNodeRoleArn"`
	WindowsNodeRoleName pulumi.StringOutput `pulumi:"windowsNodeRoleName"`
	// InstanceProfileName and WindowsInstanceProfileName are bare names, and empty
	// without CreateInstanceProfile.
	InstanceProfileName        pulumi.StringOutput `pulumi:"instanceProfileName"`
	WindowsInstanceProfileName pulumi.StringOutput `pulumi:"windowsInstanceProfileName"`
	// OidcProviderArn is the provider that the controller role trusts, and empty
	// with PodIdentity.
	OidcProviderArn pulumi.StringOutput `pulumi:"oidcProviderArn"`

	// ipv6CNI is the policy that all node roles of an IPv6 cluster share.
	ipv6CNI pulumi.StringInput
}

// NewKarpenterIAM registers a KarpenterIAM.
func NewKarpenterIAM(ctx *pulumi.Context, name string, args *KarpenterIAMArgs, opts ...pulumi.ResourceOption) (*KarpenterIAM, error) {
	a := KarpenterIAMArgs{}
	if args != nil {
		a = *args
	}
	a.Identity = defaulted(a.Identity, IRSA)
	a.Namespace = defaulted(a.Namespace, release.DefaultNamespace)
	a.ServiceAccount = defaulted(a.ServiceAccount, release.DefaultServiceAccount)
	a.RolePath = defaulted(a.RolePath, "/")
	var f faults
	rel := f.common(a.Cluster, a.Version)
	a.check(&f, rel)
	if err := f.of("KarpenterIAM", name); err != nil {
		return nil, err
	}
	c := &KarpenterIAM{}
	if err := ctx.RegisterComponentResource(KarpenterIAMToken, name, c, opts...); err != nil {
		return nil, err
	}
	// Registering gave the outputs new values, so that these come after it.
	none := pulumi.String("").ToStringOutput()
	c.WindowsNodeRoleArn, c.WindowsNodeRoleName = none, none
	c.InstanceProfileName, c.WindowsInstanceProfileName, c.OidcProviderArn = none, none, none
	if err := c.nodeRoles(ctx, name, a, rel); err != nil {
		return nil, err
	}
	if err := c.controllerRole(ctx, name, a, rel); err != nil {
		return nil, fmt.Errorf("creating controller role: %w", err)
	}
	return c, ctx.RegisterResourceOutputs(c, pulumi.Map{
		"controllerRoleArn":          c.ControllerRoleArn,
		"controllerRoleName":         c.ControllerRoleName,
		"nodeRoleArn":                c.NodeRoleArn,
		"nodeRoleName":               c.NodeRoleName,
		"windowsNodeRoleArn":         c.WindowsNodeRoleArn,
		"windowsNodeRoleName":        c.WindowsNodeRoleName,
		"instanceProfileName":        c.InstanceProfileName,
		"windowsInstanceProfileName": c.WindowsInstanceProfileName,
		"oidcProviderArn":            c.OidcProviderArn,
	})
}

// check adds the faults of the component's own arguments.
func (a KarpenterIAMArgs) check(f *faults, rel release.Release) {
	a.checkNames(f)
	a.checkNodeRole(f)
	f.keyArn("QueueKmsMasterKeyId", a.QueueKmsMasterKeyId)
	if a.QueueKmsMasterKeyId != nil && a.QueueArn == nil {
		f.add("QueueKmsMasterKeyId", "there is no queue", "leave it out, or switch the interruption queue on")
	}
	for i, key := range a.VolumeKmsKeyArns {
		f.keyArn(fmt.Sprintf("VolumeKmsKeyArns[%d]", i), key)
	}
	f.zonalShift(rel, a.EnableZonalShift)
	f.include(policy.CheckStatements("AdditionalStatements", a.AdditionalStatements))
	switch defaulted(a.Identity, IRSA) {
	case IRSA:
		a.checkIRSA(f)
	case PodIdentity:
		a.checkPodIdentity(f)
	default:
		f.add("Identity", fmt.Sprintf("found %q", a.Identity), "use IRSA or PodIdentity, or leave it out for IRSA")
	}
}

func (a KarpenterIAMArgs) checkNodeRole(f *faults) {
	if a.NodeRoleArn != "" {
		f.wrap("NodeRoleArn", names.CheckRoleArn(a.NodeRoleArn))
		if a.NodeRoleName != "" || len(a.NodeRoleAdditionalPolicies) > 0 {
			f.add("NodeRoleArn", fmt.Sprintf("found %q beside NodeRoleName or NodeRoleAdditionalPolicies", a.NodeRoleArn),
				"leave those out: a role that is there already is left as it is")
		}
	}
	if n := len(a.NodeRoleAdditionalPolicies); n > maxAdditionalPolicies {
		f.add("NodeRoleAdditionalPolicies", fmt.Sprintf("found %d", n),
			fmt.Sprintf("use at most %d: IAM attaches at most 20 to a role, and nodes need some of their own", maxAdditionalPolicies))
	}
}

func (a KarpenterIAMArgs) checkNames(f *faults) {
	f.optional("NamePrefix", a.NamePrefix, names.CheckPrefix)
	f.optional("NodeRoleName", a.NodeRoleName, names.CheckRole)
	f.optional("ControllerRoleName", a.ControllerRoleName, names.CheckRole)
	f.wrap("RolePath", names.CheckPath(defaulted(a.RolePath, "/")))
}

func (a KarpenterIAMArgs) checkIRSA(f *faults) {
	if a.Cluster == nil {
		return
	}
	f.require("Cluster.OidcIssuer", a.Cluster.OidcIssuer != nil)
	if a.Cluster.OidcProviderArn == nil && !a.CreateOidcProvider {
		f.add("Cluster.OidcProviderArn", "IAM has no OIDC provider for the cluster's issuer",
			"create one: eksctl utils associate-iam-oidc-provider --cluster CLUSTER --approve; or let this stack do it "+
				"(CreateOidcProvider); or use Pod Identity (Identity)")
	}
}

func (a KarpenterIAMArgs) checkPodIdentity(f *faults) {
	if a.CreateOidcProvider {
		f.add("CreateOidcProvider", "PodIdentity needs no OIDC provider", "leave it out")
	}
	if a.Cluster != nil && a.Cluster.LacksPodIdentityAgent {
		f.add("Identity", "found PodIdentity, and the cluster lacks the add-on "+podIdentityAgent,
			"add it: aws eks create-addon --cluster-name CLUSTER --addon-name "+podIdentityAgent+"; or use IRSA")
	}
}

// role registers a role with the options that all roles share.
func (c *KarpenterIAM) role(ctx *pulumi.Context, name string, a KarpenterIAMArgs, role *iam.RoleArgs) (*iam.Role, error) {
	role.Path = pulumi.String(a.RolePath)
	role.PermissionsBoundary = a.PermissionsBoundaryArn
	role.Tags = a.Tags
	made, err := iam.NewRole(ctx, name, role, pulumi.Parent(c))
	c.add(made)
	return made, err
}
