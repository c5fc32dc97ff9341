package nodepool

import (
	"slices"
	"strconv"
	"strings"
)

// Domains of labels that Karpenter keeps for itself.
const (
	domainKarpenter = "karpenter.sh/"
	domainAWS       = "karpenter.k8s.aws/"
	hostnameLabel   = "kubernetes.io/hostname"
)

// awsLabels are what instances are chosen by, below the domain
// karpenter.k8s.aws: those of every release, and those that the catalogue has as
// "key.NAME".
var awsLabels = []string{
	"instance-accelerator-count", "instance-accelerator-manufacturer", "instance-accelerator-name", "instance-category", "instance-cpu",
	"instance-encryption-in-transit-supported", "instance-family", "instance-generation", "instance-gpu-count",
	"instance-gpu-manufacturer", "instance-gpu-memory", "instance-gpu-name", "instance-hypervisor", "instance-local-nvme",
	"instance-memory", "instance-network-bandwidth", "instance-size",
	"capacity-reservation-id", "capacity-reservation-interruptible", "capacity-reservation-type", "ec2nodeclass", "instance-capability-flex",
	"instance-cpu-manufacturer", "instance-cpu-sustained-clock-speed-mhz", "instance-ebs-bandwidth", "instance-tenancy",
	"placement-group-id", "placement-group-partition",
}

// kubernetesLabels are the keys of the domains kubernetes.io and k8s.io that
// every release takes.
var kubernetesLabels = []string{
	"beta.kubernetes.io/instance-type", "failure-domain.beta.kubernetes.io/region", "beta.kubernetes.io/os", "beta.kubernetes.io/arch",
	"failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone", "topology.kubernetes.io/region", "node.kubernetes.io/instance-type",
	"kubernetes.io/arch", "kubernetes.io/os", "node.kubernetes.io/windows-build",
}

// labelKey checks the key of a label or of a requirement against what the
// release keeps for itself.
//
// Source: the validation rules of the CRDs of each release.
func (c *check) labelKey(path, key string) {
	c.form(path, key, keyForm, keyWords)
	domain, _, _ := strings.Cut(key, "/")
	const remedy = "take another key"
	switch name, ours := strings.CutPrefix(key, domainAWS); {
	case ours:
		if !slices.Contains(awsLabels, name) {
			c.add(path, strconv.Quote(key), "one of Karpenter's own labels: "+domainAWS+strings.Join(awsLabels, ", "+domainAWS), remedy)
			return
		}
		c.since(path, "key."+name, strconv.Quote(key))
	case within(domain, "karpenter.k8s.aws"), within(domain, "karpenter.sh") && key != labelCapacityType:
		c.add(path, strconv.Quote(key), "nothing of the domain "+domain+" but "+labelCapacityType, remedy)
	case key == hostnameLabel:
		c.add(path, strconv.Quote(key), "a label that several nodes have", remedy)
	case c.Release.AllowsKubernetesLabels, slices.Contains(kubernetesLabels, key):
	case within(domain, "node.kubernetes.io"), within(domain, "node-restriction.kubernetes.io"), within(domain, "kops.k8s.io"):
	case within(domain, "kubernetes.io"), within(domain, "k8s.io"):
		c.add(path, strconv.Quote(key), "a key outside "+domain+" in Karpenter "+c.Release.Version, remedy+", or use Karpenter 1.9.0 or later")
	}
}

// within tells whether a domain is another one or ends with it, as the CRDs see
// it.
func within(domain, of string) bool { return strings.HasSuffix(domain, of) }
