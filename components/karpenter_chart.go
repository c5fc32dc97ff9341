package components

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/internal/bindings"
	"github.com/valohai/pulumi-kubernetes-autoscaling/components/policy"
	"github.com/valohai/pulumi-kubernetes-autoscaling/components/release"
)

// KarpenterChartToken is the type token of KarpenterChart.
const KarpenterChartToken = "kubernetes-autoscaling:index:KarpenterChart"

// Names of the charts, which are also the names of their Helm releases.
const (
	chartCRDs       = "karpenter-crd"
	chartController = "karpenter"
)

// KarpenterChartArgs are the arguments of NewKarpenterChart.
type KarpenterChartArgs struct {
	// Cluster is the EKS cluster. Required, with its endpoint.
	Cluster *Cluster
	// Version is the Karpenter release to install. Default: release.Newest.
	// The cluster's Kubernetes version must be one that it supports.
	Version string
	// Identity is how the controller becomes its role, IRSA or PodIdentity.
	// Default: IRSA.
	Identity string
	// ControllerRoleArn is the role of the controller. Required for IRSA, and not
	// used with PodIdentity.
	ControllerRoleArn pulumi.StringInput
	// InterruptionQueueName is the name of the queue. Default: none, and no
	// interruption handling.
	InterruptionQueueName pulumi.StringInput
	// IsolatedVPC keeps the controller from calling services that have no
	// endpoint in a VPC, such as prices. Default: false, and true in partitions
	// without a service for prices.
	IsolatedVPC bool
	// EnableZonalShift lets the controller follow zonal shifts of the cluster.
	// Karpenter 1.12 or later.
	EnableZonalShift bool
	// FeatureGates are switched on beside the chart's own defaults, such as
	// those of nodepool.FeatureGates. Default: none.
	FeatureGates []string
	// Namespace is where Karpenter is installed; it must exist. Default:
	// "kube-system".
	Namespace string
	// ServiceAccount is the name of the controller's service account. Default:
	// "karpenter".
	ServiceAccount string
	// Replicas is the number of controller pods. Default: 2, or 1 where the
	// cluster is known to have fewer than two nodes for them.
	Replicas int
	// Registry is where the charts are: an OCI repository ("oci://...") or a
	// local folder with the archives karpenter-VERSION.tgz and
	// karpenter-crd-VERSION.tgz. Default: release.ChartRegistry.
	Registry string
	// Values are further values of the karpenter chart, merged over ours.
	Values map[string]any
	// DependsOn are the resources that the controller needs all its life, such
	// as its permissions: it is installed after them and removed before them. A
	// component of this library stands for all its resources.
	DependsOn []pulumi.Resource
}

// KarpenterChart installs Karpenter's custom resource definitions and then its
// controller, as two Helm releases of the same version. Helm never upgrades
// definitions that a chart carries in its crds folder, so they are a release of
// their own.
type KarpenterChart struct {
	pulumi.ResourceState
	members

	// ChartVersion is the installed version.
	ChartVersion pulumi.StringOutput `pulumi:"chartVersion"`
	// Namespace and ServiceAccount are those of the controller.
	Namespace      pulumi.StringOutput `pulumi:"namespace"`
	ServiceAccount pulumi.StringOutput `pulumi:"serviceAccount"`
}

// NewKarpenterChart registers a KarpenterChart.
func NewKarpenterChart(ctx *pulumi.Context, name string, args *KarpenterChartArgs, opts ...pulumi.ResourceOption) (*KarpenterChart, error) {
	a := KarpenterChartArgs{}
	if args != nil {
		a = *args
	}
	a.Namespace = defaulted(a.Namespace, release.DefaultNamespace)
	a.ServiceAccount = defaulted(a.ServiceAccount, release.DefaultServiceAccount)
	a.Registry = defaulted(a.Registry, release.ChartRegistry)
	var f faults
	rel := f.common(a.Cluster, a.Version)
	a.check(&f, rel)
	if err := f.of("KarpenterChart", name); err != nil {
		return nil, err
	}
	if a.Replicas == 0 {
		a.Replicas = 2
		if a.Cluster.SystemNodes == 1 {
			a.Replicas = 1
		}
	}
	c := &KarpenterChart{}
	if err := ctx.RegisterComponentResource(KarpenterChartToken, name, c, opts...); err != nil {
		return nil, err
	}
	if err := c.install(ctx, name, a, rel); err != nil {
		return nil, err
	}
	c.ChartVersion = pulumi.String(rel.Version).ToStringOutput()
	c.Namespace = pulumi.String(a.Namespace).ToStringOutput()
	c.ServiceAccount = pulumi.String(a.ServiceAccount).ToStringOutput()
	return c, ctx.RegisterResourceOutputs(c, pulumi.Map{
		"chartVersion":   c.ChartVersion,
		"namespace":      c.Namespace,
		"serviceAccount": c.ServiceAccount,
	})
}

