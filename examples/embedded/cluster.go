package main

import (
	"encoding/json"
	"strconv"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/eks"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components"
)

// kubernetesVersion and the authentication mode are this program's own choice,
// so they are known when nothing else of the cluster is.
const (
	kubernetesVersion  = "1.34"
	authenticationMode = "API"
)

// newCluster makes an EKS cluster with one managed node group and returns its
// facts and the node group.
func newCluster(ctx *pulumi.Context, subnetIds []string) (*components.Cluster, pulumi.Resource, error) {
	role, err := serviceRole(ctx, "cluster", "eks.amazonaws.com", "AmazonEKSClusterPolicy")
	if err != nil {
		return nil, nil, err
	}
	cluster, err := eks.NewCluster(ctx, "ml", &eks.ClusterArgs{
		RoleArn: role.Arn,
		Version: pulumi.String(kubernetesVersion),
		AccessConfig: &eks.ClusterAccessConfigArgs{
			AuthenticationMode: pulumi.String(authenticationMode),
			// Without it, this program itself has no access to the cluster.
			BootstrapClusterCreatorAdminPermissions: pulumi.Bool(true),
		},
		VpcConfig: &eks.ClusterVpcConfigArgs{SubnetIds: pulumi.ToStringArray(subnetIds)},
	})
	if err != nil {
		return nil, nil, err
	}
	nodeRole, err := serviceRole(ctx, "nodes", "ec2.amazonaws.com",
		"AmazonEKSWorkerNodePolicy", "AmazonEKS_CNI_Policy", "AmazonEC2ContainerRegistryPullOnly")
	if err != nil {
		return nil, nil, err
	}
	const size = 2
	nodes, err := eks.NewNodeGroup(ctx, "system", &eks.NodeGroupArgs{
		ClusterName: cluster.Name,
		NodeRoleArn: nodeRole.Arn,
		SubnetIds:   pulumi.ToStringArray(subnetIds),
		ScalingConfig: &eks.NodeGroupScalingConfigArgs{
			DesiredSize: pulumi.Int(size), MinSize: pulumi.Int(size), MaxSize: pulumi.Int(size),
		},
	})
	if err != nil {
		return nil, nil, err
	}
	facts, err := factsOf(ctx, cluster, subnetIds)
	if err != nil {
		return nil, nil, err
	}
	facts.SystemNodes = size
	return facts, nodes, nil
}

// factsOf returns the cluster's outputs as the components want them.
func factsOf(ctx *pulumi.Context, cluster *eks.Cluster, subnetIds []string) (*components.Cluster, error) {
	issuer := cluster.Identities.Index(pulumi.Int(0)).Oidcs().Index(pulumi.Int(0)).Issuer().Elem()
	provider, err := iam.NewOpenIdConnectProvider(ctx, "cluster", &iam.OpenIdConnectProviderArgs{
		Url: issuer, ClientIdLists: pulumi.ToStringArray([]string{"sts.amazonaws.com"}),
	})
	if err != nil {
		return nil, err
	}
	partition, err := aws.GetPartition(ctx, nil)
	if err != nil {
		return nil, err
	}
	region, err := aws.GetRegion(ctx, nil)
	if err != nil {
		return nil, err
	}
	caller, err := aws.GetCallerIdentity(ctx, nil)
	if err != nil {
		return nil, err
	}
	// A key names a subnet in Pulumi's state; it stays when the id changes.
	subnets := map[string]pulumi.StringInput{}
	for i, id := range subnetIds {
		subnets[strconv.Itoa(i)] = pulumi.String(id)
	}
	return &components.Cluster{
		Name:                 cluster.Name,
		Partition:            pulumi.String(partition.Partition),
		Region:               pulumi.String(region.Name),
		AccountId:            pulumi.String(caller.AccountId),
		Endpoint:             cluster.Endpoint,
		CertificateAuthority: cluster.CertificateAuthority.Data().Elem(),
		OidcIssuer:           issuer,
		OidcProviderArn:      provider.Arn,
		SecurityGroupId:      cluster.VpcConfig.ClusterSecurityGroupId().Elem(),
		Subnets:              subnets,
		KubernetesVersion:    kubernetesVersion,
		AuthenticationMode:   authenticationMode,
	}, nil
}

// serviceRole makes a role for an AWS service with AWS managed policies.
func serviceRole(ctx *pulumi.Context, name, service string, policies ...string) (*iam.Role, error) {
	trust, err := json.Marshal(map[string]any{
		"Version": "2012-10-17",
		"Statement": []any{map[string]any{
			"Effect": "Allow", "Principal": map[string]any{"Service": service}, "Action": "sts:AssumeRole",
		}},
	})
	if err != nil {
		return nil, err
	}
	role, err := iam.NewRole(ctx, name, &iam.RoleArgs{AssumeRolePolicy: pulumi.String(string(trust))})
	if err != nil {
		return nil, err
	}
	for _, policy := range policies {
		if _, err := iam.NewRolePolicyAttachment(ctx, name+"-"+policy, &iam.RolePolicyAttachmentArgs{
			Role: role.Name, PolicyArn: pulumi.String("arn:aws:iam::aws:policy/" + policy),
		}); err != nil {
			return nil, err
		}
	}
	return role, nil
}
