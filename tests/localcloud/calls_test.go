package localcloud

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// testCalls makes calls of each protocol and looks at their records, and at what a launch template
// leads to.
func testCalls(t *testing.T, c *Cloud) {
	const data = `{"ImageId":"ami-1234567890abcdef0","SecurityGroupIds":["sg-1234567890abcdef0"],"IamInstanceProfile":{"Name":"p"}}`
	aws[any](t, c, "iam", "create-role", "--role-name", "r", "--path", "/a/", "--assume-role-policy-document", trustOfEC2)
	aws[any](t, c, "iam", "create-instance-profile", "--instance-profile-name", "p", "--tags", "Key=k,Value=v")
	aws[any](t, c, "iam", "add-role-to-instance-profile", "--instance-profile-name", "p", "--role-name", "r")
	aws[any](t, c, "ec2", "create-launch-template", "--launch-template-name", "lll", "--launch-template-data", data,
		"--tag-specifications", "ResourceType=launch-template,Tags=[{Key=k,Value=w}]")
	aws[any](t, c, "eks", "describe-cluster", "--name", "ml-prod")
	aws[any](t, c, "sqs", "list-queues", "--queue-name-prefix", "q")
	refused(t, c, "ParameterNotFound", "", "ssm", "get-parameter", "--name", "/none")
	aws[any](t, c, "ec2", "delete-launch-template", "--launch-template-name", "lll")

	want := []string{
		"iam:CreateRole 200 [AssumeRolePolicyDocument Path RoleName] []",
		"iam:CreateInstanceProfile 200 [InstanceProfileName Tags] []",
		"iam:AddRoleToInstanceProfile 200 [InstanceProfileName RoleName] [instance-profile/p (v) role/a/r ()]",
		"ec2:CreateLaunchTemplate 200 [ClientToken LaunchTemplateData LaunchTemplateName TagSpecifications] " +
			"[image/ami-1234567890abcdef0 () instance-profile/p (v) role/a/r () security-group/sg-1234567890abcdef0 ()]",
		"eks:DescribeCluster 200 [name] []",
		"sqs:ListQueues 200 [QueueNamePrefix] []",
		"ssm:GetParameter 400 [Name] []",
		"ec2:DeleteLaunchTemplate 200 [LaunchTemplateName] [image/ami-1234567890abcdef0 () instance-profile/p (v) " +
			"launch-template/lt (w) role/a/r () security-group/sg-1234567890abcdef0 ()]",
	}
	calls, err := c.Calls(c.state.Credentials.AccessKeyID)
	if err != nil || len(calls) < len(want) {
		t.Fatalf("%d calls are recorded (%v)", len(calls), err)
	}
	for i, call := range calls[len(calls)-len(want):] {
		if got := described(call); got != want[i] {
			t.Errorf("call %d:\n got %s\nwant %s", i, got, want[i])
		}
		if age := time.Since(call.Time); age < 0 || age > time.Minute || call.Region != Region {
			t.Errorf("call %d is said to be of %v in %s", i, call.Time, call.Region)
		}
	}
	if calls, err := c.Calls("nobody"); err != nil || len(calls) > 0 {
		t.Errorf("nobody made %v (%v)", calls, err)
	}
}

// testUnknownCall makes a call of a service that is not known: it is recorded as a problem.
func testUnknownCall(t *testing.T, c *Cloud) {
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.awsEndpoint(), strings.NewReader("x=y"))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=somebody/20260101/us-east-1/nothing/aws4_request, SignedHeaders=host, Signature=00")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	calls, err := c.Calls("somebody")
	if err != nil || len(calls) != 1 || calls[0].Service != "nothing" || calls[0].Status < 400 || !strings.Contains(calls[0].Problem, "nothing") {
		t.Errorf("recorded are %+v (%v)", calls, err)
	}
}

// described is a call in one line: with its parameters' names, and its resources with the tag k.
func described(c Call) string {
	var parameters, resources []string
	for name := range c.Parameters {
		parameters = append(parameters, name)
	}
	slices.Sort(parameters)
	for _, r := range c.Resources {
		arn := r.ARN[strings.LastIndex(r.ARN, ":")+1:]
		if id, found := strings.CutPrefix(arn, "launch-template/lt-"); found && len(id) == 17 {
			arn = "launch-template/lt"
		}
		resources = append(resources, fmt.Sprintf("%s (%s)", arn, r.Tags["k"]))
	}
	slices.Sort(resources)
	return fmt.Sprintf("%s:%s %d %v %v%s", c.Service, c.Operation, c.Status, parameters, resources, c.Problem)
}
