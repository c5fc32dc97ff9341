// Package components holds Pulumi components that give an existing EKS cluster
// Karpenter: a cluster that grows when jobs queue and shrinks when they end.
//
// Karpenter composes the others: KarpenterIAM, InterruptionQueue, NodeAccess,
// SubnetTagging, KarpenterChart, NvidiaDevicePlugin and NodePools. Each can be
// used alone. All take the facts of a cluster as a Cluster, which LookupCluster reads from AWS or a
// program fills with values of its own.
//
// Components take their providers from their options, as every Pulumi component
// does. Karpenter needs one for AWS and one for Kubernetes:
//
//	components.NewKarpenter(ctx, "karpenter", args, pulumi.Providers(aws, kubernetes))
//
// A constructor checks all its arguments before it registers anything and
// returns every fault at once. Each message names the field, what was found,
// what is allowed and what to do.
package components
