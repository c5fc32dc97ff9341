// Command karpenter is the Pulumi program of this project: it gives an existing
// EKS cluster Karpenter, as the stack's configuration says. See Config.
package main

import (
	"github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components"
)

func main() { pulumi.Run(program) }

func program(ctx *pulumi.Context) error {
	config, err := loadConfig(ctx.Project())
	if err != nil {
		return err
	}
	cluster, err := components.LookupCluster(ctx, &components.LookupClusterArgs{
		Name: config.ClusterName, SubnetIds: config.SubnetIds, DiscoveryTag: config.DiscoveryTag,
	})
	if err != nil {
		return err
	}
	access, err := config.provider(ctx, cluster)
	if err != nil {
		return err
	}
	provider, err := kubernetes.NewProvider(ctx, "kubernetes", access)
	if err != nil {
		return err
	}
	k, err := components.NewKarpenter(ctx, "karpenter", config.karpenter(cluster), pulumi.Providers(provider))
	if err != nil {
		return err
	}
	for name, output := range map[string]pulumi.Input{
		"clusterName":        cluster.Name,
		"controllerRoleArn":  k.ControllerRoleArn,
		"controllerRoleName": k.ControllerRoleName,
		"nodeRoleArn":        k.NodeRoleArn,
		"nodeRoleName":       k.NodeRoleName,
		"nodeAccessEntryArn": k.NodeAccessEntryArn,
		"queueName":          k.QueueName,
		"queueArn":           k.QueueArn,
		"queueUrl":           k.QueueUrl,
		"eventRules":         k.EventRules,
		"subnetIds":          k.SubnetIds,
		"chartVersion":       k.ChartVersion,
		"namespace":          k.Namespace,
		"serviceAccount":     k.ServiceAccount,
		"nodePoolNames":      k.NodePoolNames,
		"nodeClassNames":     k.NodeClassNames,
	} {
		ctx.Export(name, output)
	}
	return nil
}
