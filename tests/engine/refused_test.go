package engine

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/valohai/pulumi-kubernetes-autoscaling/tests/localcloud"
	"github.com/valohai/pulumi-kubernetes-autoscaling/tests/pulumicli"
)

// deadKubeconfig points to a port of loopback where nobody listens.
const deadKubeconfig = `apiVersion: v1
kind: Config
current-context: dead
clusters: [{name: dead, cluster: {server: "https://127.0.0.1:1"}}]
contexts: [{name: dead, context: {cluster: dead, user: dead}}]
users: [{name: dead, user: {token: none}}]
`

// TestRefusedAtPreview checks that bad input ends a preview with what to do,
// and an up before anything exists.
func TestRefusedAtPreview(t *testing.T) {
	t.Parallel()
	cloud := startCloud(t)
	for _, cluster := range []localcloud.ClusterOptions{
		{Name: "no-node-groups", WithoutNodeGroups: true},
		{Name: "no-oidc", WithoutOIDCProvider: true},
		{Name: "config-map", AuthenticationMode: "CONFIG_MAP"},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		if _, err := cloud.AddCluster(ctx, cluster); err != nil {
			t.Fatal(err)
		}
		cancel()
	}
	shared := cloud.Facts().NodeGroups["system"]
	if _, err := cloud.AWS(t.Context(), "ec2", "create-tags", "--resources", shared[0],
		"--tags", "Key=their.example/discovery,Value=other"); err != nil {
		t.Fatal(err)
	}
	dead := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(dead, []byte(deadKubeconfig), 0o600); err != nil {
		t.Fatal(err)
	}
	before := snapshot(t, cloud)
	p := newProject(t, cloud, "", nil)
	for name, c := range refusals(dead) {
		t.Run(name, func(t *testing.T) {
			c.config["chartRegistry"] = charts()
			if err := p.WriteConfig(keys(c.config)); err != nil {
				t.Fatal(err)
			}
			mustRefuse(t, run(t, p, "preview"), c.want)
		})
	}
	mustEqual(t, "refused previews", before, snapshot(t, cloud))

	if err := p.WriteConfig(keys(config{"clusterName": "no-oidc", "chartRegistry": charts()})); err != nil {
		t.Fatal(err)
	}
	if r := run(t, p, "up"); r.ExitCode == 0 {
		t.Error("up succeeded")
	}
	mustEqual(t, "refused up", before, snapshot(t, cloud))
}

// refusal is a configuration that must be refused, and what has to be said.
type refusal struct {
	config config
	want   []string
}

// refusals are the faults that a user can make, by their names. dead is the path
// of a kubeconfig that leads nowhere.
func refusals(dead string) map[string]refusal {
	return map[string]refusal{
		"no such cluster": {
			config{"clusterName": "ml-prof"},
			[]string{`EKS cluster "ml-prof" could not be read in region us-east-1`, "aws eks list-clusters"},
		},
		"region without the cluster": {
			config{"clusterName": "ml-prod", "aws:region": "eu-west-1"},
			[]string{`EKS cluster "ml-prod" could not be read in region eu-west-1`, "aws:region"},
		},
		"dead kubeconfig": {
			config{"clusterName": "ml-prod", "kubeconfig": dead},
			[]string{"the Kubernetes API server https://127.0.0.1:1 is unreachable", "VPN"},
		},
		"unknown key": {
			config{"clusterName": "ml-prod", "karpenterVersoin": "1.15.2"},
			[]string{`kubernetes-autoscaling:karpenterVersoin: no such key: did you mean "karpenterVersion"?`},
		},
		"Kubernetes out of range": {
			config{"clusterName": "ml-prod", "karpenterVersion": "1.2.0"},
			[]string{"karpenter 1.2.0 supports Kubernetes 1.25 to 1.32, and the cluster has 1.34", "use Karpenter 1.6.6"},
		},
		"no node groups": {
			config{"clusterName": "no-node-groups"},
			[]string{`EKS cluster "no-node-groups" has no managed node groups`, "additionalSubnetIds"},
		},
		"no OIDC provider": {
			config{"clusterName": "no-oidc"},
			[]string{"IAM has no OIDC provider", "associate-iam-oidc-provider"},
		},
		"no access entries": {
			config{"clusterName": "config-map", "nodeAccessMethod": "ACCESS_ENTRY"},
			[]string{"CONFIG_MAP", "update-cluster-config"},
		},
		"no such node role": {
			config{"clusterName": "ml-prod", "nodeRoleArn": "arn:aws:iam::123456789012:role/nobody"},
			[]string{`NodeRoleArn: there is no role "nobody"`},
		},
		"subnet of another cluster": {
			config{"clusterName": "ml-prod", "discoveryTag": "their.example/discovery"},
			[]string{`its tag their.example/discovery names "other"`, "subnetIds"},
		},
		"no such namespace": {
			config{"clusterName": "ml-prod", "namespace": "karpenter"},
			[]string{"karpenter", "not"},
		},
		"everything at once": {
			config{"clusterName": "no-oidc", "karpenterVersion": "1.2.0", "nodePools": map[string]any{"gpu": map[string]any{"preset": "gpus"}}},
			[]string{"IAM has no OIDC provider", "supports Kubernetes", `nodePools["gpu"].preset`},
		},
	}
}

// mustRefuse checks that a run failed and said everything that it has to.
func mustRefuse(t *testing.T, r pulumicli.Result, want []string) {
	t.Helper()
	if r.ExitCode == 0 {
		t.Errorf("it succeeded:\n%s", r.Output)
	}
	said := strings.Join(r.Errors, "\n")
	for _, w := range want {
		if !strings.Contains(said, w) {
			t.Errorf("it does not say %q but:\n%s", w, said)
		}
	}
	if strings.Contains(said, "goroutine") {
		t.Errorf("it panicked:\n%s", said)
	}
}
