package permissions

import (
	"fmt"
	"strings"

	"github.com/valohai/pulumi-kubernetes-autoscaling/internal/authorize"
	"github.com/valohai/pulumi-kubernetes-autoscaling/tests/localcloud"
)

// ec2Service is to whom a node role is passed.
const ec2Service = "ec2.amazonaws.com"

// mapping says what AWS authorises for a call.
type mapping func(c call) ([]authorize.Request, error)

// mappings are those of all calls that are known. What is missing here fails the test, so that it
// is looked up and added.
//
// Source: https://docs.aws.amazon.com/service-authorization/latest/reference/, the page of each
// service: actions, their resource types and condition keys.
var mappings = map[string]mapping{
	"ec2:CreateFleet":          launch("ec2:CreateFleet", "ec2:RunInstances"),
	"ec2:RunInstances":         launch("ec2:RunInstances"),
	"ec2:CreateLaunchTemplate": createLaunchTemplate,
	"ec2:CreateTags":           createTags,
	"ec2:DeleteLaunchTemplate": change("launch-template", "LaunchTemplateId", "LaunchTemplateName"),
	"ec2:TerminateInstances":   change("instance", "InstanceIds"),

	"ec2:DescribeCapacityReservations":  anywhere,
	"ec2:DescribeImages":                anywhere,
	"ec2:DescribeInstanceStatus":        anywhere,
	"ec2:DescribeInstanceTypeOfferings": anywhere,
	"ec2:DescribeInstanceTypes":         anywhere,
	"ec2:DescribeInstances":             anywhere,
	"ec2:DescribeLaunchTemplates":       anywhere,
	"ec2:DescribePlacementGroups":       anywhere,
	"ec2:DescribeSecurityGroups":        anywhere,
	"ec2:DescribeSpotPriceHistory":      anywhere,
	"ec2:DescribeSubnets":               anywhere,
	"pricing:GetProducts":               anywhere,

	"iam:AddRoleToInstanceProfile":      addRole,
	"iam:CreateInstanceProfile":         createInstanceProfile,
	"iam:DeleteInstanceProfile":         changeProfile,
	"iam:GetInstanceProfile":            getInstanceProfile,
	"iam:ListInstanceProfiles":          listInstanceProfiles,
	"iam:RemoveRoleFromInstanceProfile": changeProfile,

	"eks:DescribeCluster": on("name", func(c call, name string) string {
		return "arn:aws:eks:" + c.Region + ":" + c.account + ":cluster/" + name
	}),
	"sqs:GetQueueUrl":    on("QueueName", call.queue),
	"sqs:ReceiveMessage": on("QueueUrl", call.queue),
	"sqs:DeleteMessage":  on("QueueUrl", call.queue),
	"ssm:GetParameter": on("Name", func(c call, name string) string {
		return "arn:aws:ssm:" + c.Region + "::parameter" + name // of AWS, in no account
	}),
}

// Requests returns what AWS would authorise for a call in an account: all of them must be allowed.
// A call that is not known is an error.
func Requests(account string, recorded localcloud.Call) ([]authorize.Request, error) {
	c := call{Call: recorded, account: account}
	if c.Problem != "" {
		return nil, fmt.Errorf("a call of %s was not understood: %s", c.Service, c.Problem)
	}
	requests, known := mappings[c.action()]
	if !known {
		return nil, fmt.Errorf("nothing says what AWS authorises for %s: add it to the mappings", c.action())
	}
	found, err := requests(c)
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("it leads to no resource")
	}
	if err != nil {
		return nil, fmt.Errorf("%s at %s: %w", c.action(), c.Time.Format("15:04:05.000"), err)
	}
	return found, nil
}

// anywhere is a call without a resource.
func anywhere(c call) ([]authorize.Request, error) {
	return []authorize.Request{c.request(c.action(), "*")}, nil
}

// on is a call on the resource that a parameter names.
func on(parameter string, arn func(c call, value string) string) mapping {
	return func(c call) ([]authorize.Request, error) {
		value, err := c.text(parameter)
		if err != nil {
			return nil, err
		}
		return []authorize.Request{c.request(c.action(), arn(c, value))}, nil
	}
}

// queue is the ARN of a queue, by its name or URL.
func (c call) queue(nameOrURL string) string {
	name := nameOrURL[strings.LastIndex(nameOrURL, "/")+1:]
	return "arn:aws:sqs:" + c.Region + ":" + c.account + ":" + name
}

// change is a call that changes or ends the existing resources of a kind that parameters name.
func change(kind string, parameters ...string) mapping {
	return func(c call) ([]authorize.Request, error) {
		var requests []authorize.Request
		for _, name := range c.names(parameters...) {
			r, err := c.named(kind, name)
			if err != nil {
				return nil, err
			}
			requests = append(requests, c.request(c.action(), r.ARN, present(r.Tags)))
		}
		return requests, nil
	}
}

// createTags tags existing resources.
func createTags(c call) ([]authorize.Request, error) {
	var requests []authorize.Request
	for _, name := range c.names("Resources") {
		r, err := c.named("", name)
		if err != nil {
			return nil, err
		}
		requests = append(requests, c.request(c.action(), r.ARN, asked(tagsIn(c.Parameters)), present(r.Tags)))
	}
	return requests, nil
}

// createLaunchTemplate makes a launch template with its tags. What the template names is authorised
// when it is used.
func createLaunchTemplate(c call) ([]authorize.Request, error) {
	return c.made("launch-template", tagsByKind(c.Parameters)["launch-template"], c.action()), nil
}

// made is a resource of EC2 that some actions make, and tag when they do.
func (c call) made(kind string, t tags, actions ...string) []authorize.Request {
	var requests []authorize.Request
	arn := c.ec2(kind, "*")
	for _, action := range actions {
		requests = append(requests, c.request(action, arn, asked(t)))
		if len(t) > 0 {
			by := conditions{"ec2:CreateAction": {strings.TrimPrefix(action, "ec2:")}}
			requests = append(requests, c.request("ec2:CreateTags", arn, asked(t), by))
		}
	}
	return requests
}
