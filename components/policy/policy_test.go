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
		NodeRoleArn: "arn:" + partition + ":iam::111122223333:role/team/KarpenterNodeRole-ml-prod",
		QueueArn:    "arn:" + partition + ":sqs:" + region + ":111122223333:Karpenter-ml-prod",
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

func TestControllerGolden(t *testing.T) {
	for scenario, c := range map[string]struct {
		version, partition, region string
		features                   Features
	}{
		"controller-0.33":              {"0.33.1", "aws", "eu-west-1", Features{InterruptionQueue: true}},
		"controller-1.0":               {"1.0.8", "aws", "eu-west-1", Features{InterruptionQueue: true}},
		"controller-1.8":               {"1.8.2", "aws", "eu-west-1", Features{InterruptionQueue: true}},
		"controller-1.15":              {"1.15.2", "aws", "eu-west-1", Features{InterruptionQueue: true}},
		"controller-1.15-no-queue":     {"1.15.2", "aws", "eu-west-1", Features{}},
		"controller-1.15-zonal-shift":  {"1.15.2", "aws", "eu-west-1", Features{InterruptionQueue: true, ZonalShift: true}},
		"controller-1.15-china":        {"1.15.2", "aws-cn", "cn-northwest-1", Features{InterruptionQueue: true}},
		"controller-1.15-us-gov":       {"1.15.2", "aws-us-gov", "us-gov-west-1", Features{InterruptionQueue: true}},
		"controller-1.11-zonal-unable": {"1.11.0", "aws", "eu-west-1", Features{ZonalShift: true}},
	} {
		r := find(t, c.version)
		var all string
		for _, g := range Groups(r, c.features) {
			all += indented(t, string(g), Controller(r, g, input(c.partition, c.region)))
		}
		golden.Check(t, scenario+".txt", all)
	}
}

func TestTrustAndQueueGolden(t *testing.T) {
	sa := ServiceAccount{Namespace: "kube-system", Name: "karpenter"}
	issuer := "https://oidc.eks.eu-west-1.amazonaws.com/id/0123456789ABCDEF0123456789ABCDEF"
	provider := "arn:aws:iam::111122223333:oidc-provider/" + IssuerHost(issuer)
	golden.Check(t, "trust.txt", indented(t, "node", NodeTrust("aws"))+
		indented(t, "node, China", NodeTrust("aws-cn"))+
		indented(t, "controller, IRSA", IRSATrust(provider, issuer, sa)))
	golden.Check(t, "queue.txt", indented(t, "interruption queue", InterruptionQueue("arn:aws:sqs:eu-west-1:111122223333:Karpenter-ml-prod")))
	golden.Check(t, "node-ipv6.txt", indented(t, "IPv6 CNI", IPv6CNI("aws")))
}

func TestIssuerInAnySpelling(t *testing.T) {
	for _, issuer := range []string{"https://oidc.example/id/A", "oidc.example/id/A", "https://oidc.example/id/A/"} {
		if h := IssuerHost(issuer); h != "oidc.example/id/A" {
			t.Errorf("%s: %s", issuer, h)
		}
	}
}

// IAM refuses a managed policy of more than 6,144 characters, a trust policy of
// more than 2,048, inline policies of more than 10,240 together, and more than
// 10 managed policies on a role.
func TestSizes(t *testing.T) {
	long := strings.Repeat("n", 100)
	for _, r := range release.All() {
		groups := Groups(r, Features{InterruptionQueue: true, ZonalShift: true})
		if len(groups) > 10 {
			t.Errorf("%s: %d policies", r.Version, len(groups))
		}
		for partition, region := range map[string]string{
			"aws": "ap-southeast-99", "aws-cn": "cn-northwest-1", "aws-us-gov": "us-gov-east-1",
			"aws-iso": "us-iso-east-1", "aws-iso-b": "us-isob-east-1", "aws-eusc": "eusc-de-east-1",
		} {
			in := input(partition, region)
			in.Cluster = long
			in.NodeRoleArn = "arn:" + partition + ":iam::111122223333:role/" + strings.Repeat("p", 512) + "/" + long
			for _, g := range groups {
				if size := Controller(r, g, in).Size(); size > 6144 {
					t.Errorf("%s %s %s: %d characters", r.Version, partition, g, size)
				}
			}
			if size := ControllerInline(r, groups, in).Size(); size > 10240 {
				t.Errorf("%s %s inline: %d characters", r.Version, partition, size)
			}
		}
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
	out, err := exec.Command("go", "list", "-deps", "../policy", "../nodepool", "../release", "../internal/names").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, pkg := range strings.Fields(string(out)) {
		if strings.HasPrefix(pkg, "github.com/pulumi/") {
			t.Errorf("a pure package imports %s", pkg)
		}
	}
}
