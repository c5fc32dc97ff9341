package localcloud

import (
	"context"
	"encoding/json"
	"fmt"
)

// Facts are what a cluster was seeded with.
type Facts struct {
	ClusterName        string `json:"clusterName"`
	ClusterARN         string `json:"clusterArn"`
	Region             string `json:"region"`
	Account            string `json:"account"`
	KubernetesVersion  string `json:"kubernetesVersion"`
	AuthenticationMode string `json:"authenticationMode"`
	VPC                string `json:"vpc"`
	// PrivateSubnets and PublicSubnets are one for each of the zones a, b and c.
	PrivateSubnets []string `json:"privateSubnets"`
	PublicSubnets  []string `json:"publicSubnets"`
	// NodeGroups are the subnets of each managed node group; the two share one.
	NodeGroups           map[string][]string `json:"nodeGroups"`
	Nodes                []Node              `json:"nodes"`
	ClusterSecurityGroup string              `json:"clusterSecurityGroup"`
	// Issuer is the URL of the cluster's OIDC issuer.
	Issuer string `json:"issuer"`
	// OIDCProviderARN is empty without a provider.
	OIDCProviderARN string `json:"oidcProviderArn"`
	ClusterRoleARN  string `json:"clusterRoleArn"`
	// NodeRoleARN is the role of both node groups; aws-auth names the old one and the admin's too.
	NodeRoleARN    string `json:"nodeRoleArn"`
	OldNodeRoleARN string `json:"oldNodeRoleArn"`
	AdminRoleARN   string `json:"adminRoleArn"`
}

// Node is a node of a managed node group: an instance in EC2, a Node object in Kubernetes.
type Node struct {
	Name         string `json:"name"`
	Address      string `json:"address"`
	NodeGroup    string `json:"nodeGroup"`
	InstanceID   string `json:"instanceId"`
	InstanceType string `json:"instanceType"`
	Zone         string `json:"zone"`
}

// seedOptions are the options of seed.py.
type seedOptions struct {
	Name               string `json:"name"`
	Region             string `json:"region"`
	KubernetesVersion  string `json:"kubernetesVersion"`
	AuthenticationMode string `json:"authenticationMode"`
	NoNodeGroups       bool   `json:"noNodeGroups"`
	NoOIDCProvider     bool   `json:"noOIDCProvider"`
	CreateCaller       bool   `json:"createCaller"`
}

// seedResult is what seed.py writes.
type seedResult struct {
	Credentials credentials `json:"credentials"`
	Facts       Facts       `json:"facts"`
}

// seedAWS seeds the first cluster and takes over the credentials of its creator.
func (c *Cloud) seedAWS(ctx context.Context, cluster ClusterOptions) error {
	// Nobody exists yet, and moto lets anybody do anything.
	result, err := c.runSeed(ctx, cluster, true, "AWS_ACCESS_KEY_ID=bootstrap", "AWS_SECRET_ACCESS_KEY=bootstrap")
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state.Credentials, c.state.Facts = result.Credentials, result.Facts
	c.logf("AWS is seeded with the cluster %s", result.Facts.ClusterName)
	return c.state.write(c.dir)
}

// AddCluster adds an EKS cluster with a network of its own to the running cloud. It is served by
// the same API server, in which nothing is changed: its nodes exist in EC2 only.
func (c *Cloud) AddCluster(ctx context.Context, cluster ClusterOptions) (Facts, error) {
	cluster, err := cluster.withDefaults()
	if err != nil {
		return Facts{}, err
	}
	result, err := c.runSeed(ctx, cluster, false)
	return result.Facts, err
}

func (c *Cloud) runSeed(ctx context.Context, cluster ClusterOptions, createCaller bool, env ...string) (seedResult, error) {
	var result seedResult
	input, err := json.Marshal(seedOptions{
		Name:               cluster.Name,
		Region:             Region,
		KubernetesVersion:  cluster.KubernetesVersion,
		AuthenticationMode: cluster.AuthenticationMode,
		NoNodeGroups:       cluster.WithoutNodeGroups,
		NoOIDCProvider:     cluster.WithoutOIDCProvider,
		CreateCaller:       createCaller,
	})
	if err != nil {
		return result, err
	}
	output, err := c.python(ctx, "seed", string(input), env...)
	if err == nil {
		err = json.Unmarshal(output, &result)
	}
	if err != nil {
		return result, fmt.Errorf("seeding AWS with the cluster %s: %w", cluster.Name, err)
	}
	return result, nil
}
