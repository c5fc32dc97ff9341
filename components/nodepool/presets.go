package nodepool

import (
	"maps"
	"slices"
)

// DefaultNodeClass is the node class of a pool that names none.
const DefaultNodeClass = "default"

// Labels of Karpenter and Kubernetes that requirements name.
const (
	labelArch         = "kubernetes.io/arch"
	labelOS           = "kubernetes.io/os"
	labelCapacityType = "karpenter.sh/capacity-type"
	labelCategory     = "karpenter.k8s.aws/instance-category"
	labelGeneration   = "karpenter.k8s.aws/instance-generation"
	labelGPUMaker     = "karpenter.k8s.aws/instance-gpu-manufacturer"
	labelGPUCount     = "karpenter.k8s.aws/instance-gpu-count"
)

// ResourceGPU is the resource that a pod asks for to get an NVIDIA GPU.
const ResourceGPU = "nvidia.com/gpu"

// Preset is a pool to start from.
type Preset struct {
	// Summary says in one line what the preset is for.
	Summary string
	Pool
}

// presets are the pools to start from, by name. A new preset is one literal.
var presets = map[string]Preset{
	"cpu": {
		Summary: "General work on current c, m and r instances, spot or on-demand, packed tightly.",
		Pool: Pool{
			Requirements: []Requirement{
				in(labelArch, "amd64"),
				in(labelOS, "linux"),
				in(labelCapacityType, "spot", "on-demand"),
				in(labelCategory, "c", "m", "r"),
				{Key: labelGeneration, Operator: "Gt", Values: []Scalar{"2"}},
			},
			Limits:      map[string]Scalar{"cpu": "100", "memory": "1000Gi"},
			Disruption:  Disruption{ConsolidationPolicy: "WhenEmptyOrUnderutilized", ConsolidateAfter: "1m"},
			ExpireAfter: "720h",
		},
	},
	"gpu": {
		Summary: "Jobs that ask for nvidia.com/gpu, on on-demand g and p instances; a node with a job is left alone.",
		Pool: Pool{
			Labels: map[string]Scalar{
				// The NVIDIA device plugin's chart runs on nodes with this label.
				"nvidia.com/gpu.present": "true",
			},
			Taints: []Taint{{Key: ResourceGPU, Value: "true", Effect: "NoSchedule"}},
			Requirements: []Requirement{
				in(labelArch, "amd64"),
				in(labelOS, "linux"),
				in(labelCapacityType, "on-demand"),
				in(labelCategory, "g", "p"),
				{Key: labelGeneration, Operator: "Gt", Values: []Scalar{"2"}},
				// Not g4ad, which has AMD GPUs, and not g6f, which has a
				// fraction of a GPU and reports none.
				in(labelGPUMaker, "nvidia"),
				{Key: labelGPUCount, Operator: "Gt", Values: []Scalar{"0"}},
			},
			Limits:      map[string]Scalar{"cpu": "100", "memory": "1000Gi", ResourceGPU: "5"},
			Disruption:  Disruption{ConsolidationPolicy: "WhenEmpty", ConsolidateAfter: "5m"},
			ExpireAfter: "720h",
		},
	},
}

func in(key string, values ...Scalar) Requirement {
	return Requirement{Key: key, Operator: "In", Values: values}
}

// PresetNames returns the names of the presets, sorted.
func PresetNames() []string { return slices.Sorted(maps.Keys(presets)) }

// FindPreset returns the preset of a name.
func FindPreset(name string) (Preset, bool) {
	p, ok := presets[name]
	return p, ok
}

// Default returns the pools of a stack that names none: the presets cpu and gpu
// under their own names.
func Default() map[string]Pool {
	return map[string]Pool{"cpu": {Preset: "cpu"}, "gpu": {Preset: "gpu"}}
}

// withPreset returns the pool with its unset fields taken from its preset.
// An unknown preset is Validate's to report.
func (p Pool) withPreset() Pool {
	base := presets[p.Preset].Pool
	merged := p
	merged.Labels = mergeMap(base.Labels, p.Labels)
	merged.Limits = mergeMap(base.Limits, p.Limits)
	merged.Requirements = mergeRequirements(base.Requirements, p.Requirements)
	if p.Taints == nil {
		merged.Taints = base.Taints
	}
	merged.NodeClass = p.NodeClassName()
	merged.ExpireAfter = first(p.ExpireAfter, base.ExpireAfter)
	merged.TerminationGracePeriod = first(p.TerminationGracePeriod, base.TerminationGracePeriod)
	merged.Disruption.ConsolidationPolicy = first(p.Disruption.ConsolidationPolicy,
		base.Disruption.ConsolidationPolicy, "WhenEmptyOrUnderutilized")
	merged.Disruption.ConsolidateAfter = first(p.Disruption.ConsolidateAfter, base.Disruption.ConsolidateAfter, "0s")
	return merged
}

// NodeClassName returns the name of the pool's node class.
func (p Pool) NodeClassName() string {
	return first(p.NodeClass, presets[p.Preset].NodeClass, DefaultNodeClass)
}

func mergeMap(base, over map[string]Scalar) map[string]Scalar {
	merged := map[string]Scalar{}
	maps.Copy(merged, base)
	maps.Copy(merged, over)
	return merged
}

func mergeRequirements(base, over []Requirement) []Requirement {
	var merged []Requirement
	for _, r := range base {
		if !slices.ContainsFunc(over, func(o Requirement) bool { return o.Key == r.Key }) {
			merged = append(merged, r)
		}
	}
	return append(merged, over...)
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}
