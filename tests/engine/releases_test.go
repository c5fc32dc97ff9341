package engine

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/valohai/pulumi-kubernetes-autoscaling/tests/localcloud"
)

// TestReleases runs the stack with a pool of every preset at old releases, and
// moves it from one to the next: the API server, with the definitions that the
// release's own chart installs, keeps every field.
func TestReleases(t *testing.T) {
	t.Parallel()
	cloud := startCloudWith(t, localcloud.ClusterOptions{KubernetesVersion: "1.31"})
	before := snapshot(t, cloud)
	at := func(version string) config {
		return config{"clusterName": "ml-prod", "chartRegistry": charts(), "karpenterVersion": version, "nodePools": everyPreset()}
	}
	p := newProject(t, cloud, "", at("1.0.8"))
	for _, version := range []string{"1.0.8", "1.8.2"} {
		if err := p.WriteConfig(keys(at(version))); err != nil {
			t.Fatal(err)
		}
		mustRun(t, p, "up")
		outputs, err := p.Outputs(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		has(t, "output chartVersion", outputs["chartVersion"], version)
		mustStoreAll(t, p, cloud)
		mustStay(t, p, "up")
		mustStay(t, p, "refresh")
	}
	with := func(name string, pool map[string]any) {
		changed, pools := at("1.8.2"), everyPreset()
		pools[name] = pool
		changed["nodePools"] = pools
		if err := p.WriteConfig(keys(changed)); err != nil {
			t.Fatal(err)
		}
	}
	// A pool stays static or not: the API server says so at preview.
	with("cpu", map[string]any{"preset": "cpu", "replicas": 2, "limits": map[string]any{"nodes": 2}})
	mustRefuse(t, run(t, p, "preview"), []string{"Cannot transition NodePool between static"})
	// Somebody else's pool of the same name is not taken over. The provider asks the
	// API server only when it creates, so it is `up` that says so.
	createPool(t, cloud, "theirs")
	with("theirs", map[string]any{"preset": "cpu"})
	mustRefuse(t, run(t, p, "up"), []string{"karpenter-pools-pool-theirs", `conflicts with "kubectl-create"`})
	if err := objects(t, cloud).Resource(nodePools).Delete(t.Context(), "theirs", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	mustRun(t, p, "destroy")
	mustEqual(t, "destroy", before, snapshot(t, cloud))
}

var nodePools = schema.GroupVersionResource{Group: "karpenter.sh", Version: "v1", Resource: "nodepools"}

// createPool makes a pool as somebody does with kubectl.
func createPool(t *testing.T, cloud *localcloud.Cloud, name string) {
	t.Helper()
	pool := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": map[string]any{"name": name},
		"spec": map[string]any{
			"limits": map[string]any{"cpu": "1"},
			"template": map[string]any{"spec": map[string]any{
				"nodeClassRef": map[string]any{"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"}, "requirements": []any{},
			}},
		},
	}}
	if _, err := objects(t, cloud).Resource(nodePools).Create(t.Context(), pool, metav1.CreateOptions{FieldManager: "kubectl-create"}); err != nil {
		t.Fatal(err)
	}
}
