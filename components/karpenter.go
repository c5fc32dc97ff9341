package components

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/nodepool"
)

// KarpenterToken is the type token of Karpenter.
const KarpenterToken = "kubernetes-autoscaling:index:Karpenter"

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
	// ChartRegistry is where the charts are: see KarpenterChartArgs.Registry.
	ChartRegistry string
	// ChartValues are further values of the karpenter chart.
	ChartValues map[string]any
	// DisableInterruptionQueue leaves the queue out: spot notices are then lost,
	// and jobs end without a warning.
	DisableInterruptionQueue bool
	// NodeRoleName, ControllerRoleName, RolePath, PermissionsBoundaryArn and
	// EnableInlinePolicy: see KarpenterIAMArgs.
	NodeRoleName, ControllerRoleName, RolePath string
	PermissionsBoundaryArn                     pulumi.StringPtrInput
	EnableInlinePolicy                         bool
	// NodeRoleAdditionalPolicies are further managed policies for the nodes, by
	// a name of the user's choice.
	NodeRoleAdditionalPolicies map[string]pulumi.StringInput
	// NodePools and NodeClasses: see NodePoolsArgs.
	NodePools   map[string]nodepool.Pool
	NodeClasses map[string]nodepool.NodeClass
	// Tags are set on everything that can carry tags of AWS.
	Tags pulumi.StringMapInput
}

// Karpenter gives an EKS cluster Karpenter with everything it needs on AWS and
// in the cluster. Its outputs are those of its parts.
type Karpenter struct {
	pulumi.ResourceState

	ControllerRoleArn  pulumi.StringOutput      `pulumi:"controllerRoleArn"`
	ControllerRoleName pulumi.StringOutput      `pulumi:"controllerRoleName"`
	NodeRoleArn        pulumi.StringOutput      `pulumi:"nodeRoleArn"`
	NodeRoleName       pulumi.StringOutput      `pulumi:"nodeRoleName"`
	NodeAccessEntryArn pulumi.StringOutput      `pulumi:"nodeAccessEntryArn"`
	SubnetIds          pulumi.StringArrayOutput `pulumi:"subnetIds"`
	ChartVersion       pulumi.StringOutput      `pulumi:"chartVersion"`
	Namespace          pulumi.StringOutput      `pulumi:"namespace"`
	ServiceAccount     pulumi.StringOutput      `pulumi:"serviceAccount"`
	NodePoolNames      pulumi.StringArrayOutput `pulumi:"nodePoolNames"`
	NodeClassNames     pulumi.StringArrayOutput `pulumi:"nodeClassNames"`
	// QueueName, QueueArn and QueueUrl are empty, and EventRules has no entry,
	// if the interruption queue is off.
	QueueName  pulumi.StringOutput    `pulumi:"queueName"`
	QueueArn   pulumi.StringOutput    `pulumi:"queueArn"`
	QueueUrl   pulumi.StringOutput    `pulumi:"queueUrl"`
	EventRules pulumi.StringMapOutput `pulumi:"eventRules"`
}

// NewKarpenter registers a Karpenter. It needs a provider for AWS and one for
// Kubernetes.
func NewKarpenter(ctx *pulumi.Context, name string, args *KarpenterArgs, opts ...pulumi.ResourceOption) (*Karpenter, error) {
	a := KarpenterArgs{}
	if args != nil {
		a = *args
	}
	if err := a.check(name); err != nil {
		return nil, err
	}
	c := &Karpenter{}
	if err := ctx.RegisterComponentResource(KarpenterToken, name, c, opts...); err != nil {
		return nil, err
	}
	p := &parts{}
	if err := p.onAWS(ctx, name, a, pulumi.Parent(c)); err != nil {
		return nil, err
	}
	if err := p.inCluster(ctx, name, a, pulumi.Parent(c)); err != nil {
		return nil, err
	}
	c.forward(p)
	return c, ctx.RegisterResourceOutputs(c, pulumi.Map{
		"controllerRoleArn":  c.ControllerRoleArn,
		"controllerRoleName": c.ControllerRoleName,
		"nodeRoleArn":        c.NodeRoleArn,
		"nodeRoleName":       c.NodeRoleName,
		"nodeAccessEntryArn": c.NodeAccessEntryArn,
		"subnetIds":          c.SubnetIds,
		"chartVersion":       c.ChartVersion,
		"namespace":          c.Namespace,
		"serviceAccount":     c.ServiceAccount,
		"nodePoolNames":      c.NodePoolNames,
		"nodeClassNames":     c.NodeClassNames,
		"queueName":          c.QueueName,
		"queueArn":           c.QueueArn,
		"queueUrl":           c.QueueUrl,
		"eventRules":         c.EventRules,
	})
}

// parts are the components that a Karpenter is made of.
type parts struct {
	queue   *InterruptionQueue // nil if it is off
	iam     *KarpenterIAM
	access  *NodeAccess
	tagging *SubnetTagging
	chart   *KarpenterChart
	pools   *NodePools
}

