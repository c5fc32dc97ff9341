package bindings

import (
	"reflect"

	metav1 "github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes/meta/v1"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// ConfigMap is a ConfigMap that is only read.
type ConfigMap struct {
	pulumi.CustomResourceState

	Data     pulumi.StringMapOutput  `pulumi:"data"`
	Metadata metav1.ObjectMetaOutput `pulumi:"metadata"`
}

// GetConfigMap reads a ConfigMap, at preview as well. It fails if there is none.
func GetConfigMap(ctx *pulumi.Context, name, namespace, configMap string, opts ...pulumi.ResourceOption) (*ConfigMap, error) {
	known := pulumi.Map{
		"apiVersion": pulumi.String("v1"),
		"kind":       pulumi.String("ConfigMap"),
		"metadata":   pulumi.Map{"name": pulumi.String(configMap), "namespace": pulumi.String(namespace)},
	}
	var found ConfigMap
	err := ctx.ReadResource(ConfigMapToken, name, pulumi.ID(namespace+"/"+configMap), known, &found, withVersion(KubernetesVersion, opts)...)
	if err != nil {
		return nil, err
	}
	return &found, nil
}

// ConfigMapPatch sets keys of a ConfigMap that somebody else owns.
//
// Source: https://www.pulumi.com/registry/packages/kubernetes/api-docs/core/v1/configmappatch/
type ConfigMapPatch struct {
	pulumi.CustomResourceState
}

// ConfigMapPatchArgs are the arguments of NewConfigMapPatch.
type ConfigMapPatchArgs struct {
	// Data are the keys to set. Keys that it lacks are left alone.
	Data pulumi.StringMapInput
	// Metadata names the ConfigMap.
	Metadata metav1.ObjectMetaPatchPtrInput

	// ApiVersion and Kind are set by NewConfigMapPatch.
	ApiVersion, Kind pulumi.StringPtrInput
}

type configMapPatchArgs struct {
	ApiVersion *string                 `pulumi:"apiVersion"`
	Data       map[string]string       `pulumi:"data"`
	Kind       *string                 `pulumi:"kind"`
	Metadata   *metav1.ObjectMetaPatch `pulumi:"metadata"`
}

// ElementType implements pulumi.Input.
func (ConfigMapPatchArgs) ElementType() reflect.Type { return reflect.TypeFor[configMapPatchArgs]() }

// NewConfigMapPatch sets keys of a ConfigMap.
func NewConfigMapPatch(ctx *pulumi.Context, name string, args *ConfigMapPatchArgs, opts ...pulumi.ResourceOption) (*ConfigMapPatch, error) {
	sent := *args
	sent.ApiVersion, sent.Kind = pulumi.StringPtr("v1"), pulumi.StringPtr("ConfigMap") // as the SDK's constructor sends them
	var patch ConfigMapPatch
	if err := ctx.RegisterResource(ConfigMapPatchToken, name, &sent, &patch, withVersion(KubernetesVersion, opts)...); err != nil {
		return nil, err
	}
	return &patch, nil
}
