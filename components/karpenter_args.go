package components

import (
	"fmt"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/nodepool"
	"github.com/valohai/pulumi-kubernetes-autoscaling/components/policy"
	"github.com/valohai/pulumi-kubernetes-autoscaling/components/release"
)

// KarpenterArgs are the arguments of NewKarpenter.
type KarpenterArgs struct {
	// Cluster is the EKS cluster. Required.
	Cluster *Cluster
	// Version is the Karpenter release, such as "1.15.2". Default:
	// release.Newest.
	Version string
	// Namespace and ServiceAccount of the controller. Default: "kube-system",
	// which must exist, and "karpenter".
	Namespace, ServiceAccount string
	// Replicas is the number of controller pods. Default: see KarpenterChartArgs.
	Replicas int
	// ChartRegistry is where the charts are: see KarpenterChartArgs.Registry. It is
	// taken for the chart of NVIDIA's device plugin as well.
	ChartRegistry string
	// ChartValues are further values of the karpenter chart.
	ChartValues map[string]any
	// DisableInterruptionQueue leaves the queue out: spot notices are then lost,
	// and jobs end without a warning.
	DisableInterruptionQueue bool
	// QueueName and QueueKmsMasterKeyId: see InterruptionQueueArgs.
	QueueName           string
	QueueKmsMasterKeyId pulumi.StringInput
	// IsolatedVPC is for clusters whose VPC has no way to the internet: nodes get
	// an instance profile that is made here, and the controller calls neither IAM
	// nor the service for prices.
	IsolatedVPC bool
	// EnableZonalShift lets the controller follow zonal shifts of the cluster.
	EnableZonalShift bool
	// NodeAccessMethod: see NodeAccessArgs.Method.
	NodeAccessMethod string

	// Identity, CreateOidcProvider, NamePrefix, NodeRoleName, ControllerRoleName,
	// RolePath, PermissionsBoundaryArn, NodeRoleArn, NodeRoleAdditionalPolicies,
	// AdditionalStatements and EnableInlinePolicy: see KarpenterIAMArgs.
	Identity                         string
	CreateOidcProvider               bool
	NamePrefix                       string
	NodeRoleName, ControllerRoleName string
	RolePath                         string
	PermissionsBoundaryArn           pulumi.StringPtrInput
	NodeRoleArn                      string
	NodeRoleAdditionalPolicies       map[string]pulumi.StringInput
	AdditionalStatements             []policy.Statement
	EnableInlinePolicy               bool
	// VolumeKmsKeyArns are your own keys for volumes of nodes, beside those that
	// the node classes name. Default: none.
	VolumeKmsKeyArns []pulumi.StringInput
	// NodePools and NodeClasses: see NodePoolsArgs.
	NodePools   map[string]nodepool.Pool
	NodeClasses map[string]nodepool.NodeClass
	// DisableNvidiaDevicePlugin leaves NVIDIA's device plugin out, which is
	// installed if a pool needs it.
	DisableNvidiaDevicePlugin bool
	// NvidiaDevicePluginRegistry and NvidiaDevicePluginValues: see Registry and
	// Values of NvidiaDevicePluginArgs. Default: ChartRegistry, if that is set.
	NvidiaDevicePluginRegistry string
	NvidiaDevicePluginValues   map[string]any
	// Tags are set on everything that can carry tags of AWS.
	Tags pulumi.StringMapInput
}

// check returns the faults of all parts at once. What one part takes from
// another stands in as an empty value.
func (a KarpenterArgs) check(name string) error {
	later := pulumi.String("")
	var f faults
	rel := f.common(a.Cluster, a.Version)
	var queueArn pulumi.StringInput
	if !a.DisableInterruptionQueue {
		queueArn = later
	} else if a.QueueName != "" {
		f.add("QueueName", fmt.Sprintf("found %q, and the interruption queue is off", a.QueueName), "leave it out, or switch the queue on")
	}
	a.queue().check(&f)
	a.iam(queueArn).check(&f, rel)
	a.access(later, later).check(&f)
	if a.Cluster != nil && !a.Cluster.SelectByIds {
		SubnetTaggingArgs{Cluster: a.Cluster}.check(&f)
	}
	a.chart(rel, later, later).check(&f, rel)
	iam := &KarpenterIAM{NodeRoleName: later.ToStringOutput(), WindowsNodeRoleName: later.ToStringOutput()}
	a.pools(iam, &KarpenterChart{}).withDefaults().check(&f, rel)
	if plugin := a.devicePlugin(rel); plugin != nil {
		plugin.check(&f, rel)
	}
	return f.of("Karpenter", name)
}

