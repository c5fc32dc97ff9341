package components

import (
	"fmt"
	"regexp"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/internal/bindings"
	"github.com/valohai/pulumi-kubernetes-autoscaling/components/nodepool"
	"github.com/valohai/pulumi-kubernetes-autoscaling/components/release"
)

// NvidiaDevicePluginToken is the type token of NvidiaDevicePlugin.
const NvidiaDevicePluginToken = "kubernetes-autoscaling:index:NvidiaDevicePlugin"

// NvidiaDevicePluginArgs are the arguments of NewNvidiaDevicePlugin.
type NvidiaDevicePluginArgs struct {
	// KarpenterVersion is the release of Karpenter for which the pools are.
	// Default: release.Newest.
	KarpenterVersion string
	// Pools and NodeClasses are those of NodePools. The plugin tolerates the taints
	// of every pool that may have NVIDIA GPUs, leaves out those whose images bring a
	// plugin of their own (Bottlerocket), and knows how each pool shares its GPUs.
	// Default: none, and the plugin tolerates nvidia.com/gpu.
	Pools       map[string]nodepool.Pool
	NodeClasses map[string]nodepool.NodeClass
	// Version of the chart, such as "0.18.0". Default:
	// release.DevicePluginVersion.
	Version string
	// Namespace is where the plugin is installed; it must exist. Default:
	// "kube-system".
	Namespace string
	// Registry is where the chart is: a repository of Helm ("https://..."), an OCI
	// repository ("oci://...") or a local folder with the archive
	// nvidia-device-plugin-VERSION.tgz. Default: release.DevicePluginRegistry.
	Registry string
	// Values are further values of the chart, merged over ours.
	Values map[string]any
	// DependsOn are resources after which the plugin is installed. Default: none.
	DependsOn []pulumi.Resource
}

// NvidiaDevicePlugin installs NVIDIA's device plugin, without which a node never
// reports its GPUs and never becomes ready for Karpenter. It runs on nodes with
// NVIDIA GPUs, but not where NVIDIA's GPU operator runs a plugin.
//
// Source: https://github.com/NVIDIA/k8s-device-plugin
type NvidiaDevicePlugin struct {
	pulumi.ResourceState
	members

	// ChartVersion is the installed version.
	ChartVersion pulumi.StringOutput `pulumi:"chartVersion"`
}

// NewNvidiaDevicePlugin registers a NvidiaDevicePlugin.
func NewNvidiaDevicePlugin(ctx *pulumi.Context, name string, args *NvidiaDevicePluginArgs, opts ...pulumi.ResourceOption) (*NvidiaDevicePlugin, error) {
	a := NvidiaDevicePluginArgs{}
	if args != nil {
		a = *args
	}
	a.Namespace = defaulted(a.Namespace, release.DefaultNamespace)
	a.Registry = defaulted(a.Registry, release.DevicePluginRegistry)
	a.Version = defaulted(a.Version, release.DevicePluginVersion)
	var f faults
	rel, err := release.Find(a.KarpenterVersion)
	if err != nil {
		f.add("KarpenterVersion", err.Error(), "choose a catalogued release")
	}
	a.check(&f, rel)
	if err := f.of("NvidiaDevicePlugin", name); err != nil {
		return nil, err
	}
	c := &NvidiaDevicePlugin{}
	if err := ctx.RegisterComponentResource(NvidiaDevicePluginToken, name, c, opts...); err != nil {
		return nil, err
	}
	if err := c.install(ctx, name, a, rel); err != nil {
		return nil, err
	}
	c.ChartVersion = pulumi.String(a.Version).ToStringOutput()
	return c, ctx.RegisterResourceOutputs(c, pulumi.Map{"chartVersion": c.ChartVersion})
}

// chartVersion is the form of the chart's versions.
var chartVersion = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$`)

// check adds the faults of the component's own arguments.
func (a NvidiaDevicePluginArgs) check(f *faults, rel release.Release) {
	if a.Version != "" && !chartVersion.MatchString(a.Version) {
		f.add("NvidiaDevicePlugin.Version", fmt.Sprintf("found %q", a.Version), "write a version such as "+release.DevicePluginVersion)
	}
	f.include(a.plugin(rel).CheckExtra("NvidiaDevicePlugin.Values"))
}

// plugin is what the plugin has to know of the pools.
func (a NvidiaDevicePluginArgs) plugin(rel release.Release) release.DevicePlugin {
	plugin, _ := nodepool.DevicePlugin(rel, a.Pools, a.NodeClasses)
	plugin.Extra = a.Values
	return plugin
}

func (c *NvidiaDevicePlugin) install(ctx *pulumi.Context, name string, a NvidiaDevicePluginArgs, rel release.Release) error {
	args := &bindings.ReleaseArgs{
		Name:      pulumi.String(release.DevicePluginChart),
		Namespace: pulumi.String(a.Namespace),
		Chart:     pulumi.String(chartReference(a.Registry, release.DevicePluginChart, a.Version)),
		Version:   pulumi.String(a.Version),
		Timeout:   pulumi.Int(chartTimeout),
		Values:    pulumi.ToMap(a.plugin(rel).Chart()),
	}
	if isRepository(a.Registry) {
		args.RepositoryOpts = bindings.RepositoryOptsArgs{Repo: pulumi.String(a.Registry)}
	}
	plugin, err := bindings.NewRelease(ctx, name+"-release", args, pulumi.Parent(c), pulumi.DependsOn(concrete(a.DependsOn)))
	if err != nil {
		return fmt.Errorf("installing NVIDIA's device plugin: %w", err)
	}
	c.add(plugin)
	return nil
}
