package nodepool

import (
	"maps"
	"slices"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/release"
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
	labelSize         = "karpenter.k8s.aws/instance-size"
	labelGPUMaker     = "karpenter.k8s.aws/instance-gpu-manufacturer"
	labelGPUCount     = "karpenter.k8s.aws/instance-gpu-count"
	labelAccelerator  = "karpenter.k8s.aws/instance-accelerator-manufacturer"
	// labelGPUPresent is what the NVIDIA device plugin's chart looks for.
	labelGPUPresent = "nvidia.com/gpu.present"
)

// Resources that a pod asks for to get an accelerator.
const (
	ResourceGPU    = "nvidia.com/gpu"
	ResourceNeuron = "aws.amazon.com/neuron"
)

// Capacity types.
const (
	spot     = "spot"
	onDemand = "on-demand"
	reserved = "reserved"
)

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
			Requirements: linux("amd64", []Scalar{spot, onDemand}, "c", "m", "r"),
			Limits:       map[string]Scalar{"cpu": "100", "memory": "1000Gi"},
			Disruption:   Disruption{ConsolidationPolicy: whenEmptyUnderutilized, ConsolidateAfter: "1m"},
			ExpireAfter:  "720h",
		},
	},
	"cpu-compute": {
		Summary: "Work that is bound by the processor, on c instances, spot or on-demand, packed tightly.",
		Pool: Pool{
			Requirements: linux("amd64", []Scalar{spot, onDemand}, "c"),
			Limits:       map[string]Scalar{"cpu": "200", "memory": "500Gi"},
			Disruption:   Disruption{ConsolidationPolicy: whenEmptyUnderutilized, ConsolidateAfter: "1m"},
			ExpireAfter:  "720h",
		},
	},
	"memory": {
		Summary: "Large data in memory, on r instances, on-demand; a node with a job is left alone.",
		Pool: Pool{
			Requirements: linux("amd64", []Scalar{onDemand}, "r"),
			Limits:       map[string]Scalar{"cpu": "100", "memory": "2000Gi"},
			Disruption:   Disruption{ConsolidationPolicy: whenEmpty, ConsolidateAfter: "5m"},
			ExpireAfter:  "720h",
		},
	},
	"spot-batch": {
		Summary: "Jobs that may be interrupted, on spot c, m and r instances of many sizes; on-demand where there is no spot.",
		Pool: Pool{
			Requirements: append(linux("amd64", []Scalar{spot, onDemand}, "c", "m", "r"),
				Requirement{Key: labelSize, Operator: "NotIn", Values: []Scalar{"nano", "micro", "small", "metal"}}),
			Limits:      map[string]Scalar{"cpu": "500", "memory": "2000Gi"},
			Disruption:  Disruption{ConsolidationPolicy: whenEmpty, ConsolidateAfter: "1m"},
			ExpireAfter: "168h",
		},
	},
	"graviton": {
		Summary: "General work on Graviton instances, for images that are built for arm64.",
		Pool: Pool{
			Requirements: linux("arm64", []Scalar{spot, onDemand}, "c", "m", "r"),
			Limits:       map[string]Scalar{"cpu": "100", "memory": "1000Gi"},
			Disruption:   Disruption{ConsolidationPolicy: whenEmptyUnderutilized, ConsolidateAfter: "1m"},
			ExpireAfter:  "720h",
		},
	},
	"gpu": {
		Summary: "Jobs that ask for nvidia.com/gpu, on on-demand g and p instances; a node with a job is left alone.",
		Pool: gpu(Pool{
			Requirements: linux("amd64", []Scalar{onDemand}, "g", "p"),
			Limits:       map[string]Scalar{"cpu": "100", "memory": "1000Gi", ResourceGPU: "5"},
			Disruption:   Disruption{ConsolidationPolicy: whenEmpty, ConsolidateAfter: "5m"},
			ExpireAfter:  "720h",
		}),
	},
	"gpu-training": {
		Summary: "Training that runs for days: as gpu, with more GPUs, a longer wait before an empty node goes, and two days to end when a node has to go.",
		Pool: gpu(Pool{
			Requirements:           linux("amd64", []Scalar{onDemand}, "g", "p"),
			Limits:                 map[string]Scalar{"cpu": "800", "memory": "8000Gi", ResourceGPU: "32"},
			Disruption:             Disruption{ConsolidationPolicy: whenEmpty, ConsolidateAfter: "15m"},
			ExpireAfter:            "1440h",
			TerminationGracePeriod: "48h",
		}),
	},
	"gpu-inference": {
		Summary: "Services that answer with a GPU, on on-demand g instances, moved together when they leave room.",
		Pool: gpu(Pool{
			Requirements: linux("amd64", []Scalar{onDemand}, "g"),
			Limits:       map[string]Scalar{"cpu": "200", "memory": "1000Gi", ResourceGPU: "10"},
			Disruption:   Disruption{ConsolidationPolicy: whenEmptyUnderutilized, ConsolidateAfter: "10m"},
			ExpireAfter:  "720h",
		}),
	},
	"neuron": {
		Summary: "Jobs that ask for aws.amazon.com/neuron, on on-demand Inferentia and Trainium instances; a node with a job is left alone.",
		Pool: Pool{
			Taints: []Taint{{Key: ResourceNeuron, Value: "true", Effect: "NoSchedule"}},
			Requirements: []Requirement{
				in(labelArch, "amd64"), in(labelOS, "linux"), in(labelCapacityType, onDemand), in(labelCategory, "inf", "trn"),
				in(labelAccelerator, "aws"),
			},
			Limits:      map[string]Scalar{"cpu": "400", "memory": "2000Gi", ResourceNeuron: "16"},
			Disruption:  Disruption{ConsolidationPolicy: whenEmpty, ConsolidateAfter: "15m"},
			ExpireAfter: "720h",
		},
	},
}

