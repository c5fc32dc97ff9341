package permissions

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/valohai/pulumi-kubernetes-autoscaling/internal/authorize"
	"github.com/valohai/pulumi-kubernetes-autoscaling/tests/localcloud"
)

const (
	account  = "111122223333"
	ec2Arn   = "arn:aws:ec2:eu-west-1:111122223333:"
	iamArn   = "arn:aws:iam::111122223333:"
	template = ec2Arn + "launch-template/lt-1"
)

type (
	object    = map[string]any
	objects   = []any
	resources = []localcloud.CallResource
)

// Resources that the calls of the table lead to.
var (
	node     = localcloud.CallResource{Name: "i-1", ARN: ec2Arn + "instance/i-1", Tags: tags{"owner": "ml"}}
	subnet   = localcloud.CallResource{Name: "subnet-1", ARN: ec2Arn + "subnet/subnet-1"}
	image    = localcloud.CallResource{Name: "ami-1", ARN: "arn:aws:ec2:eu-west-1::image/ami-1"}
	profile  = localcloud.CallResource{Name: "p", ARN: iamArn + "instance-profile/x/p", Tags: tags{"owner": "ml"}}
	role     = localcloud.CallResource{Name: "r", ARN: iamArn + "role/path/r"}
	launcher = localcloud.CallResource{
		Name: "lt", ARN: template, Tags: tags{"owner": "ml"},
		Data: object{"TagSpecifications": objects{specification("network-interface", "a"), specification("volume", "b")}},
	}
)

// encrypted is a launch template whose volume has a key of the user.
var encrypted = localcloud.CallResource{Name: "lt", ARN: template, Data: object{
	"BlockDeviceMappings": objects{object{"Ebs": object{"KmsKeyId": "k"}}},
}}

func specification(kind, value string) object {
	return object{"ResourceType": kind, "Tags": objects{object{"Key": "k", "Value": value}}}
}

// each is a line for each of some actions on a resource with conditions.
func each(resource, conditions string, actions ...string) []string {
	var lines []string
	for _, action := range actions {
		lines = append(lines, strings.TrimSpace(action+" "+resource+" "+conditions))
	}
	return lines
}

