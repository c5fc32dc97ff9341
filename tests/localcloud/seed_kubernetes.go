package localcloud

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// WorkersNamespace is where the jobs run.
const WorkersNamespace = "valohai-workers"

// nodeCapacity is what the instance types of the node groups offer.
var nodeCapacity = map[string]corev1.ResourceList{
	"m6i.large":  resources("2", "8Gi", "29"),
	"m6i.xlarge": resources("4", "16Gi", "58"),
}

func resources(cpu, memory, pods string) corev1.ResourceList {
	return corev1.ResourceList{
		corev1.ResourceCPU:    resource.MustParse(cpu),
		corev1.ResourceMemory: resource.MustParse(memory),
		corev1.ResourcePods:   resource.MustParse(pods),
	}
}

// seedKubernetes makes the nodes, aws-auth and the namespace of the workers, and waits until the
// nodes are ready and pods can be created.
func (c *Cloud) seedKubernetes(ctx context.Context) error {
	config, err := c.RESTConfig()
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	facts := c.Facts()
	for _, node := range facts.Nodes {
		if _, err := client.CoreV1().Nodes().Create(ctx, nodeObject(node), metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("creating the node %s: %w", node.Name, err)
		}
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: WorkersNamespace}}
	if _, err := client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("creating the namespace: %w", err)
	}
	configMaps := client.CoreV1().ConfigMaps(metav1.NamespaceSystem)
	if _, err := configMaps.Create(ctx, awsAuth(facts), metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("creating aws-auth: %w", err)
	}
	err = c.poll(ctx, "the nodes and the namespaces", func() (bool, error) {
		return isSettled(ctx, client)
	})
	if err == nil {
		c.logf("Kubernetes is seeded with %d nodes", len(facts.Nodes))
	}
	return err
}

// isSettled says whether kwok has taken the nodes and the controller manager the namespace.
func isSettled(ctx context.Context, client kubernetes.Interface) (bool, error) {
	nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return false, err
	}
	for _, node := range nodes.Items {
		if !isReady(node) || len(node.Spec.Taints) > 0 {
			return false, nil
		}
	}
	accounts, err := client.CoreV1().ServiceAccounts(WorkersNamespace).List(ctx, metav1.ListOptions{})
	return err == nil && len(accounts.Items) > 0, err
}

func isReady(node corev1.Node) bool {
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}

// nodeObject is the Node that the kubelet of an instance of a node group would register.
func nodeObject(node Node) *corev1.Node {
	capacity := nodeCapacity[node.InstanceType]
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name: node.Name,
			Labels: map[string]string{
				corev1.LabelHostname:             node.Name,
				corev1.LabelOSStable:             "linux",
				corev1.LabelArchStable:           "amd64",
				corev1.LabelInstanceTypeStable:   node.InstanceType,
				corev1.LabelTopologyZone:         node.Zone,
				corev1.LabelTopologyRegion:       Region,
				"eks.amazonaws.com/nodegroup":    node.NodeGroup,
				"eks.amazonaws.com/capacityType": "ON_DEMAND",
			},
		},
		Spec: corev1.NodeSpec{ProviderID: fmt.Sprintf("aws:///%s/%s", node.Zone, node.InstanceID)},
		Status: corev1.NodeStatus{
			Capacity:    capacity,
			Allocatable: capacity,
			Addresses: []corev1.NodeAddress{
				{Type: corev1.NodeInternalIP, Address: node.Address},
				{Type: corev1.NodeHostName, Address: node.Name},
			},
			NodeInfo: corev1.NodeSystemInfo{
				KubeletVersion: "v1.34.4-eks-localcloud", OperatingSystem: "linux", Architecture: "amd64",
			},
		},
	}
}

// awsAuth is the ConfigMap of a cluster that people have used for a while.
func awsAuth(facts Facts) *corev1.ConfigMap {
	const mapRoles = `# Managed by the platform team: ask before editing.
- groups:
  - system:bootstrappers
  - system:nodes
  rolearn: NODE
  username: system:node:{{EC2PrivateDNSName}}
- groups:
  - system:bootstrappers
  - system:nodes
  rolearn: OLD # until the last of the old nodes is gone
  username: system:node:{{EC2PrivateDNSName}}
- groups:
  - system:masters
  rolearn: ADMIN
  username: admin
`
	const mapUsers = `- groups:
  - system:masters
  userarn: arn:aws:iam::ACCOUNT:user/ops
  username: ops
`
	names := strings.NewReplacer("NODE", facts.NodeRoleARN, "OLD", facts.OldNodeRoleARN,
		"ADMIN", facts.AdminRoleARN, "ACCOUNT", facts.Account)
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "aws-auth", Namespace: metav1.NamespaceSystem},
		Data:       map[string]string{"mapRoles": names.Replace(mapRoles), "mapUsers": names.Replace(mapUsers)},
	}
}
