package localcloud

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

const trustOfEC2 = `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"Service":"ec2.amazonaws.com"},"Action":"sts:AssumeRole"}]}`

// policyOfSize is a policy document of that many characters, as IAM counts them, with white space.
func policyOfSize(size int) string {
	const frame = `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"s3:GetObject","Resource":"arn:aws:s3:::%s"}]}`
	return fmt.Sprintf(frame, strings.Repeat("a", size-len(frame)+len("%s"))) + "\n \n"
}

func testIAM(t *testing.T, c *Cloud) {
	role := func(name, trust string) []string {
		return []string{"iam", "create-role", "--role-name", name, "--assume-role-policy-document", trust}
	}
	refused(t, c, "ValidationError", "less than or equal to 64", role(strings.Repeat("r", 65), trustOfEC2)...)
	refused(t, c, "ValidationError", "regular expression", role("a b", trustOfEC2)...)
	for trust, problem := range map[string]string{
		`{"Version":`: "Syntax errors",
		strings.Replace(trustOfEC2, `"Principal":{"Service":"ec2.amazonaws.com"},`, "", 1):                                         "Principal",
		strings.Replace(trustOfEC2, `"Action"`, `"Resource":"*","Action"`, 1):                                                      "Has prohibited field Resource",
		strings.Replace(trustOfEC2, `{"Service":"ec2.amazonaws.com"}`, `{"Federated":"oidc.eks.us-east-1.amazonaws.com/id/A"}`, 1): "Invalid principal",
		strings.Replace(trustOfEC2, `{"Service":"ec2.amazonaws.com"}`, `{"AWS":"arn:aws:iam::123456789012:role/none"}`, 1):         "Invalid principal",
	} {
		refused(t, c, "MalformedPolicyDocument", problem, role("bad", trust)...)
	}
	long := strings.Replace(trustOfEC2, "ec2.amazonaws.com", strings.Repeat("a", 2048)+".com", 1)
	refused(t, c, "LimitExceeded", "ACLSizePerRole: 2048", role("bad", long)...)

	name := strings.Repeat("r", 64)
	aws[any](t, c, role(name, trustOfEC2)...)
	policy := func(name string, size int) []string {
		return []string{"iam", "create-policy", "--policy-name", name, "--policy-document", policyOfSize(size)}
	}
	refused(t, c, "ValidationError", "128", policy(strings.Repeat("p", 129), 200)...)
	refused(t, c, "LimitExceeded", "PolicySize: 6144", policy("big", 6145)...)
	made := aws[object](t, c, policy(strings.Repeat("p", 128), 6144)...)["Policy"].(object)
	aws[any](t, c, "iam", "delete-policy", "--policy-arn", made["Arn"].(string))
	inline := func(policy string, size int) []string {
		return []string{"iam", "put-role-policy", "--role-name", name, "--policy-name", policy, "--policy-document", policyOfSize(size)}
	}
	aws[any](t, c, inline("one", 6000)...)
	refused(t, c, "LimitExceeded", "10240", inline("two", 4241)...)
	aws[any](t, c, inline("two", 4240)...)
	refused(t, c, "ValidationError", "128", "iam", "create-instance-profile", "--instance-profile-name", strings.Repeat("i", 129))
}

func testOtherServices(t *testing.T, c *Cloud) {
	malformed, err := json.Marshal(map[string]string{"Policy": `{"Statement": "none"}`})
	if err != nil {
		t.Fatal(err)
	}
	refused(t, c, "InvalidAttributeValue", "Policy", "sqs", "create-queue", "--queue-name", "q", "--attributes", string(malformed))
	url := aws[object](t, c, "sqs", "create-queue", "--queue-name", "q")["QueueUrl"].(string)
	refused(t, c, "InvalidAttributeValue", "Policy", "sqs", "set-queue-attributes", "--queue-url", url, "--attributes", string(malformed))
	aws[any](t, c, "sqs", "delete-queue", "--queue-url", url)

	const parameter = "/aws/service/eks/optimized-ami/%s/amazon-linux-2023/%s/%s/recommended/image_id"
	for _, one := range [][3]string{{"1.30", "x86_64", "standard"}, {"1.36", "arm64", "nvidia"}, {"1.34", "x86_64", "neuron"}} {
		name := fmt.Sprintf(parameter, one[0], one[1], one[2])
		image := aws[object](t, c, "ssm", "get-parameter", "--name", name)["Parameter"].(object)["Value"].(string)
		found := aws[object](t, c, "ec2", "describe-images", "--image-ids", image)["Images"].([]any)
		if len(found) != 1 || found[0].(object)["Architecture"] != one[1] {
			t.Errorf("%s leads to %v", name, found)
		}
	}
	for call, key := range map[string]string{
		"describe-capacity-reservations": "CapacityReservations",
		"describe-placement-groups":      "PlacementGroups",
		"describe-instance-status":       "InstanceStatuses",
	} {
		if _, ok := aws[object](t, c, "ec2", call)[key]; !ok {
			t.Errorf("%s has no %s", call, key)
		}
	}
	if profiles := aws[object](t, c, "iam", "list-instance-profiles")["InstanceProfiles"].([]any); len(profiles) > 0 {
		t.Errorf("unexpected instance profiles %v", profiles)
	}
}
