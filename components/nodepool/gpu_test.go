package nodepool

import (
	"slices"
	"strings"
	"testing"
)

func TestGPUSharing(t *testing.T) {
	shared := func(preset string, s GPUSharing, requirements ...Requirement) Pool {
		return Pool{Preset: preset, GPUSharing: &s, Requirements: requirements}
	}
	a100 := in("karpenter.k8s.aws/instance-gpu-name", "a100")
	big := shared("gpu", GPUSharing{MIG: "single", TimeSlicing: 2}, a100)
	big.Limits = map[string]Scalar{ResourceGPU: "16", "cpu": "200", "memory": "4Ti"}
	for _, c := range []struct {
		pool  Pool
		class NodeClass
		want  string // empty: accepted
	}{
		{pool: shared("gpu", GPUSharing{TimeSlicing: 4})},
		{pool: big},
		{pool: shared("gpu", GPUSharing{}), want: `nodePools["p"].gpuSharing: found nothing, allowed is timeSlicing or mig`},
		{pool: shared("gpu", GPUSharing{TimeSlicing: 1}), want: "gpuSharing.timeSlicing: found 1, allowed is 2 to 100"},
		{pool: shared("gpu", GPUSharing{TimeSlicing: 6}), want: `limits["nvidia.com/gpu"] leaves, which counts shares: the smallest node reports 6 of 5: lower it`},
		{pool: shared("cpu", GPUSharing{TimeSlicing: 2}), want: "none in a pool without NVIDIA GPUs"},
		{pool: shared("gpu", GPUSharing{MIG: "mixed"}), want: "Karpenter makes no node for a resource such as"},
		{pool: shared("gpu", GPUSharing{MIG: "all"}), want: `gpuSharing.mig: found "all", allowed is single`},
		{pool: shared("gpu-inference", GPUSharing{MIG: "single"}), want: "gpuSharing.mig: found a pool that may have a10g, l4, l40s,"},
		{pool: shared("gpu", GPUSharing{TimeSlicing: 2}), class: NodeClass{AMIAlias: "bottlerocket@latest"}, want: "[settings.kubelet-device-plugins.nvidia]"},
	} {
		err := Validate(Target{Release: newest(t)}, map[string]Pool{"p": c.pool}, map[string]NodeClass{DefaultNodeClass: c.class})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v\n got %v\nwant %s", c.pool.GPUSharing, err, c.want)
		}
	}
}

// The plugin tolerates the taints of every pool that it is for, and knows which
// pools it is not for.
func TestDevicePlugin(t *testing.T) {
	pools := map[string]Pool{
		"cpu":     {Preset: "cpu", Taints: []Taint{{Key: "cpu", Effect: "NoSchedule"}}},
		"team":    {Preset: "gpu", Taints: []Taint{{Key: ResourceGPU, Value: "true", Effect: "NoSchedule"}, {Key: "team", Value: "ml", Effect: "NoExecute"}}},
		"slow":    {Preset: "gpu", StartupTaints: []Taint{{Key: "cilium", Effect: "NoExecute"}}, GPUSharing: &GPUSharing{TimeSlicing: 4}},
		"rocket":  {Preset: "gpu", NodeClass: "rocket", Taints: []Taint{{Key: "rocket", Effect: "NoSchedule"}}},
		"windows": {NodeClass: "windows", Limits: map[string]Scalar{"cpu": "8"}, Requirements: []Requirement{in(labelOS, "windows")}},
	}
	classes := map[string]NodeClass{DefaultNodeClass: {}, "rocket": {AMIAlias: "bottlerocket@latest"}, "windows": {AMIAlias: "windows2022@latest"}}
	plugin, needed := DevicePlugin(newest(t), pools, classes)
	if want := []string{ResourceGPU, "cilium", ResourceGPU, "team"}; !needed || !slices.Equal(plugin.TaintKeys, want) {
		t.Errorf("%t, taints %v", needed, plugin.TaintKeys)
	}
	if !slices.Equal(plugin.BundledPools, []string{"rocket"}) || len(plugin.Sharing) != 1 || plugin.Sharing[0].Name() != "time-slicing-4" {
		t.Errorf("%+v", plugin)
	}
	if labels := pools["slow"].withPreset(newest(t)).Labels; labels["nvidia.com/device-plugin.config"] != "time-slicing-4" || labels[labelGPUPresent] != "true" {
		t.Error(labels)
	}
	delete(pools, "team")
	delete(pools, "slow")
	if _, needed := DevicePlugin(newest(t), pools, classes); needed {
		t.Error("no pool needs the plugin")
	}
}
