package main

import (
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/eks"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ssm"
)

// functionMapping maps one Terraform data source to the SDK.
type functionMapping struct {
	token  string
	args   any // the SDK's arguments
	result any // the SDK's result
}

// functions maps Terraform's data sources.
var functions = map[string]functionMapping{
	"aws_eks_cluster": {
		token: "aws:eks/getCluster:getCluster", args: eks.LookupClusterArgs{}, result: eks.LookupClusterResult{},
	},
	"aws_eks_cluster_auth": {
		token: "aws:eks/getClusterAuth:getClusterAuth",
		args:  eks.GetClusterAuthArgs{}, result: eks.GetClusterAuthResult{},
	},
	"aws_eks_node_groups": {
		token: "aws:eks/getNodeGroups:getNodeGroups", args: eks.GetNodeGroupsArgs{}, result: eks.GetNodeGroupsResult{},
	},
	"aws_eks_node_group": {
		token: "aws:eks/getNodeGroup:getNodeGroup",
		args:  eks.LookupNodeGroupArgs{}, result: eks.LookupNodeGroupResult{},
	},
	"aws_eks_addon": {
		token: "aws:eks/getAddon:getAddon", args: eks.LookupAddonArgs{}, result: eks.LookupAddonResult{},
	},
	"aws_eks_access_entry": {
		token: "aws:eks/getAccessEntry:getAccessEntry",
		args:  eks.LookupAccessEntryArgs{}, result: eks.LookupAccessEntryResult{},
	},
	"aws_caller_identity": {
		token: "aws:index/getCallerIdentity:getCallerIdentity",
		args:  aws.GetCallerIdentityArgs{}, result: aws.GetCallerIdentityResult{},
	},
	"aws_partition": {
		token: "aws:index/getPartition:getPartition", args: aws.GetPartitionArgs{}, result: aws.GetPartitionResult{},
	},
	"aws_region": {
		token: "aws:index/getRegion:getRegion", args: aws.GetRegionArgs{}, result: aws.GetRegionResult{},
	},
	"aws_iam_policy_document": {
		token: "aws:iam/getPolicyDocument:getPolicyDocument",
		args:  iam.GetPolicyDocumentArgs{}, result: iam.GetPolicyDocumentResult{},
	},
	"aws_iam_openid_connect_provider": {
		token: "aws:iam/getOpenIdConnectProvider:getOpenIdConnectProvider",
		args:  iam.LookupOpenIdConnectProviderArgs{}, result: iam.LookupOpenIdConnectProviderResult{},
	},
	"aws_iam_role": {
		token: "aws:iam/getRole:getRole", args: iam.LookupRoleArgs{}, result: iam.LookupRoleResult{},
	},
	"aws_subnets": {
		token: "aws:ec2/getSubnets:getSubnets", args: ec2.GetSubnetsArgs{}, result: ec2.GetSubnetsResult{},
	},
	"aws_subnet": {
		token: "aws:ec2/getSubnet:getSubnet", args: ec2.LookupSubnetArgs{}, result: ec2.LookupSubnetResult{},
	},
	"aws_vpc": {
		token: "aws:ec2/getVpc:getVpc", args: ec2.LookupVpcArgs{}, result: ec2.LookupVpcResult{},
	},
	"aws_ssm_parameter": {
		token: "aws:ssm/getParameter:getParameter", args: ssm.LookupParameterArgs{}, result: ssm.LookupParameterResult{},
	},
}
