package permissions

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/nodepool"
	"github.com/valohai/pulumi-kubernetes-autoscaling/components/release"
	"github.com/valohai/pulumi-kubernetes-autoscaling/tests/localcloud"
)

// apiVersion is that of the controller's own objects.
const apiVersion = "v1"

var (
	crds        = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	nodeClasses = schema.GroupVersionResource{Group: nodepool.GroupAWS, Version: apiVersion, Resource: "ec2nodeclasses"}
	nodePools   = schema.GroupVersionResource{Group: nodepool.GroupKarpenter, Version: apiVersion, Resource: "nodepools"}
	nodeClaims  = schema.GroupVersionResource{Group: nodepool.GroupKarpenter, Version: apiVersion, Resource: "nodeclaims"}
)

const (
	// poolName is that of the pool, and of the preset that it has.
	poolName     = "cpu"
	specialClass = "special"
)

// clients are those of the administrator.
type clients struct {
	typed   kubernetes.Interface
	dynamic dynamic.Interface
}

func connect(t *testing.T, cloud *localcloud.Cloud) clients {
	t.Helper()
	config, err := cloud.RESTConfig()
	if err != nil {
		t.Fatal(err)
	}
	typed, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return clients{typed: typed, dynamic: dynamic.NewForConfigOrDie(config)}
}

// create makes an object, which must work.
func (k clients) create(t *testing.T, kind schema.GroupVersionResource, object map[string]any) {
	t.Helper()
	_, err := k.dynamic.Resource(kind).Create(t.Context(), &unstructured.Unstructured{Object: object}, metav1.CreateOptions{})
	if err != nil {
		t.Fatalf("creating one of %s: %v", kind.Resource, err)
	}
}

// remove starts the end of an object.
func (k clients) remove(t *testing.T, kind schema.GroupVersionResource, name string) {
	t.Helper()
	if err := k.dynamic.Resource(kind).Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
		t.Fatalf("deleting %s of %s: %v", name, kind.Resource, err)
	}
}

// gone is an error as long as there is an object of a kind, except those that may stay.
func (k clients) gone(ctx context.Context, kind schema.GroupVersionResource, stay ...string) error {
	found, err := k.dynamic.Resource(kind).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, item := range found.Items {
		if !slices.Contains(stay, item.GetName()) {
			return fmt.Errorf("%s of %s is left: %v", item.GetName(), kind.Resource, item.Object["status"])
		}
	}
	return nil
}

// holds is an error until a condition of an object has a status or a reason; it says what the object
// says.
func (k clients) holds(ctx context.Context, kind schema.GroupVersionResource, name, condition, want string) error {
	object, err := k.dynamic.Resource(kind).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	conditions, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
	var others []string
	for _, c := range conditions {
		c, _ := c.(map[string]any)
		if c["type"] == condition && (c["status"] == want || c["reason"] == want) {
			return nil
		}
		if c["status"] != "True" {
			others = append(others, fmt.Sprintf("%v is %v (%v)", c["type"], c["status"], c["message"]))
		}
	}
	return fmt.Errorf("%s of %s: %s is not %s; %s", name, kind.Resource, condition, want, strings.Join(others, ", "))
}

// installDefinitions installs those of Karpenter's own chart of the controller's release.
func (k clients) installDefinitions(t *testing.T) {
	t.Helper()
	tools := os.Getenv(localcloud.ToolsVariable)
	chart := filepath.Join(tools, "charts", "karpenter-crd-"+version(t)+".tgz")
	cmd := exec.CommandContext(t.Context(), filepath.Join(tools, "helm"), "template", "karpenter-crd", chart)
	rendered, err := cmd.Output()
	if err != nil {
		t.Fatalf("rendering %s: %v", chart, err)
	}
	decoder := yaml.NewYAMLOrJSONDecoder(strings.NewReader(string(rendered)), 4096)
	for {
		var definition map[string]any
		err := decoder.Decode(&definition)
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(definition) > 0 {
			k.create(t, crds, definition)
		}
	}
}

// makePools makes node classes and the pool of the library's preset. The pool keeps its nodes: what
// ends them here is the test.
func (k clients) makePools(t *testing.T, cluster string) {
	t.Helper()
	rel, err := release.Find(version(t))
	if err != nil {
		t.Fatal(err)
	}
	team := map[string]nodepool.Scalar{"team": "ml"}
	class := nodepool.NodeClass{Tags: team}
	at := nodepool.Placement{Role: nodeRole, DiscoveryTag: discoveryTag, DiscoveryValue: cluster}
	pool := nodepool.Pool{Preset: poolName, Disruption: nodepool.Disruption{ConsolidateAfter: "Never"}}
	// A class of no pool, with what makes the controller look for reserved and for placed capacity.
	special := nodepool.NodeClass{
		Tags:                             team,
		CapacityReservationSelectorTerms: []nodepool.CapacityReservationSelectorTerm{{Tags: team}},
		PlacementGroupSelector:           &nodepool.PlacementGroupSelector{Name: "ml"},
	}
	for _, made := range []struct {
		resource   schema.GroupVersionResource
		kind, name string
		spec       map[string]any
	}{
		{nodeClasses, nodepool.KindEC2NodeClass, nodepool.DefaultNodeClass, class.Spec(rel, at)},
		{nodeClasses, nodepool.KindEC2NodeClass, specialClass, special.Spec(rel, at)},
		{nodePools, nodepool.KindNodePool, poolName, pool.Spec(rel, class)},
	} {
		k.create(t, made.resource, map[string]any{
			"apiVersion": made.resource.GroupVersion().String(), "kind": made.kind,
			"metadata": map[string]any{"name": made.name}, "spec": made.spec,
		})
	}
}

// makePod makes a pod that only a new node of a capacity type can take.
func (k clients) makePod(t *testing.T, capacityType string) {
	t.Helper()
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: capacityType},
		Spec: corev1.PodSpec{
			NodeSelector: map[string]string{"karpenter.sh/nodepool": poolName, "karpenter.sh/capacity-type": capacityType},
			Containers: []corev1.Container{{
				Name: "work", Image: "work",
				Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("500m")}},
			}},
		},
	}
	if _, err := k.typed.CoreV1().Pods(localcloud.WorkersNamespace).Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}
