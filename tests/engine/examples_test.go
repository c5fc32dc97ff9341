package engine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/valohai/pulumi-kubernetes-autoscaling/tests/localcloud"
	"github.com/valohai/pulumi-kubernetes-autoscaling/tests/pulumicli"
)

// TestExampleExistingCluster runs the stack with the example's configuration,
// to which only the place of the charts is added.
func TestExampleExistingCluster(t *testing.T) {
	t.Parallel()
	root, err := pulumicli.Root()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(root, "examples", "existing-cluster", "Pulumi.ml-prod.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var example struct {
		Config map[string]any `json:"config"`
	}
	if err := yaml.Unmarshal(b, &example); err != nil {
		t.Fatal(err)
	}
	cloud := startCloud(t)
	before := snapshot(t, cloud)
	p := newProject(t, cloud, "", nil)
	example.Config["kubernetes-autoscaling:chartRegistry"] = charts()
	if err := p.WriteConfig(example.Config); err != nil {
		t.Fatal(err)
	}
	mustRun(t, p, "up")
	after := snapshot(t, cloud)
	has(t, "node pools", after.Kubernetes.NodePools, "[cpu training]")
	has(t, "node classes", after.Kubernetes.EC2NodeClasses, "[default training]")
	has(t, "tags of the queue", after.AWS.Queues["Karpenter-ml-prod"].Tags, "map[team:ml]")
	mustStay(t, p, "up")
	mustRun(t, p, "destroy")
	mustEqual(t, "destroy", before, snapshot(t, cloud))
}

// TestExampleEmbedded runs a program that makes its own cluster, with a name
// that nobody knows before, and uses the components one by one.
func TestExampleEmbedded(t *testing.T) {
	t.Parallel()
	cloud := startCloud(t)
	before := snapshot(t, cloud)
	p := newProject(t, cloud, "examples/embedded", nil)
	if err := p.WriteConfig(map[string]any{
		"aws:region":             localcloud.Region,
		"embedded:subnetIds":     cloud.Facts().PrivateSubnets,
		"embedded:chartRegistry": charts(),
	}); err != nil {
		t.Fatal(err)
	}
	preview := mustRun(t, p, "preview")
	mustEqual(t, "preview", before, snapshot(t, cloud))
	up := mustRun(t, p, "up")
	has(t, "what up created", up.Changes["create"], preview.Changes["create"])
	after := snapshot(t, cloud)
	has(t, "node pools", after.Kubernetes.NodePools, "[batch]")
	outputs, err := p.Outputs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	name, _ := outputs["clusterName"].(string)
	if _, ok := after.AWS.Roles["KarpenterNodeRole-"+name]; !ok || !strings.HasPrefix(name, "ml-") {
		t.Errorf("no node role for cluster %q", name)
	}
	var entries []string
	for _, entry := range after.AWS.AccessEntries[name] {
		entries = append(entries, entry.Type)
	}
	slices.Sort(entries)
	has(t, "access entries", entries, "[EC2_LINUX EC2_LINUX STANDARD]")
	mustStay(t, p, "up")
	mustRun(t, p, "destroy")
	mustEqual(t, "destroy", before, snapshot(t, cloud))
}
