package main

import (
	"errors"
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components"
	"github.com/valohai/pulumi-kubernetes-autoscaling/components/policy"
	"github.com/valohai/pulumi-kubernetes-autoscaling/internal/recorded"
	"github.com/valohai/pulumi-kubernetes-autoscaling/stacks/karpenter/internal/config"
)

// complete fills in what follows from other facts or from the configuration, and
// refuses the facts of another cluster than the configuration's.
func complete(c *config.Config, facts components.ClusterFacts) (*components.Cluster, error) {
	if len(c.SubnetIds) > 0 {
		facts.SubnetIds = c.SubnetIds
	} else {
		facts.SubnetIds = append(facts.SubnetIds, c.AdditionalSubnetIds...)
	}
	cluster, err := facts.Cluster()
	if err != nil {
		return nil, err
	}
	if plain(cluster.Name) != c.ClusterName {
		return nil, fmt.Errorf("arn: found %q, and the configuration is for cluster %q: take the facts of that one", facts.Arn, c.ClusterName)
	}
	if cluster.OidcProviderArn == nil && facts.OidcIssuer != "" && !c.CreateOidcProvider {
		cluster.OidcProviderArn = pulumi.String("arn:" + plain(cluster.Partition) + ":iam::" + plain(cluster.AccountId) +
			":oidc-provider/" + policy.IssuerHost(facts.OidcIssuer))
	}
	cluster.DiscoveryTag, cluster.SelectByIds = c.DiscoveryTag, c.SelectByIds
	return cluster, nil
}

// plain is a fact of a cluster that was given as a plain value.
func plain(in pulumi.StringInput) string { return string(in.(pulumi.String)) }

// dryRun runs the stack's component for a cluster that is out of reach.
func dryRun(c *config.Config, cluster *components.Cluster, stack string) (*recorded.Program, error) {
	cloud := emptyCloud{cluster: cluster, nodeRoleArn: c.NodeRoleArn}
	return recorded.Run(func(ctx *pulumi.Context) error {
		_, err := components.NewKarpenter(ctx, "karpenter", c.Karpenter(cluster))
		return err
	}, recorded.Options{
		Project: config.Project, Stack: stack, Functions: cloud.functions(), Outputs: cloud.outputs,
	})
}

// emptyCloud answers as AWS and Kubernetes would if nothing of the stack were
// there yet.
type emptyCloud struct {
	cluster     *components.Cluster
	nodeRoleArn string
}

func (e emptyCloud) functions() recorded.Functions {
	found := func(m map[string]any) func(resource.PropertyMap) (resource.PropertyMap, error) {
		return func(resource.PropertyMap) (resource.PropertyMap, error) {
			return resource.NewPropertyMapFromMap(m), nil
		}
	}
	return recorded.Functions{
		"aws:iam/getRole:getRole": found(map[string]any{
			"arn": e.nodeRoleArn, "assumeRolePolicy": policy.NodeTrust(plain(e.cluster.Partition)).JSON(),
		}),
		"aws:eks/getAccessEntry:getAccessEntry": func(resource.PropertyMap) (resource.PropertyMap, error) {
			return nil, errors.New("couldn't find resource")
		},
		"kubernetes:core/v1:ConfigMap": found(map[string]any{"data": map[string]any{}, "metadata": map[string]any{"annotations": map[string]any{}}}),
	}
}

// outputs are the ARNs and URLs that AWS computes from what it is given.
func (e emptyCloud) outputs(r recorded.Resource) resource.PropertyMap {
	text := func(key resource.PropertyKey) string {
		if v := r.Inputs[key]; v.IsString() {
			return v.StringValue()
		}
		return ""
	}
	partition, region, account := plain(e.cluster.Partition), plain(e.cluster.Region), plain(e.cluster.AccountId)
	global := "arn:" + partition + ":iam::" + account + ":"
	computed := func(pairs ...string) resource.PropertyMap {
		m := resource.PropertyMap{}
		for i := 0; i < len(pairs); i += 2 {
			m[resource.PropertyKey(pairs[i])] = resource.NewProperty(pairs[i+1])
		}
		return m
	}
	switch r.Type {
	case typeRole:
		return computed("arn", global+"role"+text("path")+text("name"))
	case typePolicy:
		return computed("arn", global+"policy"+text("path")+text("name"))
	case typeProfile:
		return computed("arn", global+"instance-profile"+text("path")+text("name"))
	case "aws:iam/openIdConnectProvider:OpenIdConnectProvider":
		return computed("arn", global+"oidc-provider/"+policy.IssuerHost(text("url")))
	case typeQueue:
		return computed("arn", "arn:"+partition+":sqs:"+region+":"+account+":"+text("name"))
	}
	return nil
}
