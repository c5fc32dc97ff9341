// Package bindings registers the resources and calls the functions whose packages in the Pulumi
// SDKs are too dear to import: aws/ec2, kubernetes/core/v1, and
// kubernetes/helm/v3 with the packages that it drags in cost every user many
// minutes and gigabytes at each compilation of a program.
//
// A binding has the token, the arguments that this library uses, and the
// version of the plugin, exactly as the SDK's own constructor sends them. A
// conformance test holds names and types against the SDKs.
package bindings

import "github.com/pulumi/pulumi/sdk/v3/go/pulumi"

// Versions of the plugins, which are those of the SDKs in go.mod.
const (
	AWSVersion        = "6.83.4"
	KubernetesVersion = "4.25.0"
)

// Tokens of the bound resources.
const (
	TagToken       = "aws:ec2/tag:Tag"
	ReleaseToken   = "kubernetes:helm.sh/v3:Release"
	NamespaceToken = "kubernetes:core/v1:Namespace"

	ConfigMapToken      = "kubernetes:core/v1:ConfigMap"
	ConfigMapPatchToken = "kubernetes:core/v1:ConfigMapPatch"
)

// withVersion puts the plugin's version before the caller's options, in a list
// of its own.
func withVersion(version string, opts []pulumi.ResourceOption) []pulumi.ResourceOption {
	return append([]pulumi.ResourceOption{pulumi.Version(version)}, opts...)
}
