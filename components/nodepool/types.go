// Package nodepool describes Karpenter's NodePools and EC2NodeClasses in the
// words of Karpenter's own v1 API and of their users, checks them against a
// release, and renders the specs that the API of that release accepts: v1, or
// v1beta1 before Karpenter 1.0.
//
// The package is pure: it imports nothing of Pulumi.
package nodepool

import (
	"encoding/json"
	"fmt"
)

// Pool describes one NodePool. A field that is not set comes from the preset.
//
// Source: https://karpenter.sh/docs/concepts/nodepools/
type Pool struct {
	// Preset names the pool that this one starts from: see PresetNames.
	Preset string `json:"preset,omitempty"`
	// NodeClass names the node class of the pool. Default: "default".
	NodeClass string `json:"nodeClass,omitempty"`
	// Labels are set on every node of the pool, beside the preset's.
	Labels map[string]Scalar `json:"labels,omitempty"`
	// Annotations are set on every node of the pool, beside the preset's.
	Annotations map[string]Scalar `json:"annotations,omitempty"`
	// Taints are set on every node. A list, even an empty one, replaces the
	// preset's.
	Taints []Taint `json:"taints,omitempty"`
	// StartupTaints are set on every node until something else, such as a CNI,
	// removes them. Pods need not tolerate them. A list replaces the preset's.
	StartupTaints []Taint `json:"startupTaints,omitempty"`
	// Requirements say which instances the pool may use. One with the key of a
	// preset's replaces that one; the others are added.
	Requirements []Requirement `json:"requirements,omitempty"`
	// Limits are the most that all nodes of the pool may have together, by
	// resource: "cpu" in cores, "memory" such as "1000Gi", "nvidia.com/gpu" in
	// whole GPUs, "nodes". A limit replaces the preset's of the same resource. A
	// pool without limits is refused.
	Limits map[string]Scalar `json:"limits,omitempty"`
	// Weight orders the pools that fit a pod, 1 to 100, the highest first.
	// Default: none, which comes last.
	Weight int `json:"weight,omitempty"`
	// Replicas makes a static pool, which always has that many nodes. It takes no
	// weight, and a limit of "nodes" only. Default: none, and nodes follow the
	// pods.
	Replicas *int `json:"replicas,omitempty"`
	// Disruption says when Karpenter may remove or replace a node.
	Disruption Disruption `json:"disruption,omitzero"`
	// ExpireAfter is the age at which a node is replaced, jobs or not: a
	// duration of hours, minutes and seconds such as "720h", or "Never". Default:
	// "720h".
	ExpireAfter string `json:"expireAfter,omitempty"`
	// TerminationGracePeriod bounds the draining of a node that goes, such as
	// "24h". Default: none, so that a pod may block it for ever.
	TerminationGracePeriod string `json:"terminationGracePeriod,omitempty"`
	// GPUSharing lets several jobs share a GPU. Default: each GPU has one job.
	GPUSharing *GPUSharing `json:"gpuSharing,omitempty"`
	// UnlistedInstanceTypes lets the requirements name instance types that the
	// catalogue of this library does not have, since they are newer. Default:
	// false, and what no known type meets is refused.
	UnlistedInstanceTypes bool `json:"unlistedInstanceTypes,omitempty"`
	// Override is merged over the rendered spec, in Karpenter's own words, for
	// what this type does not know. A null removes what is there. What comes of it
	// is checked like the rest, as far as this library knows the fields.
	Override map[string]any `json:"override,omitempty"`
}

// Requirement limits the instances of a pool by a label that they have.
//
// Source: https://karpenter.sh/docs/concepts/scheduling/#well-known-labels
type Requirement struct {
	// Key is a label, such as "karpenter.k8s.aws/instance-category".
	Key string `json:"key"`
	// Operator is In, NotIn, Exists, DoesNotExist, Gt, Lt, or Gte and Lte.
	Operator string `json:"operator"`
	// Values are those of In and NotIn, or the one whole number of the others.
	Values []Scalar `json:"values,omitempty"`
	// MinValues is how many different values the instances to choose from must
	// have, 1 to 50. Default: none.
	MinValues int `json:"minValues,omitempty"`
}

// Taint keeps pods that do not tolerate it off a node.
type Taint struct {
	// Key, such as "nvidia.com/gpu".
	Key string `json:"key"`
	// Value, such as "true". Default: empty.
	Value Scalar `json:"value,omitempty"`
	// Effect is NoSchedule, PreferNoSchedule or NoExecute.
	Effect string `json:"effect"`
}

// Disruption says when Karpenter may remove or replace a node of its own accord.
//
// Source: https://karpenter.sh/docs/concepts/disruption/
type Disruption struct {
	// ConsolidationPolicy is WhenEmpty (only nodes without pods go),
	// WhenEmptyOrUnderutilized (pods may be moved to make a node empty), or
	// Balanced (pods are moved where that saves more than it disturbs).
	ConsolidationPolicy string `json:"consolidationPolicy,omitempty"`
	// ConsolidateAfter is how long a node must stay so, such as "5m", or "Never".
	ConsolidateAfter string `json:"consolidateAfter,omitempty"`
	// Budgets bound how many nodes may be disrupted at once. A list replaces the
	// preset's. Default: one of 10 %.
	Budgets []Budget `json:"budgets,omitempty"`
}

// Budget bounds how many nodes of a pool may be disrupted at once.
type Budget struct {
	// Nodes is a number, or a percentage such as "10%".
	Nodes Scalar `json:"nodes"`
	// Schedule is when the budget begins to hold, in cron's five fields or as
	// "@daily", in UTC, and Duration how long from then, such as "8h". Default:
	// always.
	Schedule string `json:"schedule,omitempty"`
	Duration string `json:"duration,omitempty"`
	// Reasons are those that it is for: Underutilized, Empty, Drifted, Unhealthy.
	// Default: all.
	Reasons []string `json:"reasons,omitempty"`
}

// Scalar is a string that configuration may also write as a number or a
// boolean: "true" and true are the same taint value. Kubernetes accepts strings
// only, and refuses an unquoted true.
type Scalar string

// UnmarshalJSON implements json.Unmarshaler.
func (s *Scalar) UnmarshalJSON(b []byte) error {
	switch b[0] {
	case '"':
		return json.Unmarshal(b, (*string)(s))
	case '{', '[', 'n':
		return fmt.Errorf("%s is not a string, a number or a boolean", b)
	}
	*s = Scalar(b)
	return nil
}
