package components

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/eks"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/internal/bindings"
)

// LookupClusterArgs say which cluster to read.
type LookupClusterArgs struct {
	// Name of the EKS cluster. Required.
	Name string
	// SubnetIds are the subnets for new nodes. Default: those of all managed
	// node groups. Required for a cluster without managed node groups.
	SubnetIds []string
	// DiscoveryTag: see Cluster.DiscoveryTag.
	DiscoveryTag string
}

// LookupCluster reads the facts of an existing EKS cluster from AWS, at preview
// too. The options choose the AWS provider. It returns an error that says what
// to do if the cluster does not exist in the provider's region and account, is
// not active, or has no node group to take subnets from.
func LookupCluster(ctx *pulumi.Context, args *LookupClusterArgs, opts ...pulumi.InvokeOption) (*Cluster, error) {
	if args == nil || args.Name == "" {
		return nil, errors.New("LookupClusterArgs.Name: missing: it is required")
	}
	var found *eks.LookupClusterResult
	var groups *eks.GetNodeGroupsResult
	err := parallel(
		func() (err error) {
			found, err = eks.LookupCluster(ctx, &eks.LookupClusterArgs{Name: args.Name}, opts...)
			return err
		},
		func() (err error) {
			groups, err = eks.GetNodeGroups(ctx, &eks.GetNodeGroupsArgs{ClusterName: args.Name}, opts...)
			return err
		},
	)
	if err != nil {
		return nil, notFound(ctx, args.Name, err, opts)
	}
	cluster, err := factsOf(found)
	if err != nil {
		return nil, err
	}
	nodeGroups := make([]*eks.LookupNodeGroupResult, len(groups.Names))
	reads := []func() error{func() error { return lookupOidcProvider(ctx, cluster, found, opts) }}
	for i, group := range groups.Names {
		reads = append(reads, func() (err error) {
			nodeGroups[i], err = eks.LookupNodeGroup(ctx,
				&eks.LookupNodeGroupArgs{ClusterName: args.Name, NodeGroupName: group}, opts...)
			return err
		})
	}
	if err := parallel(reads...); err != nil {
		return nil, fmt.Errorf("reading EKS cluster %q: %w", args.Name, err)
	}
	if err := cluster.takeNodeGroups(args, nodeGroups); err != nil {
		return nil, err
	}
	cluster.DiscoveryTag = args.DiscoveryTag
	return cluster, cluster.checkDiscovery(ctx, args.Name, opts)
}

// factsOf returns what DescribeCluster tells. The ARN names the partition, the
// region and the account, so that no further call is needed for them.
func factsOf(found *eks.LookupClusterResult) (*Cluster, error) {
	if found.Status != "ACTIVE" && found.Status != "UPDATING" {
		return nil, fmt.Errorf("EKS cluster %q: status %s: wait until it is ACTIVE", found.Name, found.Status)
	}
	arn := strings.SplitN(found.Arn, ":", 6)
	if len(arn) != 6 {
		return nil, fmt.Errorf("EKS cluster %q: AWS returned the ARN %q, which is none", found.Name, found.Arn)
	}
	cluster := &Cluster{
		Name:              pulumi.String(found.Name),
		Partition:         pulumi.String(arn[1]),
		Region:            pulumi.String(arn[3]),
		AccountId:         pulumi.String(arn[4]),
		Endpoint:          pulumi.String(found.Endpoint),
		SecurityGroupId:   pulumi.String(found.VpcConfig.ClusterSecurityGroupId),
		KubernetesVersion: found.Version,
		IpFamily:          familyIPv4,
	}
	if len(found.CertificateAuthorities) > 0 {
		cluster.CertificateAuthority = pulumi.String(found.CertificateAuthorities[0].Data)
	}
	if len(found.AccessConfigs) > 0 {
		cluster.AuthenticationMode = found.AccessConfigs[0].AuthenticationMode
	}
	if len(found.KubernetesNetworkConfigs) > 0 && found.KubernetesNetworkConfigs[0].IpFamily != "" {
		cluster.IpFamily = found.KubernetesNetworkConfigs[0].IpFamily
	}
	return cluster, nil
}

