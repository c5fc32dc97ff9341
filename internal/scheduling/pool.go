// Package scheduling says where a pod would land, as Karpenter's own scheduler
// would: which node pools take it, which do not and why not, and which instance
// types a new node could be. It reads node pools and node classes as Karpenter's
// API has them, and knows instance types from a catalogue, so that it needs no
// cluster and no cloud.
//
// The package is pure: it imports nothing of Pulumi.
package scheduling

import (
	"encoding/json"
	"fmt"
	"iter"
	"strings"

	"github.com/valohai/pulumi-kubernetes-autoscaling/internal/instancetype"
	"github.com/valohai/pulumi-kubernetes-autoscaling/internal/quantity"
)

// Pool is a node pool with what its node class says of capacity.
type Pool struct {
	// Name, and Weight: the heavier pool is tried first.
	Name   string
	Weight int
	// Static tells that the pool has a fixed number of nodes: no pod gets a new one
	// there.
	Static bool
	// Requirements are those of the pool, with its labels.
	Requirements Requirements
	// Taints of its nodes. What is tainted at their start only does not count.
	Taints []Taint
	// Limits are the most of each resource that the pool may have, in thousandths.
	Limits map[string]int64
	// Node is what its class says.
	Node Node
}

type poolSpec struct {
	Template struct {
		Metadata struct {
			Labels map[string]string `json:"labels"`
		} `json:"metadata"`
		Spec struct {
			NodeClassRef struct {
				Name string `json:"name"`
			} `json:"nodeClassRef"`
			Requirements []Requirement `json:"requirements"`
			Taints       []Taint       `json:"taints"`
			Kubelet      *kubelet      `json:"kubelet"` // of v1beta1
		} `json:"spec"`
	} `json:"template"`
	Limits   map[string]amount `json:"limits"`
	Weight   int               `json:"weight"`
	Replicas *int              `json:"replicas"`
}

type classSpec struct {
	AMIFamily        string `json:"amiFamily"`
	AMISelectorTerms []struct {
		Alias string `json:"alias"`
	} `json:"amiSelectorTerms"`
	BlockDeviceMappings []mapping   `json:"blockDeviceMappings"`
	InstanceStorePolicy string      `json:"instanceStorePolicy"`
	Kubelet             *kubelet    `json:"kubelet"`
	NetworkInterfaces   []Interface `json:"networkInterfaces"`
	ConnectionTracking  any         `json:"connectionTracking"`
	Reservations        []any       `json:"capacityReservationSelectorTerms"`
	CPUOptions          struct {
		NestedVirtualization string `json:"nestedVirtualization"`
	} `json:"cpuOptions"`
}

type mapping struct {
	DeviceName string `json:"deviceName"`
	RootVolume bool   `json:"rootVolume"`
	EBS        struct {
		VolumeSize amount `json:"volumeSize"`
	} `json:"ebs"`
}

type kubelet struct {
	MaxPods        int               `json:"maxPods"`
	PodsPerCore    int               `json:"podsPerCore"`
	KubeReserved   map[string]amount `json:"kubeReserved"`
	SystemReserved map[string]amount `json:"systemReserved"`
	EvictionHard   map[string]amount `json:"evictionHard"`
}

// NewPool reads the specs of a NodePool and of its EC2NodeClass, as v1 or as
// v1beta1.
func NewPool(name string, pool, class map[string]any) (*Pool, error) {
	var p poolSpec
	if err := decode(pool, &p); err != nil {
		return nil, fmt.Errorf("node pool %s: %w", name, err)
	}
	var c classSpec
	if err := decode(class, &c); err != nil {
		return nil, fmt.Errorf("node class of node pool %s: %w", name, err)
	}
	template := p.Template.Spec
	if template.Kubelet != nil {
		c.Kubelet = template.Kubelet
	}
	limits, err := amounts("limits", p.Limits)
	if err != nil {
		return nil, fmt.Errorf("node pool %s: %w", name, err)
	}
	made := &Pool{
		Name: name, Weight: p.Weight, Static: p.Replicas != nil, Taints: template.Taints, Node: c.node(),
		Requirements: NewRequirements(template.Requirements...), Limits: limits,
	}
	for key, value := range p.Template.Metadata.Labels {
		made.Requirements.add(Normalized(key), newSet(Requirement{Operator: "In", Values: []string{value}}))
	}
	made.Requirements.add(labelPool, newSet(Requirement{Operator: "In", Values: []string{name}}))
	return made, nil
}

