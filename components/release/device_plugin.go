package release

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// The chart of NVIDIA's device plugin.
const (
	DevicePluginChart = "nvidia-device-plugin"
	// DevicePluginVersion is the version that is installed by default, and
	// DevicePluginRegistry where NVIDIA publishes it.
	DevicePluginVersion  = "0.18.0"
	DevicePluginRegistry = "https://nvidia.github.io/k8s-device-plugin"
	// DevicePluginConfigLabel is the label by which a node chooses one of the
	// plugin's configurations.
	DevicePluginConfigLabel = "nvidia.com/device-plugin.config"
)

// defaultConfig is the configuration of a node that chooses none.
const defaultConfig = "default"

// Sharing is how jobs share a GPU.
type Sharing struct {
	// TimeSlicing is the number of jobs that take turns. 0: one.
	TimeSlicing int
	// MIG tells that the partitions of a GPU stand for GPUs.
	MIG bool
}

// Name is that of the plugin's configuration.
func (s Sharing) Name() string {
	var parts []string
	if s.MIG {
		parts = append(parts, "mig-single")
	}
	if s.TimeSlicing > 0 {
		parts = append(parts, fmt.Sprintf("time-slicing-%d", s.TimeSlicing))
	}
	if len(parts) == 0 {
		return defaultConfig
	}
	return strings.Join(parts, "-")
}

// config is the plugin's configuration. The resource keeps its name: Karpenter
// makes no node for one that no instance type has.
//
// Source: https://github.com/NVIDIA/k8s-device-plugin#configuration-option-details
func (s Sharing) config() string {
	strategy := "none"
	if s.MIG {
		strategy = "single"
	}
	text := "version: v1\nflags:\n  migStrategy: " + strategy + "\n"
	if s.TimeSlicing > 0 {
		text += fmt.Sprintf("sharing:\n  timeSlicing:\n    resources:\n    - name: nvidia.com/gpu\n      replicas: %d\n", s.TimeSlicing)
	}
	return text
}

// DevicePlugin are the facts from which the values of the chart of NVIDIA's
// device plugin are made.
type DevicePlugin struct {
	// TaintKeys are the keys of the taints of nodes with GPUs, beside
	// nvidia.com/gpu.
	TaintKeys []string
	// BundledPools are the node pools whose images bring a plugin of their own.
	BundledPools []string
	// Sharing is that of the pools, one configuration each.
	Sharing []Sharing
	// Extra is merged over the values; its maps deeply, its lists in place of ours.
	Extra map[string]any
}

// Chart returns the values for the chart.
//
// Source: https://github.com/NVIDIA/k8s-device-plugin/tree/main/deployments/helm/nvidia-device-plugin
func (d DevicePlugin) Chart() map[string]any {
	tolerations := d.tolerations()
	values := map[string]any{
		// The release's own name alone, whatever that is.
		"fullnameOverride": DevicePluginChart,
		"affinity": map[string]any{
			"nodeAffinity": map[string]any{
				"requiredDuringSchedulingIgnoredDuringExecution": map[string]any{"nodeSelectorTerms": d.terms()},
			},
		},
		"tolerations": tolerations,
		// What discovers features, if the user switches it on, has to get there too.
		"nfd": map[string]any{"worker": map[string]any{"tolerations": tolerations}},
	}
	if configs := d.configs(); len(configs) > 1 {
		values["config"] = map[string]any{"map": configs, "default": defaultConfig}
	}
	return merge(values, d.Extra)
}

// tolerations let the plugin onto every node with GPUs.
func (d DevicePlugin) tolerations() []any {
	keys := append([]string{"nvidia.com/gpu", "CriticalAddonsOnly"}, d.TaintKeys...)
	slices.Sort(keys)
	var list []any
	for _, key := range slices.Compact(keys) {
		list = append(list, map[string]any{"key": key, "operator": "Exists"})
	}
	return list
}

// terms are the nodes on which the plugin runs: those that Karpenter, a user or
// NVIDIA's feature discovery has marked, but not where an image or NVIDIA's GPU
// operator brings a plugin already. Terms are alternatives.
func (d DevicePlugin) terms() []any {
	var terms []any
	for _, mark := range [][2]string{
		{"nvidia.com/gpu.present", "true"},
		{"karpenter.k8s.aws/instance-gpu-manufacturer", "nvidia"},
		{"feature.node.kubernetes.io/pci-10de.present", "true"},
	} {
		expressions := []any{
			map[string]any{"key": mark[0], "operator": "In", "values": []any{mark[1]}},
			map[string]any{"key": "kubernetes.io/os", "operator": "In", "values": []any{"linux"}},
			map[string]any{"key": "nvidia.com/gpu.deploy.device-plugin", "operator": "DoesNotExist"},
		}
		if len(d.BundledPools) > 0 {
			var pools []any
			for _, name := range slices.Sorted(slices.Values(d.BundledPools)) {
				pools = append(pools, name)
			}
			expressions = append(expressions, map[string]any{"key": nodePoolLabel, "operator": "NotIn", "values": pools})
		}
		terms = append(terms, map[string]any{"matchExpressions": expressions})
	}
	return terms
}

// configs are the plugin's configurations by name, with the default.
func (d DevicePlugin) configs() map[string]any {
	configs := map[string]any{defaultConfig: Sharing{}.config()}
	for _, s := range d.Sharing {
		configs[s.Name()] = s.config()
	}
	return configs
}

// CheckExtra refuses values that would contradict what the pools say. path is how
// the user calls the values.
func (d DevicePlugin) CheckExtra(path string) error {
	var errs []error
	for _, key := range []string{"nameOverride", "fullnameOverride", "namespaceOverride"} {
		if found, ok := d.Extra[key]; ok {
			errs = append(errs, fmt.Errorf("%s[%q]: found %v, which contradicts the release's name and namespace: remove it here", path, key, found))
		}
	}
	if len(d.Sharing) == 0 {
		return errors.Join(errs...)
	}
	for _, key := range []string{"config", "migStrategy"} {
		if _, ok := d.Extra[key]; ok {
			errs = append(errs, fmt.Errorf("%s[%q]: found a value, which contradicts gpuSharing of a node pool, which sets it: remove one of the two", path, key))
		}
	}
	return errors.Join(errs...)
}
