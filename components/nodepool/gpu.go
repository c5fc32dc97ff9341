package nodepool

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/release"
	"github.com/valohai/pulumi-kubernetes-autoscaling/internal/quantity"
	"github.com/valohai/pulumi-kubernetes-autoscaling/internal/scheduling"
)

// GPUSharing says how jobs share the GPUs of a pool. A node then reports more
// nvidia.com/gpu than it has GPUs, and limits of the pool count what it reports.
//
// Source: https://github.com/NVIDIA/k8s-device-plugin#shared-access-to-gpus
type GPUSharing struct {
	// TimeSlicing is the number of jobs that take turns on each GPU, 2 to 100.
	// Nothing divides its memory between them. Default: none.
	TimeSlicing int `json:"timeSlicing,omitempty"`
	// MIG is "single": each partition of a GPU is reported as a GPU. The node makes
	// the partitions (userData of its class), all of one size. Default: none.
	MIG string `json:"mig,omitempty"`
}

const migSingle = "single"

func (s GPUSharing) sharing() release.Sharing {
	return release.Sharing{TimeSlicing: s.TimeSlicing, MIG: s.MIG == migSingle}
}

// migGPUs are the GPUs that can be partitioned, in the words of
// karpenter.k8s.aws/instance-gpu-name.
//
// Source: https://docs.nvidia.com/datacenter/tesla/mig-user-guide/supported-gpus.html
var migGPUs = []string{"a100", "b200", "b300", "h100", "h200", "rtx-pro-server-6000"}

// sharing checks whether the nodes of a pool can share their GPUs as it says, and
// whether its limit has room for what one of them reports.
func (c *check) sharing(path string, p Pool, class NodeClass) {
	s := p.GPUSharing
	if s == nil {
		return
	}
	path += ".gpuSharing"
	if *s == (GPUSharing{}) {
		c.add(path, "nothing", "timeSlicing or mig", "write one, or leave it out")
	}
	c.within(path+".timeSlicing", s.TimeSlicing, 2, 100)
	if s.MIG == "mixed" {
		c.add(path+".mig", `"mixed"`, migSingle+": Karpenter makes no node for a resource such as nvidia.com/mig-1g.10gb", "use partitions of one size")
	} else {
		c.oneOf(path+".mig", s.MIG, migSingle)
	}
	if bundlesPlugin(class, c.Release) {
		c.add(path, "a value", "none with images that bring their own device plugin", "write [settings.kubelet-device-plugins.nvidia] into userData of the node class")
	}
	if !p.mayHave(ResourceGPU) {
		c.add(path, "a value", "none in a pool without NVIDIA GPUs", "leave it out, or require GPUs")
		return
	}
	if s.MIG == migSingle {
		c.partitions(path+".mig", p, c.nodes[p.NodeClass])
	}
	c.shares(path+".timeSlicing", p, c.nodes[p.NodeClass])
}

// partitions checks whether every GPU of the pool can be partitioned.
func (c *check) partitions(path string, p Pool, node scheduling.Node) {
	others := map[string]bool{}
	for t := range p.launchable(node).Types() {
		for _, gpu := range t.GPUs {
			if !slices.Contains(migGPUs, gpu.Name) {
				others[gpu.Name] = true
			}
		}
	}
	if len(others) > 0 {
		c.add(path, "a pool that may have "+strings.Join(slices.Sorted(maps.Keys(others)), ", "), "GPUs that can be partitioned, "+strings.Join(migGPUs, ", "),
			"require one of these (karpenter.k8s.aws/instance-gpu-name)")
	}
}

// shares checks whether the limit has room for what a node reports.
func (c *check) shares(path string, p Pool, node scheduling.Node) {
	limit, limited := quantity.Milli(string(p.Limits[ResourceGPU]))
	if !limited || p.GPUSharing.TimeSlicing == 0 {
		return
	}
	least := int64(0)
	pool := p.launchable(node)
	for t := range pool.Types() {
		if n := pool.Amount(t, ResourceGPU); n > 0 && (least == 0 || n < least) {
			least = n
		}
	}
	if reported := least * int64(p.GPUSharing.TimeSlicing); limit < reported {
		c.add(path, strconv.Itoa(p.GPUSharing.TimeSlicing), fmt.Sprintf("at most what limits[%q] leaves, which counts shares: the smallest node reports %s of %s",
			ResourceGPU, quantity.WriteMilli(ResourceGPU, reported), quantity.WriteMilli(ResourceGPU, limit)), "lower it, or raise the limit")
	}
}

// bundlesPlugin tells whether the images of a class bring a device plugin.
func bundlesPlugin(class NodeClass, rel release.Release) bool {
	return class.family(rel) == "bottlerocket"
}

// DevicePlugin says what NVIDIA's device plugin has to know of pools, and whether
// one of them needs it: a pool that must or may have NVIDIA GPUs, on Linux, whose
// images do not bring a plugin of their own.
func DevicePlugin(rel release.Release, pools map[string]Pool, classes map[string]NodeClass) (plugin release.DevicePlugin, needed bool) {
	for _, name := range slices.Sorted(maps.Keys(pools)) {
		class := classes[pools[name].NodeClassName()]
		p := pools[name].resolved(rel, class)
		if class.IsWindows() || !p.mayHave(ResourceGPU) {
			continue
		}
		if bundlesPlugin(class, rel) {
			plugin.BundledPools = append(plugin.BundledPools, name)
			continue
		}
		needed = true
		for _, t := range slices.Concat(p.Taints, p.StartupTaints) {
			plugin.TaintKeys = append(plugin.TaintKeys, t.Key)
		}
		if p.GPUSharing != nil {
			plugin.Sharing = append(plugin.Sharing, p.GPUSharing.sharing())
		}
	}
	return plugin, needed
}
