package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components"
	"github.com/valohai/pulumi-kubernetes-autoscaling/components/policy"
	"github.com/valohai/pulumi-kubernetes-autoscaling/internal/recorded"
	"github.com/valohai/pulumi-kubernetes-autoscaling/stacks/karpenter/internal/config"
)

// complete fills in the facts that follow from others or from the
// configuration, and refuses facts of another cluster than the configuration's.
func complete(c *config.Config, facts *components.ClusterFacts) error {
	arn := strings.SplitN(facts.Arn, ":", 6)
	if len(arn) == 6 && arn[5] != "cluster/"+c.ClusterName {
		return fmt.Errorf("arn: found %q, and the configuration is for cluster %q: take the facts of that one", facts.Arn, c.ClusterName)
	}
	if facts.OidcProviderArn == "" && facts.OidcIssuer != "" && !c.CreateOidcProvider && len(arn) == 6 {
		facts.OidcProviderArn = "arn:" + arn[1] + ":iam::" + arn[4] + ":oidc-provider/" + policy.IssuerHost(facts.OidcIssuer)
	}
	if len(c.SubnetIds) > 0 {
		facts.SubnetIds = c.SubnetIds
	} else {
		facts.SubnetIds = append(facts.SubnetIds, c.AdditionalSubnetIds...)
	}
	return nil
}

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
			"arn": e.nodeRoleArn, "assumeRolePolicy": policy.NodeTrust(string(e.cluster.Partition.(pulumi.String))).JSON(),
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
	plain := func(in pulumi.StringInput) string { return string(in.(pulumi.String)) }
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
