package main

import (
	"context"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/cloudwatch"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/eks"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/sqs"
	"github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfbridge/info"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

// resourceMapping maps one Terraform resource to the SDK.
type resourceMapping struct {
	token    string
	args     any // the SDK's arguments
	state    any // the SDK's state
	autoName autoName
	adjust   func(*info.Resource) // what neither the schema nor the SDK's types tell
}

// autoName is the attribute that gets a generated name, and its longest value.
type autoName struct {
	attribute string
	maxLength int
}

// resources maps Terraform's resource types. The types of the SDK are checked
// against the provider's schema by the conformance test.
var resources = map[string]resourceMapping{
	"aws_iam_role": {
		token: "aws:iam/role:Role", args: iam.RoleArgs{}, state: iam.RoleState{},
		autoName: autoName{"name", 64},
	},
	"aws_iam_role_policy_attachment": {
		token: "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
		args:  iam.RolePolicyAttachmentArgs{}, state: iam.RolePolicyAttachmentState{},
		adjust: deleteBeforeReplace,
	},
	"aws_iam_role_policy": {
		token: "aws:iam/rolePolicy:RolePolicy", args: iam.RolePolicyArgs{}, state: iam.RolePolicyState{},
		autoName: autoName{"name", 255},
	},
	"aws_iam_policy": {
		token: "aws:iam/policy:Policy", args: iam.PolicyArgs{}, state: iam.PolicyState{},
		autoName: autoName{"name", 255},
	},
	"aws_iam_instance_profile": {
		token: "aws:iam/instanceProfile:InstanceProfile",
		args:  iam.InstanceProfileArgs{}, state: iam.InstanceProfileState{},
		autoName: autoName{"name", 255},
	},
	"aws_iam_openid_connect_provider": {
		token: "aws:iam/openIdConnectProvider:OpenIdConnectProvider",
		args:  iam.OpenIdConnectProviderArgs{}, state: iam.OpenIdConnectProviderState{},
	},
	"aws_ec2_tag": {
		token: "aws:ec2/tag:Tag", args: ec2.TagArgs{}, state: ec2.TagState{},
	},
	"aws_vpc": {
		token: "aws:ec2/vpc:Vpc", args: ec2.VpcArgs{}, state: ec2.VpcState{},
	},
	"aws_subnet": {
		token: "aws:ec2/subnet:Subnet", args: ec2.SubnetArgs{}, state: ec2.SubnetState{},
	},
	"aws_security_group": {
		token: "aws:ec2/securityGroup:SecurityGroup", args: ec2.SecurityGroupArgs{}, state: ec2.SecurityGroupState{},
		autoName: autoName{"name", 255}, adjust: describeSecurityGroup,
	},
	"aws_eks_access_entry": {
		token: "aws:eks/accessEntry:AccessEntry", args: eks.AccessEntryArgs{}, state: eks.AccessEntryState{},
	},
	"aws_eks_pod_identity_association": {
		token: "aws:eks/podIdentityAssociation:PodIdentityAssociation",
		args:  eks.PodIdentityAssociationArgs{}, state: eks.PodIdentityAssociationState{},
	},
	"aws_eks_addon": {
		token: "aws:eks/addon:Addon", args: eks.AddonArgs{}, state: eks.AddonState{},
	},
	"aws_eks_cluster": {
		token: "aws:eks/cluster:Cluster", args: eks.ClusterArgs{}, state: eks.ClusterState{},
		autoName: autoName{"name", 255}, adjust: addCertificateAuthority,
	},
	"aws_eks_node_group": {
		token: "aws:eks/nodeGroup:NodeGroup", args: eks.NodeGroupArgs{}, state: eks.NodeGroupState{},
		autoName: autoName{"node_group_name", 255},
	},
	"aws_sqs_queue": {
		token: "aws:sqs/queue:Queue", args: sqs.QueueArgs{}, state: sqs.QueueState{},
		autoName: autoName{"name", 80},
	},
	"aws_sqs_queue_policy": {
		token: "aws:sqs/queuePolicy:QueuePolicy", args: sqs.QueuePolicyArgs{}, state: sqs.QueuePolicyState{},
	},
	"aws_cloudwatch_event_rule": {
		token: "aws:cloudwatch/eventRule:EventRule",
		args:  cloudwatch.EventRuleArgs{}, state: cloudwatch.EventRuleState{},
		autoName: autoName{"name", 64},
	},
	"aws_cloudwatch_event_target": {
		token: "aws:cloudwatch/eventTarget:EventTarget",
		args:  cloudwatch.EventTargetArgs{}, state: cloudwatch.EventTargetState{},
		autoName: autoName{"target_id", 255},
	},
}

// deleteBeforeReplace: AWS knows an attachment by its role and its policy, so
// a new one cannot exist beside the old one.
func deleteBeforeReplace(r *info.Resource) { r.DeleteBeforeReplace = true }

// describeSecurityGroup gives the description that the SDK's users know.
func describeSecurityGroup(r *info.Resource) {
	r.Fields["description"] = &info.Schema{Default: &info.Default{Value: "Managed by Pulumi"}}
}

// addCertificateAuthority adds the property that the SDK has beside
// certificateAuthorities: the first of them.
func addCertificateAuthority(r *info.Resource) {
	r.TransformOutputs = func(_ context.Context, props resource.PropertyMap) (resource.PropertyMap, error) {
		if v := props["certificateAuthorities"]; v.IsArray() && len(v.ArrayValue()) > 0 {
			props = props.Copy()
			props["certificateAuthority"] = v.ArrayValue()[0]
		}
		return props, nil
	}
}
