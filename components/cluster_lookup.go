package components

import (
	"errors"
	"fmt"
	"slices"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/eks"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// LookupClusterArgs say which cluster to read.
type LookupClusterArgs struct {
	// Name of the EKS cluster. Required.
	Name string
	// SubnetIds are the subnets for new nodes. Default: those of all managed
	// node groups, each once, and AdditionalSubnetIds.
	SubnetIds []string
	// AdditionalSubnetIds are those of self-managed nodes, which AWS does not
	// list. A cluster without managed node groups needs these or SubnetIds.
	AdditionalSubnetIds []string
	// PrivateSubnetsOnly leaves out subnets that give their instances public
	// addresses (MapPublicIpOnLaunch).
	PrivateSubnetsOnly bool
	// DiscoveryTag and SelectByIds: see Cluster.
	DiscoveryTag string
	SelectByIds  bool
	// PodIdentity also looks for the add-on that Pod Identity needs.
	PodIdentity bool
}

// LookupCluster reads the facts of an existing EKS cluster from AWS, at preview
// too. The options choose the AWS provider. It returns an error that says what
// to do if the cluster does not exist in the provider's region and account, is
// not active, has no node group to take subnets from, or if another cluster's
// discovery tag is on one of the subnets.
func LookupCluster(ctx *pulumi.Context, args *LookupClusterArgs, opts ...pulumi.InvokeOption) (*Cluster, error) {
	if err := args.check(); err != nil {
		return nil, err
	}
	l := lookup{ctx: ctx, args: *args, opts: opts}
	var groups *eks.GetNodeGroupsResult
	err := parallel(
		l.cluster,
		func() (err error) {
			groups, err = eks.GetNodeGroups(ctx, &eks.GetNodeGroupsArgs{ClusterName: args.Name}, opts...)
			return err
		},
	)
	if err != nil {
		return nil, l.notFound(err)
	}
	if l.found.Status != "ACTIVE" && l.found.Status != "UPDATING" {
		return nil, fmt.Errorf("EKS cluster %q: status %s: wait until it is ACTIVE", args.Name, l.found.Status)
	}
	nodeGroups := make([]*eks.LookupNodeGroupResult, len(groups.Names))
	reads := []func() error{l.oidcProvider, l.podIdentityAgent}
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
	if err := l.takeNodeGroups(nodeGroups); err != nil {
		return nil, err
	}
	cluster, err := l.facts.Cluster()
	if err != nil {
		return nil, fmt.Errorf("EKS cluster %q, as AWS describes it: %w", args.Name, err)
	}
	cluster.DiscoveryTag, cluster.SelectByIds = args.DiscoveryTag, args.SelectByIds
	if cluster.SelectByIds {
		return cluster, nil
	}
	return cluster, l.checkDiscovery(cluster.discoveryTag())
}

func (a *LookupClusterArgs) check() error {
	if a == nil || a.Name == "" {
		return errors.New("LookupClusterArgs.Name: missing: it is required")
	}
	var f faults
	if len(a.SubnetIds) > 0 && (len(a.AdditionalSubnetIds) > 0 || a.PrivateSubnetsOnly) {
		f.add("SubnetIds", "they are the whole list, and AdditionalSubnetIds or PrivateSubnetsOnly changes it",
			"leave those out, or SubnetIds")
	}
	if a.SelectByIds && a.DiscoveryTag != "" {
		f.add("DiscoveryTag", fmt.Sprintf("found %q, and SelectByIds uses no tag", a.DiscoveryTag), "leave one of the two out")
	}
	return errors.Join(f...)
}

// lookup collects the facts of one cluster.
type lookup struct {
	ctx   *pulumi.Context
	args  LookupClusterArgs
	opts  []pulumi.InvokeOption
	found *eks.LookupClusterResult
	facts ClusterFacts
}

// cluster takes what DescribeCluster tells.
func (l *lookup) cluster() error {
	found, err := eks.LookupCluster(l.ctx, &eks.LookupClusterArgs{Name: l.args.Name}, l.opts...)
	if err != nil {
		return err
	}
	l.found = found
	l.facts = ClusterFacts{
		Arn:               found.Arn,
		Endpoint:          found.Endpoint,
		SecurityGroupId:   found.VpcConfig.ClusterSecurityGroupId,
		KubernetesVersion: found.Version,
		IpFamily:          familyIPv4,
	}
	if len(found.CertificateAuthorities) > 0 {
		l.facts.CertificateAuthority = found.CertificateAuthorities[0].Data
	}
	if len(found.AccessConfigs) > 0 {
		l.facts.AuthenticationMode = found.AccessConfigs[0].AuthenticationMode
	}
	if len(found.KubernetesNetworkConfigs) > 0 && found.KubernetesNetworkConfigs[0].IpFamily != "" {
		l.facts.IpFamily = found.KubernetesNetworkConfigs[0].IpFamily
	}
	if len(found.Identities) > 0 && len(found.Identities[0].Oidcs) > 0 {
		l.facts.OidcIssuer = found.Identities[0].Oidcs[0].Issuer
	}
	return nil
}

// oidcProvider looks for the IAM OIDC provider of the cluster's issuer. What
// needs one reports its absence.
func (l *lookup) oidcProvider() error {
	if l.facts.OidcIssuer == "" || l.args.PodIdentity {
		return nil
	}
	provider, err := iam.LookupOpenIdConnectProvider(l.ctx, &iam.LookupOpenIdConnectProviderArgs{Url: &l.facts.OidcIssuer}, l.opts...)
	switch {
	case err == nil:
		l.facts.OidcProviderArn, l.facts.OwnsOidcProvider = provider.Arn, isOwn(provider.Tags)
	case !isNotFound(err):
		return fmt.Errorf("looking for the IAM OIDC provider of %s: %w", l.facts.OidcIssuer, err)
	}
	return nil
}

// podIdentityAgent looks for the add-on that Pod Identity needs. Clusters in
// Auto Mode have it built in.
func (l *lookup) podIdentityAgent() error {
	if !l.args.PodIdentity || len(l.found.ComputeConfigs) > 0 && l.found.ComputeConfigs[0].Enabled {
		return nil
	}
	_, err := eks.LookupAddon(l.ctx, &eks.LookupAddonArgs{ClusterName: l.args.Name, AddonName: podIdentityAgent}, l.opts...)
	if err != nil && !isNotFound(err) {
		return fmt.Errorf("looking for the add-on %s: %w", podIdentityAgent, err)
	}
	l.facts.LacksPodIdentityAgent = err != nil
	return nil
}

// takeNodeGroups sets the subnets for new nodes and where the controller runs.
func (l *lookup) takeNodeGroups(groups []*eks.LookupNodeGroupResult) error {
	var subnets []string
	for _, g := range groups {
		l.facts.NodeGroups = append(l.facts.NodeGroups, g.NodeGroupName)
		for _, s := range g.ScalingConfigs {
			l.facts.SystemNodes += s.DesiredSize
		}
		subnets = append(subnets, g.SubnetIds...)
	}
	slices.Sort(l.facts.NodeGroups)
	subnets = append(subnets, l.args.AdditionalSubnetIds...)
	if len(l.args.SubnetIds) > 0 {
		subnets = slices.Clone(l.args.SubnetIds)
	}
	if len(subnets) == 0 {
		return fmt.Errorf("EKS cluster %q has no managed node groups, so it is not known where new nodes may go "+
			"and where the Karpenter controller can run: create a managed node group with two nodes, or list the subnets "+
			"of your self-managed nodes (additionalSubnetIds)", l.args.Name)
	}
	slices.Sort(subnets)
	l.facts.SubnetIds = slices.Compact(subnets)
	if l.args.PrivateSubnetsOnly {
		return l.keepPrivate()
	}
	return nil
}

// notFound explains why a cluster could not be read.
func (l *lookup) notFound(cause error) error {
	where := ""
	if region, err := aws.GetRegion(l.ctx, nil, l.opts...); err == nil {
		where = " in region " + region.Name
	}
	return fmt.Errorf("EKS cluster %q could not be read%s: check the name, the region (aws:region) and the account "+
		"(aws:profile); `aws eks list-clusters --region REGION` lists what is there: %w", l.args.Name, where, cause)
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
