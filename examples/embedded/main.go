// Command embedded is somebody's own Pulumi program: it makes an EKS cluster
// and gives it Karpenter with the components, one by one. Nothing of the cluster
// is known at the first preview.
package main

import (
	"fmt"

	"github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components"
	"github.com/valohai/pulumi-kubernetes-autoscaling/components/nodepool"
)

func main() { pulumi.Run(program) }

func program(ctx *pulumi.Context) error {
	settings := config.New(ctx, "")
	var subnetIds []string
	if err := settings.TryObject("subnetIds", &subnetIds); err != nil {
		return fmt.Errorf("embedded:subnetIds: list two subnets or more in different zones: %w", err)
	}
	cluster, nodes, err := newCluster(ctx, subnetIds)
	if err != nil {
		return err
	}
	provider, err := kubernetes.NewProvider(ctx, "cluster", &kubernetes.ProviderArgs{Kubeconfig: cluster.Kubeconfig("")})
	if err != nil {
		return err
	}
	return autoscale(ctx, cluster, provider, nodes, settings.Get("chartRegistry"))
}

// autoscale gives the cluster Karpenter. NewKarpenter does the same in one call;
// one by one, a program can leave parts out or put its own in their place.
func autoscale(ctx *pulumi.Context, cluster *components.Cluster, provider *kubernetes.Provider, nodes pulumi.Resource, charts string) error {
	queue, err := components.NewInterruptionQueue(ctx, "interruption", &components.InterruptionQueueArgs{Cluster: cluster})
	if err != nil {
		return err
	}
	iam, err := components.NewKarpenterIAM(ctx, "karpenter-iam", &components.KarpenterIAMArgs{
		Cluster: cluster, QueueArn: queue.QueueArn,
	})
	if err != nil {
		return err
	}
	access, err := components.NewNodeAccess(ctx, "node-access", &components.NodeAccessArgs{
		Cluster: cluster, NodeRoleArn: iam.NodeRoleArn,
	})
	if err != nil {
		return err
	}
	tags, err := components.NewSubnetTagging(ctx, "discovery", &components.SubnetTaggingArgs{Cluster: cluster})
	if err != nil {
		return err
	}
	chart, err := components.NewKarpenterChart(ctx, "karpenter", &components.KarpenterChartArgs{
		Cluster:               cluster,
		ControllerRoleArn:     iam.ControllerRoleArn,
		InterruptionQueueName: queue.QueueName,
		Registry:              charts,
		// The controller needs these, and nodes to run on, all its life.
		DependsOn: []pulumi.Resource{iam, queue, access, tags, nodes},
	}, pulumi.Provider(provider))
	if err != nil {
		return err
	}
	pools, err := components.NewNodePools(ctx, "pools", &components.NodePoolsArgs{
		Cluster:      cluster,
		NodeRoleName: iam.NodeRoleName,
		Chart:        chart,
		Pools: map[string]nodepool.Pool{
			"batch": {Preset: "cpu", Limits: map[string]nodepool.Scalar{"cpu": "32"}},
		},
	}, pulumi.Provider(provider))
	if err != nil {
		return err
	}
	ctx.Export("clusterName", cluster.Name)
	ctx.Export("nodePoolNames", pools.NodePoolNames)
	return nil
}