// linux are the requirements of Linux nodes on current instances of some
// categories.
func linux(arch Scalar, capacity []Scalar, categories ...Scalar) []Requirement {
	return []Requirement{
		in(labelArch, arch), in(labelOS, "linux"), in(labelCapacityType, capacity...), in(labelCategory, categories...),
		{Key: labelGeneration, Operator: "Gt", Values: []Scalar{"2"}},
	}
}

// gpu adds what every pool with NVIDIA GPUs has. The requirements leave out
// g4ad, which has AMD GPUs, and g6f, which has a fraction of a GPU and reports
// none.
func gpu(p Pool) Pool {
	p.Labels = map[string]Scalar{labelGPUPresent: "true"}
	p.Taints = []Taint{{Key: ResourceGPU, Value: "true", Effect: "NoSchedule"}}
	p.Requirements = append(p.Requirements, in(labelGPUMaker, "nvidia"), Requirement{Key: labelGPUCount, Operator: "Gt", Values: []Scalar{"0"}})
	return p
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

// OrDefaults returns pools and classes, or those of a stack that names none: see
// Default, and a class with the name DefaultNodeClass and nothing but defaults.
func OrDefaults(pools map[string]Pool, classes map[string]NodeClass) (map[string]Pool, map[string]NodeClass) {
	if pools == nil {
		pools = Default()
	}
	if classes == nil {
		classes = map[string]NodeClass{DefaultNodeClass: {}}
	}
	return pools, classes
}

// withPreset returns the pool with its unset fields taken from its preset, less
// what the release lacks. An unknown preset is Validate's to report.
func (p Pool) withPreset(rel release.Release) Pool {
	base := presets[p.Preset].Pool
	if _, lacks := rel.Lacks("pool.terminationGracePeriod"); lacks {
		base.TerminationGracePeriod = ""
	}
	merged := p
	merged.Labels = mergeMap(base.Labels, p.Labels)
	if p.GPUSharing != nil {
		merged.Labels[release.DevicePluginConfigLabel] = Scalar(p.GPUSharing.sharing().Name())
	}
	merged.Limits = mergeMap(base.Limits, p.Limits)
	if p.Replicas != nil {
		merged.Limits = p.Limits // a static pool takes no other limit than nodes
	}
	merged.Requirements = mergeRequirements(base.Requirements, p.Requirements)
	if p.Taints == nil {
		merged.Taints = base.Taints
	}
	merged.NodeClass = p.NodeClassName()
	merged.ExpireAfter = first(p.ExpireAfter, base.ExpireAfter, "720h")
	merged.TerminationGracePeriod = first(p.TerminationGracePeriod, base.TerminationGracePeriod)
	merged.Disruption.ConsolidationPolicy = first(p.Disruption.ConsolidationPolicy, base.Disruption.ConsolidationPolicy, whenEmptyUnderutilized)
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
	merged := []Requirement{} // the API wants a list, even of none
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
