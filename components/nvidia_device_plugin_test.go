package components

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/internal/bindings"
	"github.com/valohai/pulumi-kubernetes-autoscaling/components/internal/pulumitest"
	"github.com/valohai/pulumi-kubernetes-autoscaling/components/nodepool"
)

// The plugin comes with the first pool that needs it, and not otherwise.
func TestDevicePluginIsThereIfNeeded(t *testing.T) {
	bottlerocket := map[string]nodepool.NodeClass{"default": {AMIAlias: "bottlerocket@latest"}}
	for _, c := range []struct {
		name   string
		change func(*KarpenterArgs)
		want   bool
	}{
		{"the default pools", func(*KarpenterArgs) {}, true},
		{"switched off", func(a *KarpenterArgs) { a.DisableNvidiaDevicePlugin = true }, false},
		{"no GPU", func(a *KarpenterArgs) { a.NodePools = map[string]nodepool.Pool{"cpu": {Preset: "cpu"}} }, false},
		{"Neuron", func(a *KarpenterArgs) { a.NodePools = map[string]nodepool.Pool{"n": {Preset: "neuron"}} }, false},
		{"Bottlerocket", func(a *KarpenterArgs) { a.NodeClasses = bottlerocket }, false},
		{"may have a GPU", func(a *KarpenterArgs) {
			a.NodePools = map[string]nodepool.Pool{"any": {Limits: map[string]nodepool.Scalar{"cpu": "100"}}}
		}, true},
	} {
		r := runKarpenter(t, c.change)
		found := false
		for _, urn := range r.URNs() {
			found = found || strings.Contains(urn, NvidiaDevicePluginToken)
		}
		if found != c.want {
			t.Errorf("%s: the plugin is there: %t", c.name, found)
		}
	}
}

func TestDevicePluginChart(t *testing.T) {
	for _, c := range []struct{ charts, own, chart, repository string }{
		{"", "", "nvidia-device-plugin", "https://nvidia.github.io/k8s-device-plugin"},
		{"oci://mirror/charts", "", "oci://mirror/charts/nvidia-device-plugin", ""},
		{"charts", "", "charts/nvidia-device-plugin-0.18.0.tgz", ""},
		{"charts", "https://mirror/helm", "nvidia-device-plugin", "https://mirror/helm"},
	} {
		r := runKarpenter(t, func(a *KarpenterArgs) { a.ChartRegistry, a.NvidiaDevicePluginRegistry = c.charts, c.own })
		inputs := r.Find(t, bindings.ReleaseToken, "k-nvidia-release").Inputs
		repository := ""
		if inputs.HasValue("repositoryOpts") {
			repository = inputs["repositoryOpts"].ObjectValue()["repo"].StringValue()
		}
		if got := inputs["chart"].StringValue(); got != c.chart || repository != c.repository {
			t.Errorf("%+v: chart %q in repository %q", c, got, repository)
		}
		if inputs["version"].StringValue() != "0.18.0" || inputs["namespace"].StringValue() != "kube-system" {
			t.Error(inputs)
		}
	}
}

func TestDevicePluginRefuses(t *testing.T) {
	sharing := map[string]nodepool.Pool{"gpu": {Preset: "gpu", GPUSharing: &nodepool.GPUSharing{TimeSlicing: 2}}}
	for want, args := range map[string]*NvidiaDevicePluginArgs{
		`NvidiaDevicePlugin.Version: found "latest"`:                            {Version: "latest"},
		`KarpenterVersion: `:                                                    {KarpenterVersion: "9.9.9"},
		`NvidiaDevicePlugin.Values["fullnameOverride"]: found x`:                {Values: map[string]any{"fullnameOverride": "x"}},
		`NvidiaDevicePlugin.Values["config"]: found a value, which contradicts`: {Pools: sharing, NodeClasses: map[string]nodepool.NodeClass{"default": {}}, Values: map[string]any{"config": map[string]any{}}},
	} {
		r, err := pulumitest.Run(t, func(ctx *pulumi.Context) error {
			_, err := NewNvidiaDevicePlugin(ctx, "k", args)
			return err
		}, nil)
		if err == nil || !strings.Contains(err.Error(), want) || len(r.Resources) > 0 {
			t.Errorf("%s: %v", want, err)
		}
	}
	_, err := pulumitest.Run(t, func(ctx *pulumi.Context) error {
		_, err := NewKarpenter(ctx, "k", &KarpenterArgs{Cluster: exampleCluster(), ChartRegistry: "https://charts", NvidiaDevicePluginValues: map[string]any{"nameOverride": "x"}})
		return err
	}, nil)
	for _, want := range []string{`Registry: found "https://charts"`, `["nameOverride"]`} {
		if !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
