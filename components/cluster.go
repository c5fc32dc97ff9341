package components

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/internal/names"
)

// Cluster holds the facts of an EKS cluster that the components need.
// LookupCluster reads them from AWS. A program that makes the cluster itself
// fills a Cluster with its outputs, which may be unknown at preview.
//
// A fact that decides which resources exist, or that must be checked before
// anything is made, is a plain value; the others are inputs.
type Cluster struct {
	// Name of the cluster. Required.
	Name pulumi.StringInput
	// Partition of the cluster's ARN, such as "aws", "aws-cn" or "aws-us-gov".
	// Required.
	Partition pulumi.StringInput
	// Region of the cluster, such as "eu-west-1". Required.
	Region pulumi.StringInput
	// AccountId is the twelve digits of the cluster's account. Required.
	AccountId pulumi.StringInput

	// Endpoint is the URL of the Kubernetes API server. Required by
	// KarpenterChart.
	Endpoint pulumi.StringInput
	// CertificateAuthority is the API server's CA certificate, base64-encoded as
	// EKS reports it. The components do not need it; Kubeconfig does.
	CertificateAuthority pulumi.StringInput
	// OidcIssuer is the URL of the cluster's OIDC issuer, with or without its
	// scheme. Required by KarpenterIAM, unless it uses Pod Identity.
	OidcIssuer pulumi.StringInput
	// OidcProviderArn is the IAM OIDC provider of that issuer. Required by
	// KarpenterIAM, unless it makes one or uses Pod Identity.
	OidcProviderArn pulumi.StringInput
	// OwnsOidcProvider: the provider is one that KarpenterIAM made.
	OwnsOidcProvider bool
	// LacksPodIdentityAgent: the cluster is known to have no add-on
	// eks-pod-identity-agent, which Pod Identity needs.
	LacksPodIdentityAgent bool
	// SecurityGroupId is the cluster security group, which EKS made. Required by
	// SubnetTagging.
	SecurityGroupId pulumi.StringInput
	// Subnets are the ids of the subnets for new nodes, by a key of the user's
	// choice that names the subnet in Pulumi's state. LookupCluster takes the
	// subnets of all managed node groups, by their ids. Required by
	// SubnetTagging.
	Subnets map[string]pulumi.StringInput

	// DiscoveryTag is the key of the tag by which node classes find the subnets
	// and the security group; its value is the cluster's name. Choose a key of
	// your own where another cluster's Karpenter has tagged the same subnets.
	// Default: "karpenter.sh/discovery".
	DiscoveryTag string
	// SelectByIds makes node classes name the subnets and the security group by
	// their ids, and leaves everything without a tag.
	SelectByIds bool

	// KubernetesVersion is the cluster's Kubernetes minor, such as "1.34".
	// Required.
	KubernetesVersion string
	// AuthenticationMode is API, API_AND_CONFIG_MAP or CONFIG_MAP. Empty is
	// CONFIG_MAP, which clusters had before there was a choice.
	AuthenticationMode string
	// IpFamily is "ipv4" or "ipv6". Default: "ipv4".
	IpFamily string
	// NodeGroups are the managed node groups on whose nodes the controller may
	// run. Empty: any node that Karpenter did not make.
	NodeGroups []string
	// SystemNodes is how many nodes those node groups want to have. With fewer
	// than two, the controller runs once instead of twice. 0: not known.
	SystemNodes int
}

// The authentication modes of EKS.
//
// Source: https://docs.aws.amazon.com/eks/latest/userguide/grant-k8s-access.html
const (
	authenticationAPI             = "API"
	authenticationAPIAndConfigMap = "API_AND_CONFIG_MAP"
	authenticationConfigMap       = "CONFIG_MAP"
)

const (
	familyIPv4 = "ipv4"
	familyIPv6 = "ipv6"
)

// defaultDiscoveryTag is the key that Karpenter's own guides use.
const defaultDiscoveryTag = "karpenter.sh/discovery"

func (c *Cluster) discoveryTag() string { return defaulted(c.DiscoveryTag, defaultDiscoveryTag) }

// check returns the faults of the facts that every component needs.
func (c *Cluster) check() error {
	if c == nil {
		return errors.New("Cluster: missing: use LookupCluster, or fill in the facts of your own cluster")
	}
	var f faults
	f.require("Cluster.Name", c.Name != nil)
	f.require("Cluster.Partition", c.Partition != nil)
	f.require("Cluster.Region", c.Region != nil)
	f.require("Cluster.AccountId", c.AccountId != nil)
	f.require("Cluster.KubernetesVersion", c.KubernetesVersion != "")
	switch c.AuthenticationMode {
	case "", authenticationAPI, authenticationAPIAndConfigMap, authenticationConfigMap:
	default:
		f.add("Cluster.AuthenticationMode", fmt.Sprintf("found %q", c.AuthenticationMode),
			"use API, API_AND_CONFIG_MAP or CONFIG_MAP")
	}
	switch c.IpFamily {
	case "", familyIPv4, familyIPv6:
	default:
		f.add("Cluster.IpFamily", fmt.Sprintf("found %q", c.IpFamily), "use ipv4 or ipv6")
	}
	return errors.Join(f...)
}

// arn returns the ARN of something in the cluster's region and account.
func (c *Cluster) arn(service string, resource pulumi.StringInput) pulumi.StringOutput {
	return pulumi.Sprintf("arn:%s:%s:%s:%s:%s", c.Partition, service, c.Region, c.AccountId, resource)
}

// named returns the name of something that belongs to the cluster, with a prefix
// of the user's choice.
func (c *Cluster) named(prefix string, get func(names.Names) string) pulumi.StringOutput {
	return stringOf(func(cluster string) string { return get(names.For(prefix, cluster)) }, c.Name)
}

// subnetIds are the subnets for new nodes, sorted by their keys.
func (c *Cluster) subnetIds() pulumi.StringArray {
	var ids pulumi.StringArray
	for _, key := range slices.Sorted(maps.Keys(c.Subnets)) {
		ids = append(ids, c.Subnets[key])
	}
	return ids
}
