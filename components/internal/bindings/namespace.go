package bindings

import "github.com/pulumi/pulumi/sdk/v3/go/pulumi"

// Namespace is a Kubernetes namespace that is only read.
type Namespace struct {
	pulumi.CustomResourceState
}

// GetNamespace reads a namespace. It fails, at preview as well, if the cluster
// cannot be reached or has no such namespace.
func GetNamespace(ctx *pulumi.Context, name, namespace string, opts ...pulumi.ResourceOption) (*Namespace, error) {
	// What is known is sent along: the provider takes it for the inputs, and a
	// refresh would otherwise report what it finds as a change.
	known := pulumi.Map{
		"apiVersion": pulumi.String("v1"),
		"kind":       pulumi.String("Namespace"),
		"metadata":   pulumi.Map{"name": pulumi.String(namespace)},
	}
	var ns Namespace
	err := ctx.ReadResource(NamespaceToken, name, pulumi.ID(namespace), known, &ns, withVersion(KubernetesVersion, opts)...)
	if err != nil {
		return nil, err
	}
	return &ns, nil
}
