package components

import (
	"fmt"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/cloudwatch"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/sqs"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/internal/names"
	"github.com/valohai/pulumi-kubernetes-autoscaling/components/policy"
	"github.com/valohai/pulumi-kubernetes-autoscaling/components/release"
)

// InterruptionQueueToken is the type token of InterruptionQueue.
const InterruptionQueueToken = "kubernetes-autoscaling:index:InterruptionQueue"

// queueRetention is how long a message is kept, in seconds: a notice that is
// older is of no use.
const queueRetention = 300

// InterruptionQueueArgs are the arguments of NewInterruptionQueue.
type InterruptionQueueArgs struct {
	// Cluster is the EKS cluster. Required.
	Cluster *Cluster
	// Version is the Karpenter release whose events to send. Default:
	// release.Newest.
	Version string
	// NamePrefix starts the names of the queue and the rules: see
	// KarpenterIAMArgs.
	NamePrefix string
	// QueueName is the name of the queue, of at most 80 letters, digits, - and _.
	// Default: Karpenter-CLUSTER, shortened if need be.
	QueueName string
	// QueueKmsMasterKeyId is your own key for the queue, by its ARN: EventBridge
	// cannot use the account's key alias/aws/sqs. The key's policy must have the
	// statement of policy.InterruptionQueueKey, or the queue stays empty. Default:
	// a key of SQS, which needs nothing.
	QueueKmsMasterKeyId pulumi.StringInput
	// Tags are set on the queue and the rules.
	Tags pulumi.StringMapInput
}

// InterruptionQueue is the SQS queue from which Karpenter learns that an
// instance is about to go, and the EventBridge rules that fill it. The queue is
// encrypted and refuses plain HTTP.
//
// Source: https://karpenter.sh/docs/concepts/disruption/#interruption
type InterruptionQueue struct {
	pulumi.ResourceState
	members

	// QueueName is what the controller takes, QueueArn what policies name.
	QueueName pulumi.StringOutput `pulumi:"queueName"`
	QueueArn  pulumi.StringOutput `pulumi:"queueArn"`
	QueueUrl  pulumi.StringOutput `pulumi:"queueUrl"`
	// EventRules are the names of the rules by their event, such as
	// "SpotInterruption".
	EventRules pulumi.StringMapOutput `pulumi:"eventRules"`
}

// NewInterruptionQueue registers an InterruptionQueue.
func NewInterruptionQueue(ctx *pulumi.Context, name string, args *InterruptionQueueArgs, opts ...pulumi.ResourceOption) (*InterruptionQueue, error) {
	a := InterruptionQueueArgs{}
	if args != nil {
		a = *args
	}
	var f faults
	rel := f.common(a.Cluster, a.Version)
	a.check(&f)
	if err := f.of("InterruptionQueue", name); err != nil {
		return nil, err
	}
	c := &InterruptionQueue{}
	if err := ctx.RegisterComponentResource(InterruptionQueueToken, name, c, opts...); err != nil {
		return nil, err
	}
	if err := c.queue(ctx, name, a); err != nil {
		return nil, fmt.Errorf("creating interruption queue: %w", err)
	}
	rules := pulumi.StringMap{}
	for _, event := range rel.InterruptionEvents() {
		rule, err := c.rule(ctx, name+"-"+event.Name, event, a)
		if err != nil {
			return nil, fmt.Errorf("creating event rule %s: %w", event.Name, err)
		}
		rules[event.Name] = rule.Name
	}
	c.EventRules = rules.ToStringMapOutput()
	return c, ctx.RegisterResourceOutputs(c, pulumi.Map{
		"queueName":  c.QueueName,
		"queueArn":   c.QueueArn,
		"queueUrl":   c.QueueUrl,
		"eventRules": c.EventRules,
	})
}

// check adds the faults of the component's own arguments.
func (a InterruptionQueueArgs) check(f *faults) {
	f.optional("NamePrefix", a.NamePrefix, names.CheckPrefix)
	f.optional("QueueName", a.QueueName, names.CheckQueue)
	f.keyArn("QueueKmsMasterKeyId", a.QueueKmsMasterKeyId)
}

// queue registers the queue with its policy on it: a policy of its own would
// make every update wait for SQS once more.
func (c *InterruptionQueue) queue(ctx *pulumi.Context, name string, a InterruptionQueueArgs) error {
	queueName := a.Cluster.named(a.NamePrefix, names.Names.Queue)
	if a.QueueName != "" {
		queueName = pulumi.String(a.QueueName).ToStringOutput()
	}
	args := &sqs.QueueArgs{
		Name:                    queueName,
		MessageRetentionSeconds: pulumi.Int(queueRetention),
		Policy:                  documentOf(policy.InterruptionQueue, a.Cluster.arn("sqs", queueName)),
		Tags:                    a.Tags,
	}
	if a.QueueKmsMasterKeyId == nil {
		args.SqsManagedSseEnabled = pulumi.Bool(true)
	} else {
		args.KmsMasterKeyId = a.QueueKmsMasterKeyId.ToStringOutput().ToStringPtrOutput()
		needed := "the policy of the queue's key must hold this, or EventBridge cannot write and spot notices are lost: " +
			policy.InterruptionQueueKey().JSON()
		if err := ctx.Log.Info(needed, &pulumi.LogArgs{Resource: c}); err != nil {
			return err
		}
	}
	queue, err := sqs.NewQueue(ctx, name+"-queue", args, pulumi.Parent(c))
	if err != nil {
		return err
	}
	c.add(queue)
	c.QueueName, c.QueueArn, c.QueueUrl = queue.Name, queue.Arn, queue.Url
	return nil
}

// rule registers one rule and sends its events to the queue.
func (c *InterruptionQueue) rule(ctx *pulumi.Context, name string, event release.Event, a InterruptionQueueArgs) (*cloudwatch.EventRule, error) {
	rule, err := cloudwatch.NewEventRule(ctx, name, &cloudwatch.EventRuleArgs{
		Name:         a.Cluster.named(a.NamePrefix, func(n names.Names) string { return n.Rule(event.Name) }),
		Description:  pulumi.Sprintf("%s, for Karpenter on EKS cluster %s", event.DetailType, a.Cluster.Name),
		EventPattern: pulumi.String(event.Pattern()),
		Tags:         a.Tags,
	}, pulumi.Parent(c))
	if err != nil {
		return nil, err
	}
	target, err := cloudwatch.NewEventTarget(ctx, name, &cloudwatch.EventTargetArgs{
		Rule:     rule.Name,
		TargetId: pulumi.String("KarpenterInterruptionQueue"),
		Arn:      c.QueueArn,
	}, pulumi.Parent(c))
	c.add(rule, target)
	return rule, err
}
