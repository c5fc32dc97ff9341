// Package instancetype is a catalogue of the instance types of EC2: what Karpenter
// knows of each when it looks for a node, and what it costs. It is data that the
// library carries, so that a preview can say what a pool may launch without a
// call to AWS.
//
// The package is pure: it imports nothing of Pulumi.
package instancetype

import (
	_ "embed"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

//go:embed types.tsv
var table string

// Type is an instance type.
type Type struct {
	// Name, such as "g5.xlarge", and its parts: "g", "5", "g5" and "xlarge".
	Name, Category, Generation, Family, Size string
	// Arch is "amd64" or "arm64".
	Arch string
	// VCPUs, and MemoryMiB before anything is taken off.
	VCPUs, MemoryMiB int
	// CPUMaker is "intel", "amd" or "aws", and CPUMHz the sustained clock speed.
	CPUMaker string
	CPUMHz   int
	// Hypervisor is "nitro", "xen", or empty for bare metal.
	Hypervisor string
	// OnDemand and Spot tell how it can be had.
	OnDemand, Spot bool
	// EncryptionInTransit tells whether traffic between instances is encrypted,
	// ENA whether there is an Elastic Network Adapter, and NestedVirtualization
	// whether instances can run virtual machines.
	EncryptionInTransit, ENA, NestedVirtualization bool
	// GPUs, Accelerators and Neuron are its devices, one entry for each model.
	GPUs, Accelerators, Neuron []Device
	// NVMeGB are its local disks, 0 for none, and StorageGB those of any kind.
	NVMeGB, StorageGB int
	// NetworkMbps and EBSMbps are bandwidths in megabits a second, 0 if AWS names
	// none.
	NetworkMbps, EBSMbps int
	// Cards are the network cards, the most interfaces of each, and IPv4 the most
	// addresses of an interface. Pods get theirs on the first card.
	Cards []int
	IPv4  int
	// EFA is the number of EFA interfaces, and Branches that of pods with security
	// groups of their own.
	EFA, Branches int
	// prices by region, as the table has them.
	prices map[string]float64
	// labels by their keys: see labels.go.
	labels [labelCount]string
}

// Device is a model of GPU or accelerator.
type Device struct {
	// Maker and Name as labels have them, such as "nvidia" and "a10g".
	Maker, Name string
	// Count is the number of whole devices.
	Count int
	// MemoryMiB is that of one GPU, and Cores those of one Neuron device.
	MemoryMiB, Cores int
}

// All returns every type, sorted by name. The slice is the catalogue's own.
func All() []Type { return read().types }

// Find returns the type of a name.
func Find(name string) (Type, bool) {
	c := read()
	i, ok := c.byName[name]
	if !ok {
		return Type{}, false
	}
	return c.types[i], true
}

// Source says of what the catalogue was made, and of when its prices are.
func Source() string { return read().source }

// Price returns the on-demand price of an hour on Linux in a region, in US
// dollars or, in China, in yuan. The catalogue has one region for each partition
// and both of AWS GovCloud; another region gets the price of us-east-1, or of
// cn-north-1 in China, and exact is false.
func (t *Type) Price(region string) (price float64, known, exact bool) {
	price, exact = t.prices[region]
	if exact {
		return price, true, true
	}
	if _, has := read().regions[region]; has {
		return 0, false, true
	}
	fallback := "us-east-1"
	if strings.HasPrefix(region, "cn-") {
		fallback = "cn-north-1"
	}
	price, known = t.prices[fallback]
	return price, known, false
}

// Devices is the number of devices that a pod asks for under the name of a
// resource, such as "nvidia.com/gpu".
func (t *Type) Devices(resource string) int {
	switch resource {
	case "nvidia.com/gpu":
		return t.gpusOf("nvidia")
	case "amd.com/gpu":
		return t.gpusOf("amd")
	case "habana.ai/gaudi":
		return t.gpusOf("habana")
	case "aws.amazon.com/neuron":
		n := 0
		for _, d := range t.Neuron {
			n += d.Count
		}
		return n
	case "aws.amazon.com/neuroncore":
		if len(t.Neuron) > 0 {
			return t.Neuron[0].Count * t.Neuron[0].Cores
		}
	}
	return 0
}

func (t *Type) gpusOf(maker string) int {
	n := 0
	for _, d := range t.GPUs {
		if d.Maker == maker {
			n += d.Count
		}
	}
	return n
}

// catalogue is the table, read.
type catalogue struct {
	source  string
	types   []Type
	byName  map[string]int
	regions map[string]bool
}

var read = sync.OnceValue(func() *catalogue {
	c := &catalogue{byName: map[string]int{}, regions: map[string]bool{}}
	var head []string
	for line := range strings.Lines(table) {
		line = strings.TrimSuffix(line, "\n")
		if comment, ok := strings.CutPrefix(line, "# "); ok {
			c.source = strings.TrimSpace(c.source + " " + comment)
			continue
		}
		fields := strings.Split(line, "\t")
		if head == nil {
			head = fields
			for _, region := range head[firstRegion:] {
				c.regions[region] = true
			}
			continue
		}
		t := newType(fields)
		for i, region := range head[firstRegion:] {
			if text := fields[firstRegion+i]; text != "" {
				t.prices[region] = decimal(text)
			}
		}
		c.byName[t.Name] = len(c.types)
		c.types = append(c.types, t)
	}
	return c
})

// firstRegion is the number of the first column with prices.
const firstRegion = 20

// nameParts are category and generation in a name, as Karpenter reads them.
var nameParts = regexp.MustCompile(`^([a-z]+)(?:-[0-9]+tb)?([0-9]+).*\.`)

func newType(f []string) Type {
	t := Type{
		Name: f[0], Arch: f[1], VCPUs: integer(f[2]), MemoryMiB: integer(f[3]), CPUMaker: f[4], CPUMHz: integer(f[5]), Hypervisor: f[6],
		OnDemand: strings.Contains(f[7], "o"), Spot: strings.Contains(f[7], "s"), EncryptionInTransit: strings.Contains(f[8], "e"),
		ENA: strings.Contains(f[8], "n"), NestedVirtualization: strings.Contains(f[8], "v"),
		GPUs: devices(f[9], (*Device).setMemory), Accelerators: devices(f[10], (*Device).setMemory), Neuron: devices(f[11], (*Device).setCores),
		NVMeGB: integer(f[12]), StorageGB: integer(f[13]),
		NetworkMbps: integer(f[14]), EBSMbps: integer(f[15]), Cards: integers(f[16]), IPv4: integer(f[17]), EFA: integer(f[18]), Branches: integer(f[19]),
		prices: map[string]float64{},
	}
	if m := nameParts.FindStringSubmatch(t.Name); m != nil {
		t.Category, t.Generation = m[1], m[2]
	}
	t.Family, t.Size, _ = strings.Cut(t.Name, ".")
	t.setLabels()
	return t
}

// devices reads maker:name:count:last, separated by commas. set says what the last
// number is.
func devices(text string, set func(*Device, int)) []Device {
	if text == "" {
		return nil
	}
	var list []Device
	for one := range strings.SplitSeq(text, ",") {
		f := strings.Split(one, ":")
		d := Device{Maker: f[0], Name: f[1], Count: integer(f[2])}
		set(&d, integer(f[3]))
		list = append(list, d)
	}
	return list
}

func (d *Device) setMemory(n int) { d.MemoryMiB = n }
func (d *Device) setCores(n int)  { d.Cores = n }

// integer reads a number of the table, which a test holds free of anything else.
func integer(text string) int {
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(fmt.Sprintf("instancetype: %v", err))
	}
	return n
}

func integers(text string) []int {
	var list []int
	for one := range strings.SplitSeq(text, ",") {
		list = append(list, integer(one))
	}
	return list
}

func decimal(text string) float64 {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(fmt.Sprintf("instancetype: %v", err))
	}
	return n
}
