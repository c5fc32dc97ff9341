package scheduling

import (
	"slices"
	"strings"

	"github.com/valohai/pulumi-kubernetes-autoscaling/internal/instancetype"
)

// Labels that follow from where and how a node runs, beside those of its instance
// type.
const (
	labelZone         = "topology.kubernetes.io/zone"
	labelZoneID       = "topology.k8s.aws/zone-id"
	labelRegion       = "topology.kubernetes.io/region"
	labelOS           = "kubernetes.io/os"
	labelCapacityType = "karpenter.sh/capacity-type"
	labelPool         = "karpenter.sh/nodepool"
	labelNodeClass    = "karpenter.k8s.aws/ec2nodeclass"
	labelTenancy      = "karpenter.k8s.aws/instance-tenancy"
	labelWindows      = "node.kubernetes.io/windows-build"
	labelHostname     = "kubernetes.io/hostname"
)

// reservationLabels are on nodes in reserved capacity only.
var reservationLabels = []string{
	"karpenter.k8s.aws/capacity-reservation-id", "karpenter.k8s.aws/capacity-reservation-type",
	"karpenter.k8s.aws/capacity-reservation-interruptible",
}

// normalized are former names of labels.
var normalized = map[string]string{
	"failure-domain.beta.kubernetes.io/zone":   labelZone,
	"topology.ebs.csi.aws.com/zone":            labelZone,
	"failure-domain.beta.kubernetes.io/region": labelRegion,
	"beta.kubernetes.io/os":                    labelOS,
	"beta.kubernetes.io/arch":                  "kubernetes.io/arch",
	"beta.kubernetes.io/instance-type":         "node.kubernetes.io/instance-type",
}

// Normalized returns the current name of a label.
func Normalized(key string) string {
	if current, ok := normalized[key]; ok {
		return current
	}
	return key
}

// wellKnown are the labels that Karpenter gives a node without a word in the
// pool, beside those of the instance type.
var wellKnown = append([]string{
	labelZone, labelZoneID, labelRegion, labelOS, labelCapacityType, labelPool, labelTenancy, labelWindows,
	"karpenter.k8s.aws/placement-group-id", "karpenter.k8s.aws/placement-group-partition",
}, reservationLabels...)

// WellKnown tells whether Karpenter knows the values of a label without a word in
// the pool.
func WellKnown(key string) bool {
	_, ofType := instancetype.LabelOf(key)
	return ofType || slices.Contains(wellKnown, key)
}

// restricted tells whether Karpenter refuses a pod that selects its nodes by a
// label.
func restricted(key string) bool {
	domain, _, _ := strings.Cut(key, "/")
	ours := domain == "karpenter.sh" || strings.HasSuffix(domain, ".karpenter.sh") ||
		domain == "karpenter.k8s.aws" || strings.HasSuffix(domain, ".karpenter.k8s.aws")
	return key == labelHostname || ours && !WellKnown(key)
}
