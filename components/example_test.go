package components_test

import (
	"fmt"

	"github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components"
)

// A program gives an existing cluster Karpenter with the default pools.
func ExampleNewKarpenter() {
	program := func(ctx *pulumi.Context) error {
		cluster, err := components.LookupCluster(ctx, &components.LookupClusterArgs{Name: "ml-prod"})
		if err != nil {
			return err
		}
		provider, err := kubernetes.NewProvider(ctx, "ml-prod", &kubernetes.ProviderArgs{
			Kubeconfig: cluster.Kubeconfig(""),
		})
		if err != nil {
			return err
		}
		karpenter, err := components.NewKarpenter(ctx, "karpenter", &components.KarpenterArgs{
			Cluster: cluster,
		}, pulumi.Providers(provider))
		if err != nil {
			return err
		}
		ctx.Export("queueName", karpenter.QueueName)
		pulumi.All(karpenter.QueueName, karpenter.NodePoolNames).ApplyT(func(v []any) error {
			fmt.Println(v...)
			return nil
		})
		return nil
	}
	// The mocks stand for AWS and Kubernetes.
	if err := pulumi.RunErr(program, pulumi.WithMocks("project", "stack", exampleMocks{})); err != nil {
		fmt.Println(err)
	}
	// Output: Karpenter-ml-prod [cpu gpu]
}

// exampleMocks answer with a cluster of one node group.
type exampleMocks struct{}

func (exampleMocks) NewResource(args pulumi.MockResourceArgs) (string, resource.PropertyMap, error) {
	state := args.Inputs.Copy()
	state["arn"] = resource.NewProperty("arn:" + args.Name)
	return args.Name, state, nil
}

func (exampleMocks) Call(args pulumi.MockCallArgs) (resource.PropertyMap, error) {
	type object = map[string]any
	answers := map[string]object{
		"aws:eks/getCluster:getCluster": {
			"name": "ml-prod", "status": "ACTIVE", "version": "1.34", "endpoint": "https://example",
			"arn":                    "arn:aws:eks:eu-west-1:111122223333:cluster/ml-prod",
			"certificateAuthorities": []any{object{"data": "Y2E="}},
			"identities":             []any{object{"oidcs": []any{object{"issuer": "https://oidc/id/A"}}}},
			"accessConfigs":          []any{object{"authenticationMode": "API"}},
			"vpcConfig":              object{"clusterSecurityGroupId": "sg-1"},
		},
		"aws:eks/getNodeGroups:getNodeGroups":                       {"names": []any{"system"}},
		"aws:eks/getNodeGroup:getNodeGroup":                         {"nodeGroupName": "system", "subnetIds": []any{"subnet-1"}},
		"aws:iam/getOpenIdConnectProvider:getOpenIdConnectProvider": {"arn": "arn:provider"},
	}
	return resource.NewPropertyMapFromMap(answers[args.Token]), nil
}
