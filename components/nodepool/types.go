// Package nodepool describes Karpenter's NodePools and EC2NodeClasses in the
// words of their users, checks them, and renders the specs that Karpenter's API
// accepts.
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
	// Preset names the pool that this one starts from: see Presets.
	Preset string `json:"preset,omitempty"`
	// NodeClass names the node class of the pool. Default: "default".
	NodeClass string `json:"nodeClass,omitempty"`
	// Labels are set on every node of the pool, beside the preset's.
	Labels map[string]Scalar `json:"labels,omitempty"`
	// Taints are set on every node. A list, even an empty one, replaces the
	// preset's.
	Taints []Taint `json:"taints,omitempty"`
	// Requirements say which instances the pool may use. One with the key of a
	// preset's replaces that one; the others are added.
	Requirements []Requirement `json:"requirements,omitempty"`
	// Limits are the most that all nodes of the pool may have together, by
	// resource: "cpu" in cores, "memory" such as "1000Gi", "nvidia.com/gpu" in
	// whole GPUs. A limit replaces the preset's of the same resource.
	Limits map[string]Scalar `json:"limits,omitempty"`
	// Weight orders the pools that fit a pod, 1 to 100, the highest first.
	// Default: none, which comes last.
	Weight int `json:"weight,omitempty"`
	// Disruption says when Karpenter may remove or replace a node.
	Disruption Disruption `json:"disruption,omitzero"`
	// ExpireAfter is the age at which a node is replaced, jobs or not: a
	// duration of hours, minutes and seconds such as "720h", or "Never".
	ExpireAfter string `json:"expireAfter,omitempty"`
	// TerminationGracePeriod bounds the draining of a node that goes, such as
	// "24h". Default: none, so that a pod may block it for ever.
	TerminationGracePeriod string `json:"terminationGracePeriod,omitempty"`
}

// Requirement limits the instances of a pool by a label that they have.
//
// Source: https://karpenter.sh/docs/concepts/scheduling/#well-known-labels
type Requirement struct {
	// Key is a label, such as "karpenter.k8s.aws/instance-category".
	Key string `json:"key"`
	// Operator is In, NotIn, Exists, DoesNotExist, Gt or Lt.
	Operator string `json:"operator"`
	// Values are those of In and NotIn, or the one integer of Gt and Lt.
	Values []Scalar `json:"values,omitempty"`
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
	// ConsolidationPolicy is WhenEmpty (only nodes without pods go) or
	// WhenEmptyOrUnderutilized (pods may be moved to make a node empty).
	ConsolidationPolicy string `json:"consolidationPolicy,omitempty"`
	// ConsolidateAfter is how long a node must stay so, such as "5m", or "Never".
	ConsolidateAfter string `json:"consolidateAfter,omitempty"`
}

// NodeClass describes one EC2NodeClass: what the instances of a pool have in
// common on AWS. Subnets, security group and role come from the cluster.
//
// Source: https://karpenter.sh/docs/concepts/nodeclasses/
type NodeClass struct {
	// AMIAlias is the image family and its version, such as "al2023@v20260101"
	// or "bottlerocket@latest". Default: "al2023@latest". A pinned version
	// changes nodes only when you change it.
	AMIAlias string `json:"amiAlias,omitempty"`
	// VolumeSize is the size of the volume that holds container images, such as
	// "200Gi". Default: "100Gi", since ML images are large.
	VolumeSize string `json:"volumeSize,omitempty"`
	// VolumeKmsKeyArn is your own key of KMS for the volume, by its ARN. The
	// controller gets the permission to use it; the key's policy must allow it
	// too. Default: the account's key for EBS.
	VolumeKmsKeyArn string `json:"volumeKmsKeyArn,omitempty"`
	// Tags are set on every instance, volume and network interface.
	Tags map[string]Scalar `json:"tags,omitempty"`
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