// lookupOidcProvider sets the cluster's issuer and, if IAM knows it, the
// provider. What needs the provider reports its absence.
func lookupOidcProvider(ctx *pulumi.Context, cluster *Cluster, found *eks.LookupClusterResult, opts []pulumi.InvokeOption) error {
	if len(found.Identities) == 0 || len(found.Identities[0].Oidcs) == 0 {
		return nil
	}
	issuer := found.Identities[0].Oidcs[0].Issuer
	cluster.OidcIssuer = pulumi.String(issuer)
	provider, err := iam.LookupOpenIdConnectProvider(ctx, &iam.LookupOpenIdConnectProviderArgs{Url: &issuer}, opts...)
	switch {
	case err == nil:
		cluster.OidcProviderArn = pulumi.String(provider.Arn)
	case !strings.Contains(err.Error(), "not found"):
		return fmt.Errorf("looking for the IAM OIDC provider of %s: %w", issuer, err)
	}
	return nil
}

// takeNodeGroups sets the subnets for new nodes and where the controller runs.
func (c *Cluster) takeNodeGroups(args *LookupClusterArgs, groups []*eks.LookupNodeGroupResult) error {
	subnets := args.SubnetIds
	for _, g := range groups {
		c.NodeGroups = append(c.NodeGroups, g.NodeGroupName)
		for _, s := range g.ScalingConfigs {
			c.SystemNodes += s.DesiredSize
		}
		if len(args.SubnetIds) == 0 {
			subnets = append(subnets, g.SubnetIds...)
		}
	}
	slices.Sort(c.NodeGroups)
	if len(subnets) == 0 {
		return fmt.Errorf("EKS cluster %q has no managed node groups, so it is not known where new nodes may go "+
			"and where the Karpenter controller can run: create a managed node group with two nodes, or list the subnets "+
			"of your self-managed nodes (subnetIds)", args.Name)
	}
	c.Subnets = map[string]pulumi.StringInput{}
	for _, id := range subnets {
		c.Subnets[id] = pulumi.String(id)
	}
	return nil
}

// checkDiscovery refuses subnets whose discovery tag names another cluster: the
// tag has one value, and the other cluster would lose its subnets.
func (c *Cluster) checkDiscovery(ctx *pulumi.Context, name string, opts []pulumi.InvokeOption) error {
	tag, ids := c.discoveryTag(), slices.Sorted(maps.Keys(c.Subnets))
	var tagged, own []string
	find := func(into *[]string, filter bindings.Filter) func() error {
		return func() (err error) {
			*into, err = bindings.GetSubnets(ctx, []bindings.Filter{{Name: "subnet-id", Values: ids}, filter}, opts...)
			return err
		}
	}
	err := parallel(
		find(&tagged, bindings.Filter{Name: "tag-key", Values: []string{tag}}),
		find(&own, bindings.Filter{Name: "tag:" + tag, Values: []string{name}}),
	)
	if err != nil {
		return fmt.Errorf("reading the tags of the subnets of EKS cluster %q: %w", name, err)
	}
	var f faults
	for _, id := range tagged {
		if slices.Contains(own, id) {
			continue
		}
		tags, err := bindings.GetSubnetTags(ctx, id, opts...)
		if err != nil {
			return fmt.Errorf("reading the tags of subnet %s: %w", id, err)
		}
		f.add("subnet "+id, fmt.Sprintf("its tag %s names %q, and changing it would take the subnet from that cluster", tag, tags[tag]),
			"choose a tag of your own (discoveryTag), or other subnets (subnetIds)")
	}
	return errors.Join(f...)
}

// notFound explains why a cluster could not be read.
func notFound(ctx *pulumi.Context, name string, cause error, opts []pulumi.InvokeOption) error {
	where := ""
	if region, err := aws.GetRegion(ctx, nil, opts...); err == nil {
		where = " in region " + region.Name
	}
	return fmt.Errorf("EKS cluster %q could not be read%s: check the name, the region (aws:region) and the account "+
		"(aws:profile); `aws eks list-clusters --region REGION` lists what is there: %w", name, where, cause)
}

// parallel runs functions at the same time and returns their errors joined.
func parallel(functions ...func() error) error {
	errs := make([]error, len(functions))
	done := make(chan struct{})
	for i, f := range functions {
		go func() {
			errs[i] = f()
			done <- struct{}{}
		}()
	}
	for range functions {
		<-done
	}
	return errors.Join(errs...)
}