func TestRequests(t *testing.T) {
	const fleet, run, tag = "ec2:CreateFleet", "ec2:RunInstances", "ec2:CreateTags"
	asks := func(value string) string { return "RequestTag/k=" + value + " TagKeys=k" }
	for name, c := range map[string]struct {
		operation  string
		parameters object
		resources  resources
		want       []string
	}{
		"a call without a resource": {"ec2:DescribeInstances", object{"InstanceIds": objects{"i-1"}}, resources{node}, each("*", "", "ec2:DescribeInstances")},
		"a price":                   {"pricing:GetProducts", nil, nil, each("*", "", "pricing:GetProducts")},
		"a cluster":                 {"eks:DescribeCluster", object{"name": "ml"}, nil, each("arn:aws:eks:eu-west-1:111122223333:cluster/ml", "", "eks:DescribeCluster")},
		"a queue by its name":       {"sqs:GetQueueUrl", object{"QueueName": "q"}, nil, each("arn:aws:sqs:eu-west-1:111122223333:q", "", "sqs:GetQueueUrl")},
		"a queue by its URL":        {"sqs:ReceiveMessage", object{"QueueUrl": "http://127.0.0.1:5/1/q"}, nil, each("arn:aws:sqs:eu-west-1:111122223333:q", "", "sqs:ReceiveMessage")},
		"a parameter of AWS":        {"ssm:GetParameter", object{"Name": "/aws/x"}, nil, each("arn:aws:ssm:eu-west-1::parameter/aws/x", "", "ssm:GetParameter")},
		"the end of an instance":    {"ec2:TerminateInstances", object{"InstanceIds": objects{"i-1"}}, resources{node}, each(node.ARN, "ResourceTag/owner=ml", "ec2:TerminateInstances")},
		"the end of a template":     {"ec2:DeleteLaunchTemplate", object{"LaunchTemplateName": "lt"}, resources{launcher, image}, each(template, "ResourceTag/owner=ml", "ec2:DeleteLaunchTemplate")},
		"a tag on an instance": {
			tag,
			object{"Resources": objects{"i-1"}, "Tags": objects{object{"Key": "k", "Value": "v"}}},
			resources{node},
			each(node.ARN, "RequestTag/k=v ResourceTag/owner=ml TagKeys=k", tag),
		},
		"a template": {
			"ec2:CreateLaunchTemplate",
			object{"TagSpecifications": objects{specification("launch-template", "v")}},
			resources{image},
			slices.Concat(each(ec2Arn+"launch-template/*", asks("v"), "ec2:CreateLaunchTemplate"), each(ec2Arn+"launch-template/*", asks("v")+" CreateAction=CreateLaunchTemplate", tag)),
		},
		"a template without tags": {"ec2:CreateLaunchTemplate", nil, nil, each(ec2Arn+"launch-template/*", "", "ec2:CreateLaunchTemplate")},
		"a launch": {
			run,
			object{"TagSpecifications": objects{specification("volume", "c")}},
			resources{launcher, subnet, image, profile, role},
			slices.Concat(
				each(ec2Arn+"instance/*", "", run),
				each(ec2Arn+"volume/*", asks("c"), run), each(ec2Arn+"volume/*", asks("c")+" CreateAction=RunInstances", tag),
				each(ec2Arn+"network-interface/*", asks("a"), run), each(ec2Arn+"network-interface/*", asks("a")+" CreateAction=RunInstances", tag),
				each(template, "ResourceTag/owner=ml", run), each(subnet.ARN, "", run), each(image.ARN, "", run),
				each(role.ARN, "PassedToService=ec2.amazonaws.com", "iam:PassRole"),
			),
		},
		"a fleet of spot instances": {
			fleet,
			object{"TargetCapacitySpecification": object{"DefaultTargetCapacityType": "spot"}, "TagSpecifications": objects{specification("fleet", "f")}},
			resources{{Name: "lt", ARN: template}},
			slices.Concat(
				each(ec2Arn+"instance/*", "", fleet, run), each(ec2Arn+"volume/*", "", fleet, run), each(ec2Arn+"network-interface/*", "", fleet, run),
				each(ec2Arn+"spot-instances-request/*", "", fleet, run),
				each(ec2Arn+"fleet/*", asks("f"), fleet), each(ec2Arn+"fleet/*", asks("f")+" CreateAction=CreateFleet", tag),
				each(template, "", fleet, run),
			),
		},
		"a profile": {
			"iam:CreateInstanceProfile",
			object{"InstanceProfileName": "p", "Path": "/x/", "Tags": objects{object{"Key": "k", "Value": "v"}}},
			nil,
			slices.Concat(each(profile.ARN, asks("v"), "iam:CreateInstanceProfile"), each(profile.ARN, "RequestTag/k=v ResourceTag/k=v TagKeys=k", "iam:TagInstanceProfile")),
		},
		"a role into a profile": {
			"iam:AddRoleToInstanceProfile",
			object{"InstanceProfileName": "p", "RoleName": "r"},
			resources{profile, role},
			slices.Concat(each(profile.ARN, "ResourceTag/owner=ml", "iam:AddRoleToInstanceProfile"), each(role.ARN, "PassedToService=ec2.amazonaws.com", "iam:PassRole")),
		},
		"a look at a profile":      {"iam:GetInstanceProfile", object{"InstanceProfileName": "p"}, resources{profile, role}, each(profile.ARN, "ResourceTag/owner=ml", "iam:GetInstanceProfile")},
		"a look at no profile":     {"iam:GetInstanceProfile", object{"InstanceProfileName": "p"}, nil, each(iamArn+"instance-profile/p", "", "iam:GetInstanceProfile")},
		"the profiles of a path":   {"iam:ListInstanceProfiles", object{"PathPrefix": "/x/"}, nil, each(iamArn+"instance-profile/x/", "", "iam:ListInstanceProfiles")},
		"the profiles of all":      {"iam:ListInstanceProfiles", nil, nil, each(iamArn+"instance-profile/", "", "iam:ListInstanceProfiles")},
		"a role out of a profile":  {"iam:RemoveRoleFromInstanceProfile", object{"InstanceProfileName": "p", "RoleName": "r"}, resources{profile, role}, each(profile.ARN, "ResourceTag/owner=ml", "iam:RemoveRoleFromInstanceProfile")},
		"the end of a profile":     {"iam:DeleteInstanceProfile", object{"InstanceProfileName": "p"}, resources{profile}, each(profile.ARN, "ResourceTag/owner=ml", "iam:DeleteInstanceProfile")},
		"the end of a queue entry": {"sqs:DeleteMessage", object{"QueueUrl": "http://127.0.0.1:5/1/q"}, nil, each("arn:aws:sqs:eu-west-1:111122223333:q", "", "sqs:DeleteMessage")},
	} {
		found, err := Requests(account, recorded(c.operation, c.parameters, c.resources...))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := make([]string, len(found))
		for i, request := range found {
			got[i] = line(request)
		}
		slices.Sort(got)
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n got %s\nwant %s", name, strings.Join(got, "\n     "), strings.Join(c.want, "\n     "))
		}
	}
}