// onAWS registers the parts that nodes and the controller need on AWS.
func (p *parts) onAWS(ctx *pulumi.Context, name string, a KarpenterArgs, parent pulumi.ResourceOption) (err error) {
	var queueArn pulumi.StringInput
	if !a.DisableInterruptionQueue {
		p.queue, err = NewInterruptionQueue(ctx, name+"-interruption",
			&InterruptionQueueArgs{Cluster: a.Cluster, Version: a.Version, Tags: a.Tags}, parent)
		if err != nil {
			return err
		}
		queueArn = p.queue.QueueArn
	}
	if p.iam, err = NewKarpenterIAM(ctx, name+"-iam", a.iam(queueArn), parent); err != nil {
		return err
	}
	if p.access, err = NewNodeAccess(ctx, name+"-access", a.access(p.iam.NodeRoleArn), parent); err != nil {
		return err
	}
	p.tagging, err = NewSubnetTagging(ctx, name+"-discovery", &SubnetTaggingArgs{Cluster: a.Cluster}, parent)
	return err
}

// inCluster registers the controller after everything on AWS that it or its
// nodes need, and the pools after the controller. Destroy goes the other way:
// while a node may still have to be ended, nothing that ends it is gone.
func (p *parts) inCluster(ctx *pulumi.Context, name string, a KarpenterArgs, parent pulumi.ResourceOption) (err error) {
	needed := []pulumi.Resource{p.iam, p.access, p.tagging}
	var queueName pulumi.StringInput
	if p.queue != nil {
		needed = append(needed, p.queue)
		queueName = p.queue.QueueName
	}
	chart := a.chart(p.iam.ControllerRoleArn, queueName)
	chart.DependsOn = needed
	if p.chart, err = NewKarpenterChart(ctx, name+"-chart", chart, parent); err != nil {
		return err
	}
	p.pools, err = NewNodePools(ctx, name+"-pools", a.pools(p.iam.NodeRoleName, p.chart), parent)
	return err
}

func (c *Karpenter) forward(p *parts) {
	c.ControllerRoleArn, c.ControllerRoleName = p.iam.ControllerRoleArn, p.iam.ControllerRoleName
	c.NodeRoleArn, c.NodeRoleName = p.iam.NodeRoleArn, p.iam.NodeRoleName
	c.NodeAccessEntryArn = p.access.NodeAccessEntryArn
	c.SubnetIds = p.tagging.SubnetIds
	c.ChartVersion, c.Namespace, c.ServiceAccount = p.chart.ChartVersion, p.chart.Namespace, p.chart.ServiceAccount
	c.NodePoolNames, c.NodeClassNames = p.pools.NodePoolNames, p.pools.NodeClassNames
	if p.queue == nil {
		none := pulumi.String("").ToStringOutput()
		c.QueueName, c.QueueArn, c.QueueUrl = none, none, none
		c.EventRules = pulumi.StringMap{}.ToStringMapOutput()
		return
	}
	c.QueueName, c.QueueArn, c.QueueUrl = p.queue.QueueName, p.queue.QueueArn, p.queue.QueueUrl
	c.EventRules = p.queue.EventRules
}

// check returns the faults of all parts at once. What one part takes from
// another stands in as an empty value.
func (a KarpenterArgs) check(name string) error {
	later := pulumi.String("")
	var f faults
	rel := f.common(a.Cluster, a.Version)
	a.iam(later).check(&f)
	a.access(later).check(&f)
	SubnetTaggingArgs{Cluster: a.Cluster}.check(&f)
	a.chart(later, later).check(&f, rel)
	a.pools(later, &KarpenterChart{}).withDefaults().check(&f, rel)
	return f.of("Karpenter", name)
}

func (a KarpenterArgs) iam(queueArn pulumi.StringInput) *KarpenterIAMArgs {
	return &KarpenterIAMArgs{
		Cluster: a.Cluster, Version: a.Version, QueueArn: queueArn,
		Namespace: a.Namespace, ServiceAccount: a.ServiceAccount,
		NodeRoleName: a.NodeRoleName, ControllerRoleName: a.ControllerRoleName, RolePath: a.RolePath,
		PermissionsBoundaryArn: a.PermissionsBoundaryArn, EnableInlinePolicy: a.EnableInlinePolicy,
		NodeRoleAdditionalPolicies: a.NodeRoleAdditionalPolicies, Tags: a.Tags,
	}
}

func (a KarpenterArgs) access(nodeRoleArn pulumi.StringInput) *NodeAccessArgs {
	return &NodeAccessArgs{Cluster: a.Cluster, NodeRoleArn: nodeRoleArn, Tags: a.Tags}
}

func (a KarpenterArgs) chart(controllerRoleArn, queueName pulumi.StringInput) *KarpenterChartArgs {
	return &KarpenterChartArgs{
		Cluster: a.Cluster, Version: a.Version, ControllerRoleArn: controllerRoleArn, InterruptionQueueName: queueName,
		Namespace: a.Namespace, ServiceAccount: a.ServiceAccount, Replicas: a.Replicas,
		Registry: a.ChartRegistry, Values: a.ChartValues,
	}
}

func (a KarpenterArgs) pools(nodeRoleName pulumi.StringInput, chart *KarpenterChart) *NodePoolsArgs {
	return &NodePoolsArgs{
		Cluster: a.Cluster, Version: a.Version, NodeRoleName: nodeRoleName,
		Pools: a.NodePools, NodeClasses: a.NodeClasses, Chart: chart,
	}
}
