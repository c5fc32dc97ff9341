// Command karpenter is the Pulumi program of this project: it gives an existing
// EKS cluster Karpenter, as the stack's configuration says.
package main

import (
	"github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components"
	"github.com/valohai/pulumi-kubernetes-autoscaling/stacks/karpenter/internal/config"
)

func main() { pulumi.Run(program) }

func program(ctx *pulumi.Context) error {
	c, err := config.Load(ctx.Project())
	if err != nil {
		return err
	}
	cluster, err := components.LookupCluster(ctx, c.Lookup())
	if err != nil {
		return err
	}
	access, err := c.Provider(ctx, cluster)
	if err != nil {
		return err
	}
	provider, err := kubernetes.NewProvider(ctx, "kubernetes", access)
	if err != nil {
		return err
	}
	k, err := components.NewKarpenter(ctx, "karpenter", c.Karpenter(cluster), pulumi.Providers(provider))
	if err != nil {
		return err
	}
	for name, output := range map[string]pulumi.Input{
		"clusterName":         cluster.Name,
		"controllerRoleArn":   k.ControllerRoleArn,
		"controllerRoleName":  k.ControllerRoleName,
		"nodeRoleArn":         k.NodeRoleArn,
		"nodeRoleName":        k.NodeRoleName,
		"windowsNodeRoleArn":  k.WindowsNodeRoleArn,
		"instanceProfileName": k.InstanceProfileName,
		"nodeAccessEntryArn":  k.NodeAccessEntryArn,
		"queueName":           k.QueueName,
		"queueArn":            k.QueueArn,
		"queueUrl":            k.QueueUrl,
		"eventRules":          k.EventRules,
		"subnetIds":           k.SubnetIds,
		"chartVersion":        k.ChartVersion,
		"namespace":           k.Namespace,
		"serviceAccount":      k.ServiceAccount,
		"nodePoolNames":       k.NodePoolNames,
		"nodeClassNames":      k.NodeClassNames,
		"nodePoolLimits":      k.NodePoolLimits,
	} {
		ctx.Export(name, output)
	}
	return nil
}
