package components

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/release"
)

// KarpenterToken is the type token of Karpenter.
const KarpenterToken = "kubernetes-autoscaling:index:Karpenter"

// Karpenter gives an EKS cluster Karpenter with everything it needs on AWS and
// in the cluster. Its outputs are those of its parts.
type Karpenter struct {
	pulumi.ResourceState

	ControllerRoleArn  pulumi.StringOutput `pulumi:"controllerRoleArn"`
	ControllerRoleName pulumi.StringOutput `pulumi:"controllerRoleName"`
	NodeRoleArn        pulumi.StringOutput `pulumi:"nodeRoleArn"`
	NodeRoleName       pulumi.StringOutput `pulumi:"nodeRoleName"`
	// WindowsNodeRoleArn is empty without a Windows node class, and
	// InstanceProfileName outside an isolated VPC.
	WindowsNodeRoleArn  pulumi.StringOutput      `pulumi:"windowsNodeRoleArn"`
	InstanceProfileName pulumi.StringOutput      `pulumi:"instanceProfileName"`
	NodeAccessEntryArn  pulumi.StringOutput      `pulumi:"nodeAccessEntryArn"`
	SubnetIds           pulumi.StringArrayOutput `pulumi:"subnetIds"`
	ChartVersion        pulumi.StringOutput      `pulumi:"chartVersion"`
	Namespace           pulumi.StringOutput      `pulumi:"namespace"`
	ServiceAccount      pulumi.StringOutput      `pulumi:"serviceAccount"`
	NodePoolNames       pulumi.StringArrayOutput `pulumi:"nodePoolNames"`
	NodeClassNames      pulumi.StringArrayOutput `pulumi:"nodeClassNames"`
	// NodePoolLimits: see NodePools.
	NodePoolLimits pulumi.StringMapMapOutput `pulumi:"nodePoolLimits"`
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
	c.SubnetIds = a.Cluster.subnetIds().ToStringArrayOutput()
	return c, ctx.RegisterResourceOutputs(c, pulumi.Map{
		"controllerRoleArn":   c.ControllerRoleArn,
		"controllerRoleName":  c.ControllerRoleName,
		"nodeRoleArn":         c.NodeRoleArn,
		"nodeRoleName":        c.NodeRoleName,
		"windowsNodeRoleArn":  c.WindowsNodeRoleArn,
		"instanceProfileName": c.InstanceProfileName,
		"nodeAccessEntryArn":  c.NodeAccessEntryArn,
		"subnetIds":           c.SubnetIds,
		"chartVersion":        c.ChartVersion,
		"namespace":           c.Namespace,
		"serviceAccount":      c.ServiceAccount,
		"nodePoolNames":       c.NodePoolNames,
		"nodeClassNames":      c.NodeClassNames,
		"nodePoolLimits":      c.NodePoolLimits,
		"queueName":           c.QueueName,
		"queueArn":            c.QueueArn,
		"queueUrl":            c.QueueUrl,
		"eventRules":          c.EventRules,
	})
}

// parts are the components that a Karpenter is made of.
type parts struct {
	queue   *InterruptionQueue // nil if it is off
	iam     *KarpenterIAM
	access  *NodeAccess
	tagging *SubnetTagging // nil if node classes select by ids
	chart   *KarpenterChart
	pools   *NodePools
}

// onAWS registers the parts that nodes and the controller need on AWS.
func (p *parts) onAWS(ctx *pulumi.Context, name string, a KarpenterArgs, parent pulumi.ResourceOption) (err error) {
	var queueArn pulumi.StringInput
	if !a.DisableInterruptionQueue {
		p.queue, err = NewInterruptionQueue(ctx, name+"-interruption", a.queue(), parent)
		if err != nil {
			return err
		}
		queueArn = p.queue.QueueArn
	}
	if p.iam, err = NewKarpenterIAM(ctx, name+"-iam", a.iam(queueArn), parent); err != nil {
		return err
	}
	if p.access, err = NewNodeAccess(ctx, name+"-access", a.access(p.iam.NodeRoleArn, p.iam.WindowsNodeRoleArn), parent); err != nil {
		return err
	}
	if a.Cluster.SelectByIds {
		return nil
	}
	p.tagging, err = NewSubnetTagging(ctx, name+"-discovery", &SubnetTaggingArgs{Cluster: a.Cluster}, parent)
	return err
}

// inCluster registers the controller after everything on AWS that it or its
// nodes need, and the pools after the controller. Destroy goes the other way:
// while a node may still have to be ended, nothing that ends it is gone.
func (p *parts) inCluster(ctx *pulumi.Context, name string, a KarpenterArgs, parent pulumi.ResourceOption) (err error) {
	needed := []pulumi.Resource{p.iam, p.access}
	if p.tagging != nil {
		needed = append(needed, p.tagging)
	}
	var queueName pulumi.StringInput
	if p.queue != nil {
		needed = append(needed, p.queue)
		queueName = p.queue.QueueName
	}
	rel, err := release.Find(a.Version)
	if err != nil {
		return err // refused before
	}
	chart := a.chart(rel, p.iam.ControllerRoleArn, queueName)
	chart.DependsOn = needed
	if p.chart, err = NewKarpenterChart(ctx, name+"-chart", chart, parent); err != nil {
		return err
	}
	if plugin := a.devicePlugin(rel); plugin != nil {
		if _, err := NewNvidiaDevicePlugin(ctx, name+"-nvidia", plugin, parent); err != nil {
			return err
		}
	}
	p.pools, err = NewNodePools(ctx, name+"-pools", a.pools(p.iam, p.chart), parent)
	return err
}

func (c *Karpenter) forward(p *parts) {
	c.ControllerRoleArn, c.ControllerRoleName = p.iam.ControllerRoleArn, p.iam.ControllerRoleName
	c.NodeRoleArn, c.NodeRoleName = p.iam.NodeRoleArn, p.iam.NodeRoleName
	c.WindowsNodeRoleArn, c.InstanceProfileName = p.iam.WindowsNodeRoleArn, p.iam.InstanceProfileName
	c.NodeAccessEntryArn = p.access.NodeAccessEntryArn
	c.ChartVersion, c.Namespace, c.ServiceAccount = p.chart.ChartVersion, p.chart.Namespace, p.chart.ServiceAccount
	c.NodePoolNames, c.NodeClassNames, c.NodePoolLimits = p.pools.NodePoolNames, p.pools.NodeClassNames, p.pools.NodePoolLimits
	if p.queue == nil {
		none := pulumi.String("").ToStringOutput()
		c.QueueName, c.QueueArn, c.QueueUrl = none, none, none
		c.EventRules = pulumi.StringMap{}.ToStringMapOutput()
		return
	}
	c.QueueName, c.QueueArn, c.QueueUrl = p.queue.QueueName, p.queue.QueueArn, p.queue.QueueUrl
	c.EventRules = p.queue.EventRules
}
