package instancetype

import (
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Label is a well-known label whose value follows from the instance type.
type Label int

// labelKeys are the labels, by number. Karpenter sets each on a node whose type
// has it.
//
// Source: https://karpenter.sh/docs/concepts/scheduling/#well-known-labels
var labelKeys = [...]string{
	"node.kubernetes.io/instance-type",
	"kubernetes.io/arch",
	"karpenter.k8s.aws/instance-category",
	"karpenter.k8s.aws/instance-family",
	"karpenter.k8s.aws/instance-generation",
	"karpenter.k8s.aws/instance-size",
	"karpenter.k8s.aws/instance-cpu",
	"karpenter.k8s.aws/instance-cpu-manufacturer",
	"karpenter.k8s.aws/instance-cpu-sustained-clock-speed-mhz",
	"karpenter.k8s.aws/instance-memory",
	"karpenter.k8s.aws/instance-ebs-bandwidth",
	"karpenter.k8s.aws/instance-network-bandwidth",
	"karpenter.k8s.aws/instance-local-nvme",
	"karpenter.k8s.aws/instance-hypervisor",
	"karpenter.k8s.aws/instance-encryption-in-transit-supported",
	"karpenter.k8s.aws/instance-capability-flex",
	"karpenter.k8s.aws/instance-gpu-name",
	"karpenter.k8s.aws/instance-gpu-manufacturer",
	"karpenter.k8s.aws/instance-gpu-count",
	"karpenter.k8s.aws/instance-gpu-memory",
	"karpenter.k8s.aws/instance-accelerator-name",
	"karpenter.k8s.aws/instance-accelerator-manufacturer",
	"karpenter.k8s.aws/instance-accelerator-count",
}

const labelCount = len(labelKeys)

// LabelOf returns the label of a key, and whether it is one that follows from the
// instance type.
func LabelOf(key string) (Label, bool) {
	// Kubernetes' former name of the same label.
	if key == "beta.kubernetes.io/instance-type" {
		key = labelKeys[0]
	}
	if key == "beta.kubernetes.io/arch" {
		key = labelKeys[1]
	}
	i := slices.Index(labelKeys[:], key)
	return Label(i), i >= 0
}

// hypervisor is the one label that may be there and empty: on bare metal.
const hypervisor = 13

// Value returns the value of a label, and whether a node of the type has it.
func (t *Type) Value(l Label) (value string, has bool) {
	value = t.labels[l]
	return value, value != "" || l == hypervisor
}

// Known tells whether a type has a label with a value.
func (l Label) Known(value string) bool {
	_, found := slices.BinarySearch(l.Values(), value)
	return found
}

// Values are those that the types have of a label, sorted. The slice is the
// catalogue's own.
func (l Label) Values() []string { return known()[l] }

var known = sync.OnceValue(func() [labelCount][]string {
	var all [labelCount][]string
	for i := range all {
		for _, t := range read().types {
			if value, has := t.Value(Label(i)); has {
				all[i] = append(all[i], value)
			}
		}
		slices.Sort(all[i])
		all[i] = slices.Compact(all[i])
	}
	return all
})

// setLabels computes the labels as Karpenter does. A type with two models of GPU
// has no label for them.
func (t *Type) setLabels() {
	values := [...]string{
		t.Name, t.Arch, t.Category, t.Family, t.Generation, t.Size,
		strconv.Itoa(t.VCPUs), t.CPUMaker, strconv.Itoa(t.CPUMHz), strconv.Itoa(t.MemoryMiB), positive(t.EBSMbps), positive(t.NetworkMbps),
		positive(t.NVMeGB), t.Hypervisor, strconv.FormatBool(t.EncryptionInTransit), strconv.FormatBool(strings.Contains(t.Family, "-flex")),
		"", "", "", "", "", "", "",
	}
	t.labels = values
	const gpu, accelerator = 16, 20
	if len(t.GPUs) == 1 {
		d := t.GPUs[0]
		t.labels[gpu], t.labels[gpu+1], t.labels[gpu+2], t.labels[gpu+3] = d.Name, d.Maker, strconv.Itoa(d.Count), strconv.Itoa(d.MemoryMiB)
	}
	if len(t.Accelerators) == 1 && len(t.Neuron) == 0 {
		t.setAccelerator(accelerator, t.Accelerators[0].Maker, t.Accelerators[0])
	}
	if len(t.Neuron) == 1 {
		t.setAccelerator(accelerator, "aws", t.Neuron[0])
	}
}

func (t *Type) setAccelerator(at int, maker string, d Device) {
	t.labels[at], t.labels[at+1], t.labels[at+2] = d.Name, maker, strconv.Itoa(d.Count)
}

// positive writes a number that a type may lack.
func positive(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}
