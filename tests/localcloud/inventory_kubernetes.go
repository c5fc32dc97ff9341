package localcloud

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// KubernetesInventory is what exists in Kubernetes: sorted names.
type KubernetesInventory struct {
	Namespaces []string `json:"namespaces"`
	CRDs       []string `json:"crds"`
	// AWSAuth is the data of the ConfigMap aws-auth.
	AWSAuth map[string]string `json:"awsAuth"`
	// Deployments and HelmSecrets are those of kube-system.
	Deployments []string `json:"deployments"`
	HelmSecrets []string `json:"helmSecrets"`
	// ClusterRoles are those that Kubernetes does not make itself.
	ClusterRoles   []string `json:"clusterRoles"`
	NodePools      []string `json:"nodePools"`
	EC2NodeClasses []string `json:"ec2NodeClasses"`
	NodeClaims     []string `json:"nodeClaims"`
}

var (
	crds            = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	nodePools       = schema.GroupVersionResource{Group: "karpenter.sh", Version: "v1", Resource: "nodepools"}
	ec2NodeClasses  = schema.GroupVersionResource{Group: "karpenter.k8s.aws", Version: "v1", Resource: "ec2nodeclasses"}
	nodeClaims      = schema.GroupVersionResource{Group: "karpenter.sh", Version: "v1", Resource: "nodeclaims"}
	namespaces      = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	secrets         = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
	deployments     = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	clusterRoles    = schema.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles"}
	notOfKubernetes = "!kubernetes.io/bootstrapping"
)

func (c *Cloud) kubernetesInventory(ctx context.Context) (KubernetesInventory, error) {
	var inventory KubernetesInventory
	config, err := c.RESTConfig()
	if err != nil {
		return inventory, err
	}
	if inventory.AWSAuth, err = awsAuthData(ctx, config); err != nil {
		return inventory, err
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return inventory, err
	}
	const system = metav1.NamespaceSystem
	for _, list := range []struct {
		names     *[]string
		resource  schema.GroupVersionResource
		namespace string
		options   metav1.ListOptions
	}{
		{names: &inventory.Namespaces, resource: namespaces},
		{names: &inventory.CRDs, resource: crds},
		{names: &inventory.Deployments, resource: deployments, namespace: system},
		{names: &inventory.HelmSecrets, resource: secrets, namespace: system, options: metav1.ListOptions{FieldSelector: "type=helm.sh/release.v1"}},
		{names: &inventory.ClusterRoles, resource: clusterRoles, options: metav1.ListOptions{LabelSelector: notOfKubernetes}},
		{names: &inventory.NodePools, resource: nodePools},
		{names: &inventory.EC2NodeClasses, resource: ec2NodeClasses},
		{names: &inventory.NodeClaims, resource: nodeClaims},
	} {
		found, err := client.Resource(list.resource).Namespace(list.namespace).List(ctx, list.options)
		if apierrors.IsNotFound(err) {
			continue // its CRD is not installed
		}
		if err != nil {
			return inventory, fmt.Errorf("listing %s: %w", list.resource.Resource, err)
		}
		for _, item := range found.Items {
			*list.names = append(*list.names, item.GetName())
		}
		slices.Sort(*list.names)
	}
	return inventory, nil
}

// awsAuthData is nil without the ConfigMap.
func awsAuthData(ctx context.Context, config *rest.Config) (map[string]string, error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	found, err := client.CoreV1().ConfigMaps(metav1.NamespaceSystem).Get(ctx, "aws-auth", metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading aws-auth: %w", err)
	}
	return found.Data, nil
}
