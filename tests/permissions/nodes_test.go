package permissions

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/valohai/pulumi-kubernetes-autoscaling/tests/localcloud"
)

// nodeClaim is what the test needs of a NodeClaim.
type nodeClaim struct {
	name, capacityType, providerID string
	// node is empty until the node has registered.
	node string
	// tagged: the controller has named the instance after its node.
	tagged bool
	labels map[string]string
}

// instance is the id in a provider id such as aws:///us-east-1a/i-1.
func (n nodeClaim) instance() string { return n.providerID[strings.LastIndex(n.providerID, "/")+1:] }

func (k clients) claims(ctx context.Context) ([]nodeClaim, error) {
	found, err := k.dynamic.Resource(nodeClaims).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	var claims []nodeClaim
	for _, item := range found.Items {
		text := func(path ...string) string {
			value, _, _ := unstructured.NestedString(item.Object, path...)
			return value
		}
		claims = append(claims, nodeClaim{
			name: item.GetName(), capacityType: item.GetLabels()["karpenter.sh/capacity-type"],
			providerID: text("status", "providerID"), node: text("status", "nodeName"),
			tagged: item.GetAnnotations()["karpenter.k8s.aws/tagged"] == "true", labels: item.GetLabels(),
		})
	}
	return claims, nil
}

// register makes the Node of a launched NodeClaim, as the kubelet of its instance would.
func (k clients) register(ctx context.Context, claim nodeClaim) error {
	nodes := k.typed.CoreV1().Nodes()
	if _, err := nodes.Get(ctx, claim.instance(), metav1.GetOptions{}); err == nil {
		return nil
	}
	offers := corev1.ResourceList{
		corev1.ResourceCPU:    resource.MustParse("2"),
		corev1.ResourceMemory: resource.MustParse("4Gi"),
		corev1.ResourcePods:   resource.MustParse("20"),
	}
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: claim.instance(), Labels: claim.labels},
		Spec: corev1.NodeSpec{
			ProviderID: claim.providerID,
			Taints:     []corev1.Taint{{Key: "karpenter.sh/unregistered", Effect: corev1.TaintEffectNoExecute}},
		},
		Status: corev1.NodeStatus{Capacity: offers, Allocatable: offers},
	}
	_, err := nodes.Create(ctx, node, metav1.CreateOptions{})
	return err
}

// settled registers the nodes of the launched claims, and is an error until all pods run on such
// nodes and the controller has done with these.
func (k clients) settled(ctx context.Context, pods int) error {
	claims, err := k.claims(ctx)
	if err != nil {
		return err
	}
	for _, claim := range claims {
		if claim.providerID == "" {
			return fmt.Errorf("%s is not launched", claim.name)
		}
		if err := k.register(ctx, claim); err != nil {
			return err
		}
		if !claim.tagged {
			return fmt.Errorf("the instance of %s is not tagged, its node is %q", claim.name, claim.node)
		}
		if err := k.holds(ctx, nodeClaims, claim.name, "Initialized", "True"); err != nil {
			return err
		}
	}
	running, err := k.typed.CoreV1().Pods(localcloud.WorkersNamespace).List(ctx, metav1.ListOptions{FieldSelector: "status.phase=Running"})
	if err != nil {
		return err
	}
	if len(running.Items) != pods || len(claims) != pods {
		return fmt.Errorf("%d pods run and there are %d node claims, want %d of each", len(running.Items), len(claims), pods)
	}
	return nil
}
