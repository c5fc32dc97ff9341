package components

import (
	"fmt"
	"regexp"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// ClusterFacts are the facts of an EKS cluster as plain values: what LookupCluster
// reads from AWS, or what a file says of a cluster that is out of reach. Each
// field is that of Cluster; Arn names the partition, the region, the account and
// the cluster.
type ClusterFacts struct {
	// Arn of the cluster, such as
	// "arn:aws:eks:eu-west-1:111122223333:cluster/ml-prod". Required.
	Arn string `json:"arn"`
	// KubernetesVersion is its minor, such as "1.34". Required.
	KubernetesVersion     string   `json:"kubernetesVersion"`
	Endpoint              string   `json:"endpoint"`
	CertificateAuthority  string   `json:"certificateAuthority"`
	OidcIssuer            string   `json:"oidcIssuer"`
	OidcProviderArn       string   `json:"oidcProviderArn"`
	OwnsOidcProvider      bool     `json:"ownsOidcProvider"`
	LacksPodIdentityAgent bool     `json:"lacksPodIdentityAgent"`
	SecurityGroupId       string   `json:"securityGroupId"`
	SubnetIds             []string `json:"subnetIds"`
	AuthenticationMode    string   `json:"authenticationMode"`
	IpFamily              string   `json:"ipFamily"`
	NodeGroups            []string `json:"nodeGroups"`
	SystemNodes           int      `json:"systemNodes"`
}

var clusterArnForm = regexp.MustCompile(`^arn:(aws[a-z-]*):eks:([a-z0-9-]+):([0-9]{12}):cluster/([0-9A-Za-z][\w-]{0,99})$`)

// Cluster returns the facts as the components take them. A fact that is empty is
// missing, and a component that needs it says so.
func (f ClusterFacts) Cluster() (*Cluster, error) {
	arn := clusterArnForm.FindStringSubmatch(f.Arn)
	if arn == nil {
		return nil, fmt.Errorf("arn: found %q, allowed is the ARN of an EKS cluster: "+
			"`aws eks describe-cluster --name NAME --query cluster.arn` prints it", f.Arn)
	}
	cluster := &Cluster{
		Name:                  pulumi.String(arn[4]),
		Partition:             pulumi.String(arn[1]),
		Region:                pulumi.String(arn[2]),
		AccountId:             pulumi.String(arn[3]),
		Endpoint:              given(f.Endpoint),
		CertificateAuthority:  given(f.CertificateAuthority),
		OidcIssuer:            given(f.OidcIssuer),
		OidcProviderArn:       given(f.OidcProviderArn),
		OwnsOidcProvider:      f.OwnsOidcProvider,
		LacksPodIdentityAgent: f.LacksPodIdentityAgent,
		SecurityGroupId:       given(f.SecurityGroupId),
		Subnets:               map[string]pulumi.StringInput{},
		KubernetesVersion:     f.KubernetesVersion,
		AuthenticationMode:    f.AuthenticationMode,
		IpFamily:              f.IpFamily,
		NodeGroups:            f.NodeGroups,
		SystemNodes:           f.SystemNodes,
	}
	for _, id := range f.SubnetIds {
		cluster.Subnets[id] = pulumi.String(id)
	}
	return cluster, nil
}

// given returns a value, or nil for an empty one.
func given(value string) pulumi.StringInput {
	if value == "" {
		return nil
	}
	return pulumi.String(value)
}
