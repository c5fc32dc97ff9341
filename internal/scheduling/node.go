package scheduling

import (
	"math"
	"strconv"
	"strings"

	"github.com/valohai/pulumi-kubernetes-autoscaling/internal/instancetype"
)

// Node is what a node class says of the capacity of its nodes.
type Node struct {
	// Family is that of the image, as an alias has it, or "custom".
	Family string
	// MaxPods and PodsPerCore are those of the kubelet, 0 for its default.
	MaxPods, PodsPerCore int
	// KubeReserved, SystemReserved and EvictionHard are those of the kubelet.
	KubeReserved, SystemReserved, EvictionHard map[string]amount
	// Storage is the size of the volume for ephemeral storage in thousandths of a
	// byte, and LocalDisks tells that a type's own disks stand in its place.
	Storage    int64
	LocalDisks bool
	// Interfaces are the class's own network interfaces, nil for those of the type.
	Interfaces []Interface
	// Reservations tells that the class selects capacity reservations.
	Reservations bool
	// NestedVirtualization and ConnectionTracking are asked for by the class.
	NestedVirtualization, ConnectionTracking bool
}

// Interface is a network interface that a class asks for.
type Interface struct {
	NetworkCardIndex int    `json:"networkCardIndex"`
	DeviceIndex      int    `json:"deviceIndex"`
	InterfaceType    string `json:"interfaceType"`
}

// Units in thousandths.
const (
	unit = 1000
	mi   = 1024 * 1024 * unit
	gi   = 1024 * mi
)

// memoryOverhead is the share of memory that Karpenter takes for that of the
// hypervisor (its setting vmMemoryOverheadPercent).
const memoryOverhead = 0.075

// os is the system of a node.
func (n *Node) os() string {
	if strings.HasPrefix(n.Family, "windows") {
		return "windows"
	}
	return "linux"
}

// Starts tells whether a type takes the images and the options of the class.
//
// Source: https://github.com/aws/karpenter-provider-aws/blob/v1.14.1/pkg/providers/instancetype/compatibility/compatibility.go
func (n *Node) Starts(t *instancetype.Type) bool {
	switch {
	case n.Family == "al2023" && t.Family == "a1":
		return false
	case n.os() == "windows" && t.Arch != "amd64":
		return false
	case n.NestedVirtualization && !t.NestedVirtualization:
		return false
	case n.ConnectionTracking && t.Hypervisor != "nitro":
		return false
	}
	return n.connects(t)
}

// connects tells whether a type takes the network interfaces of the class.
func (n *Node) connects(t *instancetype.Type) bool {
	if len(n.Interfaces) > 0 && !t.ENA {
		return false
	}
	for _, i := range n.Interfaces {
		if i.NetworkCardIndex >= len(t.Cards) || i.DeviceIndex >= t.Cards[i.NetworkCardIndex] {
			return false
		}
	}
	return n.efa(false) <= t.EFA
}

// efa is the number of EFA interfaces that the class asks for, all or those on the
// first card.
func (n *Node) efa(firstCard bool) int {
	count := 0
	for _, i := range n.Interfaces {
		if i.InterfaceType == "efa-only" && (!firstCard || i.NetworkCardIndex == 0) {
			count++
		}
	}
	return count
}

// capacity is how much of a resource Karpenter expects a node of a type to have,
// in thousandths. What no instance type has is 0.
//
// Source: https://github.com/aws/karpenter-provider-aws/blob/v1.14.1/pkg/providers/instancetype/types.go
func (n *Node) capacity(t *instancetype.Type, resource string) int64 {
	count := 0
	switch resource {
	case "cpu":
		count = t.VCPUs
	case "memory":
		return memory(t)
	case "ephemeral-storage":
		return n.storage(t)
	case "pods":
		count = n.pods(t)
	case "vpc.amazonaws.com/efa":
		count = t.EFA
		if n.Interfaces != nil {
			count = n.efa(false)
		}
	case "vpc.amazonaws.com/pod-eni":
		count = t.Branches
	default:
		count = t.Devices(resource)
	}
	return int64(count) * unit
}

func memory(t *instancetype.Type) int64 {
	whole := int64(t.MemoryMiB)
	if t.Arch == "arm64" {
		whole -= 64 // reserved by the kernel
	}
	return (whole - int64(math.Ceil(float64(whole)*memoryOverhead))) * mi
}

func (n *Node) storage(t *instancetype.Type) int64 {
	if n.LocalDisks && t.StorageGB > 0 {
		return int64(t.StorageGB) * 1e9 * unit
	}
	return n.Storage
}

// pods is how many pods a node takes.
func (n *Node) pods(t *instancetype.Type) int {
	count := n.MaxPods
	switch {
	case count > 0:
	case n.os() == "windows":
		count = 110
	default:
		count = n.addresses(t)
	}
	if n.PodsPerCore > 0 && n.Family != "bottlerocket" {
		count = min(count, n.PodsPerCore*t.VCPUs)
	}
	return count
}

// addresses is how many pods the VPC CNI has an address for.
func (n *Node) addresses(t *instancetype.Type) int {
	interfaces := t.Cards[0] - n.efa(true)
	if interfaces <= 0 {
		return 0
	}
	return interfaces*(t.IPv4-1) + 2
}

// overhead is what of a resource is not for pods, in thousandths.
func (n *Node) overhead(t *instancetype.Type, resource string) int64 {
	return n.kubeReserved(t, resource) + given(n.SystemReserved, resource, 0) + n.eviction(t, resource)
}

func (n *Node) kubeReserved(t *instancetype.Type, resource string) int64 {
	var reserved int64
	switch resource {
	case "cpu":
		reserved = cpuReserved(int64(t.VCPUs) * unit)
	case "memory":
		pods := n.addresses(t)
		if n.Family == "bottlerocket" || n.os() == "windows" {
			pods = n.pods(t)
		}
		reserved = int64(11*pods+255) * mi
	case "ephemeral-storage":
		reserved = gi
	}
	return given(n.KubeReserved, resource, reserved)
}

// cpuReserved is what the kubelet keeps of the processor: 6 % of the first core, 1
// % of the second, 0.5 % of the next two, and 0.25 % of the rest.
func cpuReserved(milli int64) int64 {
	var reserved int64
	for _, r := range []struct {
		start, end int64
		share      float64
	}{{0, 1000, 0.06}, {1000, 2000, 0.01}, {2000, 4000, 0.005}, {4000, math.MaxInt64, 0.0025}} {
		if milli >= r.start {
			reserved += int64(float64(min(milli, r.end)-r.start) * r.share)
		}
	}
	return reserved
}

// eviction is what stays free, or pods are evicted.
func (n *Node) eviction(t *instancetype.Type, resource string) int64 {
	switch resource {
	case "memory":
		return n.signal("memory.available", memory(t), 100*mi)
	case "ephemeral-storage":
		size := n.storage(t)
		return n.signal("nodefs.available", size, upTo(float64(size)/unit/10)*unit)
	}
	return 0
}

// signal is the threshold of a kind of eviction, a share of the capacity or a
// quantity.
func (n *Node) signal(name string, capacity, otherwise int64) int64 {
	own, ok := n.EvictionHard[name]
	if !ok {
		return otherwise
	}
	share, isShare := strings.CutSuffix(string(own), "%")
	if !isShare {
		return given(n.EvictionHard, name, otherwise)
	}
	percent, err := strconv.ParseFloat(share, 64)
	if err != nil || percent == 100 {
		return 0
	}
	return upTo(float64(capacity)/unit/100*percent) * unit
}

func upTo(n float64) int64 { return int64(math.Ceil(n)) }
