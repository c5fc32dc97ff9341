package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// info is the part of EC2's InstanceTypeInfo that a scheduler looks at.
type info struct {
	InstanceType, Hypervisor                            string
	SupportedUsageClasses, SupportedVirtualizationTypes []string
	VCpuInfo                                            struct{ DefaultVCpus int }
	MemoryInfo                                          struct{ SizeInMiB int }
	ProcessorInfo                                       struct {
		Manufacturer             string
		SupportedArchitectures   []string
		SustainedClockSpeedInGhz float64
		SupportedFeatures        []string
	}
	NetworkInfo struct {
		EncryptionInTransitSupported bool
		Ipv4AddressesPerInterface    int
		EnaSupport                   string
		EfaInfo                      struct{ MaximumEfaInterfaces int }
		NetworkCards                 []struct{ MaximumNetworkInterfaces int }
	}
	EbsInfo struct {
		EbsOptimizedSupport string
		EbsOptimizedInfo    struct{ MaximumBandwidthInMbps int }
	}
	InstanceStorageInfo struct {
		NvmeSupport   string
		TotalSizeInGB int
	}
	GpuInfo struct {
		Gpus []device
	}
	InferenceAcceleratorInfo struct{ Accelerators []device }
	NeuronInfo               struct {
		NeuronDevices []device
	}
}

// device is a GPU or another accelerator.
type device struct {
	Manufacturer, Name string
	Count              int
	MemoryInfo         struct{ SizeInMiB int }
	CoreInfo           struct{ Count int }
}

// arch is the type's architecture in Kubernetes' words, or empty.
func (i info) arch() string {
	for _, a := range i.ProcessorInfo.SupportedArchitectures {
		if known := map[string]string{"x86_64": "amd64", "arm64": "arm64"}[a]; known != "" {
			return known
		}
	}
	return ""
}

// columns are the heads of what row returns. A list of devices is written as
// maker:name:count:MiB, or :cores for Neuron, separated by commas; the network
// cards as the interfaces of each.
func columns() []string {
	return []string{
		"type", "arch", "vcpus", "memory-mib", "cpu-maker", "cpu-mhz", "hypervisor", "usage", "features", "gpus", "accelerators", "neuron",
		"nvme-gb", "storage-gb", "network-mbps", "ebs-mbps", "cards", "ipv4", "efa", "branches",
	}
}

// row is the type's line, an empty field for what it has not.
func (i info) row(t *tables) []string {
	usage := ""
	for _, u := range i.SupportedUsageClasses {
		if short := map[string]string{"on-demand": "o", "spot": "s"}[u]; short != "" {
			usage += short
		}
	}
	nvme := i.InstanceStorageInfo.TotalSizeInGB
	if i.InstanceStorageInfo.NvmeSupport == "unsupported" {
		nvme = 0
	}
	ebs := 0
	if i.EbsInfo.EbsOptimizedSupport == "default" {
		ebs = i.EbsInfo.EbsOptimizedInfo.MaximumBandwidthInMbps
	}
	memory := func(d device) int { return d.MemoryInfo.SizeInMiB }
	return []string{
		i.InstanceType, i.arch(), number(i.VCpuInfo.DefaultVCpus), number(i.MemoryInfo.SizeInMiB), words(i.ProcessorInfo.Manufacturer),
		number(int(math.Round(i.ProcessorInfo.SustainedClockSpeedInGhz * 1000))), i.Hypervisor, usage,
		i.features(),
		devices(i.GpuInfo.Gpus, memory), devices(i.InferenceAcceleratorInfo.Accelerators, memory),
		devices(i.NeuronInfo.NeuronDevices, func(d device) int { return d.CoreInfo.Count }),
		number(nvme), number(i.InstanceStorageInfo.TotalSizeInGB), number(t.bandwidth[i.InstanceType]), number(ebs),
		i.cards(), number(i.NetworkInfo.Ipv4AddressesPerInterface), number(i.NetworkInfo.EfaInfo.MaximumEfaInterfaces),
		number(t.branches[i.InstanceType]),
	}
}

// features are letters for what a type has: e encryption in transit, n ENA, v
// nested virtualization.
func (i info) features() string {
	letters := ""
	if i.NetworkInfo.EncryptionInTransitSupported {
		letters += "e"
	}
	if i.NetworkInfo.EnaSupport != "unsupported" {
		letters += "n"
	}
	if slices.Contains(i.ProcessorInfo.SupportedFeatures, "nested-virtualization") {
		letters += "v"
	}
	return letters
}

// cards are the network cards, the number of interfaces of each.
func (i info) cards() string {
	texts := make([]string, len(i.NetworkInfo.NetworkCards))
	for n, card := range i.NetworkInfo.NetworkCards {
		texts[n] = number(card.MaximumNetworkInterfaces)
	}
	return strings.Join(texts, ",")
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// words writes a name as labels have it.
func words(s string) string { return strings.ToLower(strings.ReplaceAll(s, " ", "-")) }

func devices(list []device, last func(device) int) string {
	texts := make([]string, len(list))
	for i, d := range list {
		texts[i] = fmt.Sprintf("%s:%s:%d:%d", words(d.Manufacturer), words(d.Name), d.Count, last(d))
	}
	return strings.Join(texts, ",")
}