// check adds the faults of the component's own arguments.
func (a KarpenterChartArgs) check(f *faults, rel release.Release) {
	if a.Cluster != nil {
		f.require("Cluster.Endpoint", a.Cluster.Endpoint != nil)
		if rel.Version != "" && a.Cluster.KubernetesVersion != "" {
			f.include(rel.CheckKubernetes(a.Cluster.KubernetesVersion))
		}
	}
	f.require("ControllerRoleArn", a.ControllerRoleArn != nil || a.Identity == PodIdentity)
	if a.Replicas < 0 {
		f.add("Replicas", fmt.Sprintf("found %d", a.Replicas), "use 1 or 2")
	}
	if isRepository(a.Registry) {
		f.add("Registry", fmt.Sprintf("found %q", a.Registry), "Karpenter's charts are in an OCI repository (\"oci://...\") or in a local folder: name one of these")
	}
	f.zonalShift(rel, a.EnableZonalShift)
	for _, gate := range a.FeatureGates {
		if rel.Version != "" && !slices.Contains(rel.FeatureGates, gate) {
			f.add("FeatureGates", fmt.Sprintf("found %q", gate), "Karpenter "+rel.Version+" has "+strings.Join(rel.FeatureGates, ", ")+": choose one of these")
		}
	}
	f.include(rel.CheckExtra("Values", a.Values, a.FeatureGates))
}

// install registers the two Helm releases. The namespace is read first, so that
// a cluster out of reach and a missing namespace end a preview.
func (c *KarpenterChart) install(ctx *pulumi.Context, name string, a KarpenterChartArgs, rel release.Release) error {
	needed := concrete(a.DependsOn)
	namespace, err := bindings.GetNamespace(ctx, name+"-namespace", a.Namespace, pulumi.Parent(c))
	if err != nil {
		return fmt.Errorf("reading namespace %s: %w", a.Namespace, err)
	}
	crds, err := bindings.NewRelease(ctx, name+"-crd", &bindings.ReleaseArgs{
		Name:      pulumi.String(chartCRDs),
		Namespace: pulumi.String(a.Namespace),
		Chart:     pulumi.String(chartReference(a.Registry, chartCRDs, rel.ChartTag())),
		Version:   pulumi.String(rel.ChartTag()),
		Timeout:   pulumi.Int(chartTimeout),
	}, pulumi.Parent(c), pulumi.DependsOn(append([]pulumi.Resource{namespace}, needed...)))
	if err != nil {
		return fmt.Errorf("installing custom resource definitions: %w", err)
	}
	controller, err := bindings.NewRelease(ctx, name+"-controller", &bindings.ReleaseArgs{
		Name:      pulumi.String(chartController),
		Namespace: pulumi.String(a.Namespace),
		Chart:     pulumi.String(chartReference(a.Registry, chartController, rel.ChartTag())),
		Version:   pulumi.String(rel.ChartTag()),
		SkipCrds:  pulumi.Bool(true),
		Timeout:   pulumi.Int(chartTimeout),
		Values:    a.values(),
	}, pulumi.Parent(c), pulumi.DependsOn(append([]pulumi.Resource{crds}, needed...)))
	if err != nil {
		return fmt.Errorf("installing controller: %w", err)
	}
	c.add(crds, controller)
	return nil
}

func (a KarpenterChartArgs) values() pulumi.MapOutput {
	role := a.ControllerRoleArn
	if a.Identity == PodIdentity {
		role = nil
	}
	return pulumi.All(a.Cluster.Name, a.Cluster.Endpoint, a.Cluster.Region, orEmpty(role), orEmpty(a.InterruptionQueueName), a.Cluster.Partition).
		ApplyT(func(v []any) map[string]any {
			return release.Values{
				ClusterName: v[0].(string), ClusterEndpoint: v[1].(string), Region: v[2].(string),
				RoleArn: v[3].(string), InterruptionQueue: v[4].(string),
				IsolatedVPC: a.IsolatedVPC || !policy.HasPricing(v[5].(string)), ZonalShift: a.EnableZonalShift,
				ServiceAccount: a.ServiceAccount, NodeGroups: a.Cluster.NodeGroups, Replicas: a.Replicas, FeatureGates: a.FeatureGates, Extra: a.Values,
			}.Chart()
		}).(pulumi.MapOutput)
}