// devicePlugin are the arguments of NVIDIA's device plugin, nil if it is off or if
// no pool needs it.
func (a KarpenterArgs) devicePlugin(rel release.Release) *NvidiaDevicePluginArgs {
	pools, classes := nodepool.OrDefaults(a.NodePools, a.NodeClasses)
	if _, needed := nodepool.DevicePlugin(rel, pools, classes); !needed || a.DisableNvidiaDevicePlugin {
		return nil
	}
	return &NvidiaDevicePluginArgs{
		KarpenterVersion: a.Version, Pools: pools, NodeClasses: classes,
		Registry: defaulted(a.NvidiaDevicePluginRegistry, a.ChartRegistry), Values: a.NvidiaDevicePluginValues,
	}
}

func (a KarpenterArgs) queue() *InterruptionQueueArgs {
	return &InterruptionQueueArgs{
		Cluster: a.Cluster, Version: a.Version, NamePrefix: a.NamePrefix,
		QueueName: a.QueueName, QueueKmsMasterKeyId: a.QueueKmsMasterKeyId, Tags: a.Tags,
	}
}

func (a KarpenterArgs) iam(queueArn pulumi.StringInput) *KarpenterIAMArgs {
	args := &KarpenterIAMArgs{
		Cluster: a.Cluster, Version: a.Version, Identity: a.Identity, CreateOidcProvider: a.CreateOidcProvider,
		Namespace: a.Namespace, ServiceAccount: a.ServiceAccount,
		NamePrefix: a.NamePrefix, NodeRoleName: a.NodeRoleName, ControllerRoleName: a.ControllerRoleName,
		RolePath: a.RolePath, PermissionsBoundaryArn: a.PermissionsBoundaryArn, Tags: a.Tags,
		NodeRoleArn: a.NodeRoleArn, NodeRoleAdditionalPolicies: a.NodeRoleAdditionalPolicies,
		EnableWindows: nodepool.AnyWindows(a.NodeClasses), CreateInstanceProfile: a.IsolatedVPC,
		QueueArn: queueArn, QueueKmsMasterKeyId: a.QueueKmsMasterKeyId, EnableZonalShift: a.EnableZonalShift,
		AdditionalStatements: a.AdditionalStatements, EnableInlinePolicy: a.EnableInlinePolicy,
		VolumeKmsKeyArns: slices.Clone(a.VolumeKmsKeyArns),
	}
	for _, arn := range nodepool.VolumeKmsKeyArns(a.NodeClasses) {
		args.VolumeKmsKeyArns = append(args.VolumeKmsKeyArns, pulumi.String(arn))
	}
	return args
}

// access says which roles get access. A role that was there before is named
// plainly, so that the access it has already is found.
func (a KarpenterArgs) access(nodeRoleArn, windowsNodeRoleArn pulumi.StringInput) *NodeAccessArgs {
	args := &NodeAccessArgs{Cluster: a.Cluster, NodeRoleArn: nodeRoleArn, Method: a.NodeAccessMethod, Tags: a.Tags}
	if a.NodeRoleArn != "" {
		args.NodeRoleArn = pulumi.String(a.NodeRoleArn)
	}
	if nodepool.AnyWindows(a.NodeClasses) {
		args.WindowsNodeRoleArn = windowsNodeRoleArn
	}
	return args
}

func (a KarpenterArgs) chart(rel release.Release, controllerRoleArn, queueName pulumi.StringInput) *KarpenterChartArgs {
	return &KarpenterChartArgs{
		Cluster: a.Cluster, Version: a.Version, Identity: a.Identity, ControllerRoleArn: controllerRoleArn,
		InterruptionQueueName: queueName, IsolatedVPC: a.IsolatedVPC, EnableZonalShift: a.EnableZonalShift,
		Namespace: a.Namespace, ServiceAccount: a.ServiceAccount, Replicas: a.Replicas,
		Registry: a.ChartRegistry, Values: a.ChartValues, FeatureGates: nodepool.FeatureGates(rel, a.NodePools, a.NodeClasses),
	}
}

func (a KarpenterArgs) pools(iam *KarpenterIAM, chart *KarpenterChart) *NodePoolsArgs {
	args := &NodePoolsArgs{
		Cluster: a.Cluster, Version: a.Version, NodeRoleName: iam.NodeRoleName,
		Pools: a.NodePools, NodeClasses: a.NodeClasses, Chart: chart,
	}
	if a.IsolatedVPC {
		args.InstanceProfileName, args.WindowsInstanceProfileName = iam.InstanceProfileName, iam.WindowsInstanceProfileName
	}
	if nodepool.AnyWindows(a.NodeClasses) {
		args.WindowsNodeRoleName = iam.WindowsNodeRoleName
	}
	return args
}