// NewNode reads what the spec of an EC2NodeClass says of its nodes.
func NewNode(class map[string]any) (Node, error) {
	var c classSpec
	if err := decode(class, &c); err != nil {
		return Node{}, err
	}
	return c.node(), nil
}

// Types are the instance types that the pool may launch: those that meet its
// requirements and that its images start on. Its limits do not count.
func (p *Pool) Types() iter.Seq[*instancetype.Type] {
	filter := p.Requirements.Filter(Cluster{}, &p.Node)
	return func(yield func(*instancetype.Type) bool) {
		all := instancetype.All()
		for i := range all {
			if t := &all[i]; filter.Match(t) && p.Node.Starts(t) && !yield(t) {
				return
			}
		}
	}
}

// decode reads a spec as JSON has it.
func decode(spec map[string]any, into any) error {
	b, err := json.Marshal(spec)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, into)
}

// node is what a class says of capacity.
func (c classSpec) node() Node {
	n := Node{
		Family: c.family(), LocalDisks: c.InstanceStorePolicy == "RAID0", Interfaces: c.NetworkInterfaces,
		Reservations:         len(c.Reservations) > 0,
		NestedVirtualization: c.CPUOptions.NestedVirtualization == "enabled", ConnectionTracking: c.ConnectionTracking != nil,
	}
	if k := c.Kubelet; k != nil {
		n.MaxPods, n.PodsPerCore = k.MaxPods, k.PodsPerCore
		n.KubeReserved, n.SystemReserved, n.EvictionHard = k.KubeReserved, k.SystemReserved, k.EvictionHard
	}
	n.Storage = c.storage(n.Family)
	return n
}

// family is how the images are started, as an alias has it.
func (c classSpec) family() string {
	if c.AMIFamily == "" && len(c.AMISelectorTerms) > 0 {
		name, _, _ := strings.Cut(c.AMISelectorTerms[0].Alias, "@")
		return strings.ToLower(name)
	}
	return strings.ToLower(c.AMIFamily)
}

// dataDevices are the devices of ephemeral storage that are not /dev/xvda.
var dataDevices = map[string]string{"bottlerocket": "/dev/xvdb", "windows2019": "/dev/sda1", "windows2022": "/dev/sda1", "windows2025": "/dev/sda1"}

// storage is the size of the volume for ephemeral storage: that marked as the
// root, the last one of a custom image, or that of the family's device.
func (c classSpec) storage(family string) int64 {
	device := dataDevices[family]
	if device == "" {
		device = "/dev/xvda"
	}
	size, fallback := amount(""), amount("20Gi")
	if strings.HasPrefix(family, "windows") {
		fallback = "50Gi"
	}
	for _, m := range c.BlockDeviceMappings {
		switch {
		case m.RootVolume:
			return given(map[string]amount{"": m.EBS.VolumeSize}, "", 20*gi)
		case family == "custom", m.DeviceName == device:
			size = m.EBS.VolumeSize
		}
	}
	if size == "" {
		size = fallback
	}
	return given(map[string]amount{"": size}, "", 20*gi)
}

// given is an amount in thousandths if a map has it, or else another.
func given(m map[string]amount, key string, otherwise int64) int64 {
	text, ok := m[key]
	if !ok {
		return otherwise
	}
	n, ok := quantity.Milli(string(text))
	if !ok {
		return otherwise
	}
	return n
}
