package scheduler

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	awsv1 "github.com/aws/karpenter-provider-aws/pkg/apis/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	karpv1 "sigs.k8s.io/karpenter/pkg/apis/v1"
)

func init() {
	// As the init function of the operator has it, which main packages import.
	karpv1.NormalizedLabels["topology.ebs.csi.aws.com/zone"] = corev1.LabelTopologyZone
}

// newKubeClient returns the client of a cluster that has the pools and classes,
// the namespaces of the pods, and nothing else.
func newKubeClient(ctx context.Context, o Options, pods []*corev1.Pod) (client.Client, error) {
	var objects []client.Object
	classes := map[string]bool{}
	for _, data := range o.Classes {
		class, err := newClass(data, o)
		if err != nil {
			return nil, err
		}
		classes[class.Name] = true
		objects = append(objects, class)
	}
	for _, data := range o.Pools {
		pool, err := newPool(ctx, data, classes)
		if err != nil {
			return nil, err
		}
		objects = append(objects, pool)
	}
	namespaces := map[string]bool{}
	for _, pod := range pods {
		if name := namespaceOf(pod); !namespaces[name] {
			namespaces[name] = true
			objects = append(objects, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
				Name: name, Labels: map[string]string{corev1.LabelMetadataName: name},
			}})
		}
	}
	// The types of Karpenter are in this scheme once their packages are imported.
	kube := fake.NewClientBuilder().WithScheme(scheme.Scheme).Build()
	for _, object := range objects {
		if err := kube.Create(ctx, object); err != nil {
			return nil, err
		}
	}
	return kube, nil
}

// newClass reads an EC2NodeClass and gives it a subnet in each zone.
func newClass(data map[string]any, o Options) (*awsv1.EC2NodeClass, error) {
	class := &awsv1.EC2NodeClass{}
	if err := convert(data, class); err != nil {
		return nil, err
	}
	if class.Spec.PlacementGroupSelector != nil || len(class.Spec.CapacityReservationSelectorTerms) > 0 {
		return nil, fmt.Errorf("EC2NodeClass %s: placement groups and capacity reservations are not simulated", class.Name)
	}
	class.Status = awsv1.EC2NodeClassStatus{}
	for _, zone := range o.Zones {
		id, err := zoneID(zone)
		if err != nil {
			return nil, err
		}
		class.Status.Subnets = append(class.Status.Subnets, awsv1.Subnet{ID: "subnet-" + id, Zone: zone, ZoneID: id})
	}
	return class, nil
}

// newPool reads a NodePool and makes it ready, as the controllers of its status
// would.
func newPool(ctx context.Context, data map[string]any, classes map[string]bool) (*karpv1.NodePool, error) {
	pool := &karpv1.NodePool{}
	if err := convert(data, pool); err != nil {
		return nil, err
	}
	ref := pool.Spec.Template.Spec.NodeClassRef
	if ref == nil {
		return nil, fmt.Errorf("NodePool %s: no nodeClassRef", pool.Name)
	}
	if err := pool.RuntimeValidate(ctx); err != nil {
		return nil, fmt.Errorf("NodePool %s: %w", pool.Name, err)
	}
	pool.Status = karpv1.NodePoolStatus{}
	pool.StatusConditions().SetTrue(karpv1.ConditionTypeValidationSucceeded)
	if classes[ref.Name] {
		pool.StatusConditions().SetTrue(karpv1.ConditionTypeNodeClassReady)
	}
	return pool, nil
}

// convert reads an object of the API, as the API server does with what has
// passed its validation.
func convert(data map[string]any, into client.Object) error {
	text, err := json.Marshal(data)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("reading a %T: %w", into, err)
	}
	if into.GetName() == "" {
		return fmt.Errorf("a %T has no name", into)
	}
	into.SetResourceVersion("")
	return nil
}

// zoneID returns an id such as use1-az1 for us-east-1a. Which zone has which id
// differs between accounts: here the letters are in the order of the numbers.
func zoneID(zone string) (string, error) {
	region, letter := zone[:max(len(zone)-1, 0)], zone[max(len(zone)-1, 0):]
	parts := strings.Split(region, "-")
	if len(parts) < 3 || letter < "a" || letter > "z" {
		return "", fmt.Errorf("%q is not an availability zone", zone)
	}
	id := parts[0]
	for _, part := range parts[1 : len(parts)-1] {
		for _, point := range []string{"north", "south"} {
			if rest, ok := strings.CutPrefix(part, point); ok && rest != "" {
				id += point[:1]
				part = rest
			}
		}
		id += part[:1]
	}
	return fmt.Sprintf("%s%s-az%d", id, parts[len(parts)-1], letter[0]-'a'+1), nil
}

// admitted returns a copy of a pod as the API server stores it, so far as the
// scheduler sees a difference: a container requests what it is limited to, if
// it does not say otherwise. The pod is waiting for a node.
func admitted(pod *corev1.Pod) *corev1.Pod {
	pod = pod.DeepCopy()
	pod.Namespace = namespaceOf(pod)
	if pod.UID == "" {
		pod.UID = types.UID(pod.Namespace + "/" + pod.Name)
	}
	pod.Status.Phase = corev1.PodPending
	for _, containers := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range containers {
			resources := &containers[i].Resources
			for name, limit := range resources.Limits {
				if _, ok := resources.Requests[name]; ok {
					continue
				}
				if resources.Requests == nil {
					resources.Requests = corev1.ResourceList{}
				}
				resources.Requests[name] = limit.DeepCopy()
			}
		}
	}
	return pod
}

// namespaceOf returns the namespace that a pod would be created in.
func namespaceOf(pod *corev1.Pod) string {
	if pod.Namespace == "" {
		return metav1.NamespaceDefault
	}
	return pod.Namespace
}