func TestUnknownCalls(t *testing.T) {
	for name, c := range map[string]struct {
		call localcloud.Call
		want string
	}{
		"an unknown operation":     {recorded("ec2:RebootInstances", nil), "nothing says what AWS authorises for ec2:RebootInstances"},
		"what was not understood":  {localcloud.Call{Service: "s3", Problem: "no model"}, "a call of s3 was not understood: no model"},
		"a missing parameter":      {recorded("ssm:GetParameter", nil), "it has no Name"},
		"no resource":              {recorded("ec2:TerminateInstances", nil), "it leads to no resource"},
		"one resource of two":      {recorded("ec2:TerminateInstances", object{"InstanceIds": objects{"i-1", "i-2"}}, node), "instance i-2: there is no such thing"},
		"a launch without a thing": {recorded("ec2:RunInstances", nil, subnet), "launch template: there is no such thing"},
		"a volume with a key":      {recorded("ec2:RunInstances", nil, encrypted), "nothing says what AWS authorises for the key"},
		"a role that is gone":      {recorded("iam:AddRoleToInstanceProfile", object{"InstanceProfileName": "p", "RoleName": "r"}, profile), "role r: there is no such thing"},
	} {
		if found, err := Requests(account, c.call); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v and %v, want %q", name, found, err, c.want)
		}
	}
}

// recorded is a call in eu-west-1.
func recorded(action string, parameters object, found ...localcloud.CallResource) localcloud.Call {
	service, operation, _ := strings.Cut(action, ":")
	return localcloud.Call{
		Region: "eu-west-1", Service: service, Operation: operation, Parameters: parameters, Resources: found, Status: 200,
	}
}

// line is a request in one line. Its region is the call's, and left out.
func line(r authorize.Request) string {
	if !slices.Equal(r.Context["aws:RequestedRegion"], []string{"eu-west-1"}) {
		return "a request without the region of its call"
	}
	words := []string{r.Action, r.Resource}
	var context []string
	for _, key := range slices.Sorted(maps.Keys(r.Context)) {
		if key != "aws:RequestedRegion" {
			_, short, _ := strings.Cut(key, ":")
			context = append(context, short+"="+strings.Join(r.Context[key], ","))
		}
	}
	slices.SortStableFunc(context, func(a, b string) int { return order(a) - order(b) })
	return strings.Join(append(words, context...), " ")
}

// order puts what EC2 adds after what everybody has.
func order(condition string) int {
	if strings.HasPrefix(condition, "CreateAction") {
		return 1
	}
	return 0
}

func TestNeeds(t *testing.T) {
	look := recorded("iam:GetInstanceProfile", object{"InstanceProfileName": "p"})
	late := recorded("iam:DeleteInstanceProfile", object{"InstanceProfileName": "p"})
	if _, _, err := Needs(account, []localcloud.Call{late}); !errors.Is(err, errGone) {
		t.Errorf("a call on nothing was answered well, and the error is %v", err)
	}
	late.Status = 404
	needs, gone, err := Needs(account, []localcloud.Call{look, look, late})
	if err != nil || len(needs) != 1 || len(gone) != 1 {
		t.Errorf("got %v, %v, %v; want one need and one call that came too late", needs, gone, err)
	}
	if _, _, err := Needs(account, []localcloud.Call{recorded("ec2:RebootInstances", nil)}); err == nil {
		t.Error("an unknown call is no error")
	}
}
