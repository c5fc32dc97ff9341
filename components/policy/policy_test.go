package policy

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/internal/golden"
	"github.com/valohai/pulumi-kubernetes-autoscaling/components/release"
)

func find(t *testing.T, version string) release.Release {
	t.Helper()
	r, err := release.Find(version)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func input(partition, region string) ControllerInput {
	return ControllerInput{
		Partition: partition, Region: region, Account: "111122223333", Cluster: "ml-prod",
		NodeRoleArns: List{"arn:" + partition + ":iam::111122223333:role/team/KarpenterNodeRole-ml-prod"},
		QueueArn:     "arn:" + partition + ":sqs:" + region + ":111122223333:Karpenter-ml-prod",
	}
}

// indented renders documents for review, each under a title.
func indented(t *testing.T, title string, d Document) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(d.JSON()), "", "  "); err != nil {
		t.Fatal(err)
	}
	return "// " + title + "\n" + b.String() + "\n"
}

func TestTrustAndQueueGolden(t *testing.T) {
	sa := ServiceAccount{Namespace: "kube-system", Name: "karpenter"}
	issuer := "https://oidc.eks.eu-west-1.amazonaws.com/id/0123456789ABCDEF0123456789ABCDEF"
	provider := "arn:aws:iam::111122223333:oidc-provider/" + IssuerHost(issuer)
	golden.Check(t, "trust.txt", indented(t, "node", NodeTrust("aws"))+
		indented(t, "node, China", NodeTrust("aws-cn"))+
		indented(t, "controller, IRSA", IRSATrust(provider, issuer, sa))+
		indented(t, "controller, Pod Identity", PodIdentityTrust("arn:aws:eks:eu-west-1:111122223333:cluster/ml-prod", sa)))
	golden.Check(t, "queue.txt", indented(t, "interruption queue", InterruptionQueue("arn:aws:sqs:eu-west-1:111122223333:Karpenter-ml-prod"))+
		indented(t, "a key of the user", InterruptionQueueKey()))
	golden.Check(t, "node-ipv6.txt", indented(t, "IPv6 CNI", IPv6CNI("aws")))
}

func TestIssuerInAnySpelling(t *testing.T) {
	for _, issuer := range []string{"https://oidc.example/id/A", "oidc.example/id/A", "https://oidc.example/id/A/"} {
		if h := IssuerHost(issuer); h != "oidc.example/id/A" {
			t.Errorf("%s: %s", issuer, h)
		}
	}
}

// partitions are all partitions of AWS, each with its region of the longest name.
var partitions = map[string]string{
	"aws": "ap-southeast-99", "aws-cn": "cn-northwest-1", "aws-us-gov": "us-gov-east-1",
	"aws-iso": "us-iso-east-1", "aws-iso-b": "us-isob-east-1", "aws-eusc": "eusc-de-east-1",
}

// IAM refuses a managed policy that is too long, inline policies that are too
// long together, a trust policy that is too long, and more than 10 managed
// policies on a role. Everything holds for the longest names and with
// everything switched on.
func TestSizes(t *testing.T) {
	long := strings.Repeat("n", 100)
	every := Features{InterruptionQueue: true, ZonalShift: true, VolumeEncryption: true, Additional: true}
	for _, r := range release.All() {
		groups := Groups(r, every)
		if len(groups) > 10 {
			t.Errorf("%s: %d policies", r.Version, len(groups))
		}
		for partition, region := range partitions {
			in := input(partition, region)
			in.Cluster = long
			role := "arn:" + partition + ":iam::111122223333:role/" + strings.Repeat("p", 511) + "/" + long[:64]
			in.NodeRoleArns = List{role, role}
			key := "arn:" + partition + ":kms:" + region + ":111122223333:key/mrk-" + strings.Repeat("0", 32)
			in.VolumeKmsKeyArns, in.QueueKmsKeyArn = List{key, key}, key
			for _, g := range groups {
				if err := Controller(r, g, in).CheckSize(MaxManagedSize); err != nil {
					t.Errorf("%s %s %s: %v", r.Version, partition, g, err)
				}
			}
			in.NodeRoleArns = in.NodeRoleArns[:1]
			inline := ControllerInline(r, Groups(r, Features{InterruptionQueue: true, ZonalShift: true}), in)
			if err := inline.CheckSize(MaxInlineSize); err != nil {
				t.Errorf("%s %s inline: %v", r.Version, partition, err)
			}
		}
	}
	sa := ServiceAccount{Namespace: long[:63], Name: strings.Repeat(long, 3)[:253]}
	host := "https://oidc.eks.ap-southeast-99.amazonaws.com/id/" + long[:32]
	for what, d := range map[string]Document{
		"IRSA":         IRSATrust("arn:aws:iam::111122223333:oidc-provider/"+IssuerHost(host), host, sa),
		"Pod Identity": PodIdentityTrust("arn:aws:eks:ap-southeast-99:111122223333:cluster/"+long, sa),
	} {
		if err := d.CheckSize(MaxTrustSize); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// The limits are checked, not assumed.
func TestCheckSize(t *testing.T) {
	d := newDocument(Statement{Effect: Allow, Action: List{"a:B"}, Resource: List{strings.Repeat("r", 6200)}})
	if d.CheckSize(MaxManagedSize) == nil || d.CheckSize(MaxInlineSize) != nil {
		t.Error("a size of 6,300 is not told from the limits")
	}
}

func TestSizeIgnoresWhiteSpace(t *testing.T) {
	d := newDocument(Statement{Sid: "A", Effect: Allow, Action: List{"a b"}})
	if got, want := d.Size(), len(strings.ReplaceAll(d.JSON(), " ", "")); got != want {
		t.Errorf("%d and not %d", got, want)
	}
}

func TestRenderingIsStable(t *testing.T) {
	r := find(t, release.Newest)
	want := Controller(r, NodeLifecycle, input("aws", "eu-west-1")).JSON()
	for range 50 {
		if got := Controller(r, NodeLifecycle, input("aws", "eu-west-1")).JSON(); got != want {
			t.Fatal(got)
		}
	}
}

// The pure packages must stay usable without Pulumi.
func TestPure(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "../policy", "../awsauth", "../nodepool", "../release", "../internal/names",
		"../../internal/instancetype", "../../internal/quantity", "../../internal/scheduling").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, pkg := range strings.Fields(string(out)) {
		if strings.HasPrefix(pkg, "github.com/pulumi/") {
			t.Errorf("a pure package imports %s", pkg)
		}
	}
}
