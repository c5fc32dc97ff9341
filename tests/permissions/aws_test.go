package permissions

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/mod/modfile"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/policy"
	"github.com/valohai/pulumi-kubernetes-autoscaling/components/release"
	"github.com/valohai/pulumi-kubernetes-autoscaling/tests/localcloud"
)

const (
	controllerRole = "KarpenterControllerRole-ml-prod"
	nodeRole       = "KarpenterNodeRole-ml-prod"
	// nodeRolePath shows that the controller may pass a role with a path.
	nodeRolePath = "/nodes/"
	queueName    = "ml-prod"
	discoveryTag = "karpenter.sh/discovery"
)

// version is that of the controller in the folder of the programs: what it is built from.
func version(t *testing.T) string {
	t.Helper()
	const file, module = "../../tools/karpenter/go.mod", "github.com/aws/karpenter-provider-aws"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := modfile.ParseLax(file, data, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, required := range parsed.Require {
		if required.Mod.Path == module {
			return strings.TrimPrefix(required.Mod.Version, "v")
		}
	}
	t.Fatalf("%s does not require %s", file, module)
	return ""
}

// startCloud starts a cloud that records calls, and stops it with the test.
func startCloud(t *testing.T) *localcloud.Cloud {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cloud, err := localcloud.Start(ctx, localcloud.Options{RecordCalls: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if log, err := os.ReadFile(cloud.LogFile(program)); err == nil && t.Failed() {
			t.Logf("the end of the controller's log:\n%s", log[max(0, len(log)-8<<10):])
		}
		if err := cloud.Stop(); err != nil {
			t.Errorf("stopping the cloud: %v", err)
		}
	})
	return cloud
}

// aws runs a command of the AWS CLI, which must work, and decodes its answer.
func aws[T any](t *testing.T, cloud *localcloud.Cloud, args ...string) T {
	t.Helper()
	var answer T
	output, err := cloud.AWS(t.Context(), args...)
	if err == nil && len(output) > 0 {
		err = json.Unmarshal(output, &answer)
	}
	if err != nil {
		t.Error(err)
	}
	return answer
}

// controllerDocuments are the documents that the library would give the controller: the only place
// that knows how to ask the package policy for them.
func controllerDocuments(t *testing.T, facts localcloud.Facts) map[policy.Group]policy.Document {
	t.Helper()
	rel, err := release.Find(version(t))
	if err != nil {
		t.Fatal(err)
	}
	input := policy.ControllerInput{
		Partition: "aws", Region: facts.Region, Account: facts.Account, Cluster: facts.ClusterName,
		NodeRoleArns: policy.List{"arn:aws:iam::" + facts.Account + ":role" + nodeRolePath + nodeRole},
		QueueArn:     "arn:aws:sqs:" + facts.Region + ":" + facts.Account + ":" + queueName,
	}
	documents := map[policy.Group]policy.Document{}
	for _, group := range policy.Groups(rel, policy.Features{InterruptionQueue: true}) {
		documents[group] = policy.Controller(rel, group, input)
	}
	return documents
}

// makeAWS makes what Karpenter needs in AWS, as the library would.
func makeAWS(t *testing.T, cloud *localcloud.Cloud) {
	t.Helper()
	facts := cloud.Facts()
	account := policy.Principal{"AWS": {"arn:aws:iam::" + facts.Account + ":root"}}
	trust := policy.Document{Version: "2012-10-17", Statement: []policy.Statement{{
		Effect: policy.Allow, Principal: account, Action: policy.List{"sts:AssumeRole"},
	}}}
	aws[any](t, cloud, "iam", "create-role", "--role-name", controllerRole, "--assume-role-policy-document", trust.JSON())

	var work sync.WaitGroup
	for group, document := range controllerDocuments(t, facts) {
		work.Go(func() { attach(t, cloud, string(group), document) })
	}
	work.Go(func() {
		aws[any](t, cloud, "iam", "create-role", "--role-name", nodeRole, "--path", nodeRolePath,
			"--assume-role-policy-document", policy.NodeTrust("aws").JSON())
	})
	work.Go(func() { aws[any](t, cloud, "sqs", "create-queue", "--queue-name", queueName) })
	work.Go(func() {
		command := []string{"ec2", "create-tags", "--tags", "Key=" + discoveryTag + ",Value=" + facts.ClusterName, "--resources"}
		command = append(command, facts.PrivateSubnets...)
		aws[any](t, cloud, append(command, facts.ClusterSecurityGroup)...)
	})
	work.Wait()
	if t.Failed() {
		t.FailNow()
	}
}

// attach makes a managed policy and attaches it to the controller role.
func attach(t *testing.T, cloud *localcloud.Cloud, name string, document policy.Document) {
	type made struct{ Policy struct{ Arn string } }
	arn := aws[made](t, cloud, "iam", "create-policy", "--policy-name", name, "--policy-document", document.JSON()).Policy.Arn
	aws[any](t, cloud, "iam", "attach-role-policy", "--role-name", controllerRole, "--policy-arn", arn)
}

// attachedDocuments reads back what IAM has for the controller role, by the name of the policy.
func attachedDocuments(t *testing.T, cloud *localcloud.Cloud) map[string]policy.Document {
	t.Helper()
	inventory, err := cloud.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	documents := map[string]policy.Document{}
	for _, arn := range inventory.AWS.Roles[controllerRole].AttachedPolicies {
		data, err := json.Marshal(inventory.AWS.Policies[arn].Document)
		if err != nil {
			t.Fatal(err)
		}
		var document policy.Document
		if err := json.Unmarshal(data, &document); err != nil {
			t.Fatalf("%s: %v", arn, err)
		}
		documents[arn[strings.LastIndex(arn, "/")+1:]] = document
	}
	return documents
}

// credentials are those of a session of the controller role, by which its calls are told from all
// others.
type credentials struct{ AccessKeyID, SecretAccessKey, SessionToken string }

func assumeRole(t *testing.T, cloud *localcloud.Cloud) credentials {
	t.Helper()
	type session struct{ Credentials credentials }
	arn := "arn:aws:iam::" + cloud.Facts().Account + ":role/" + controllerRole
	return aws[session](t, cloud, "sts", "assume-role", "--role-arn", arn, "--role-session-name", program).Credentials
}
