package nodepool

import (
	"slices"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/release"
)

// FeatureGates returns the feature gates of the controller that pools and classes
// need, of those that the release has: static pools need one, and before Karpenter
// 1.6 capacity reservations do.
func FeatureGates(rel release.Release, pools map[string]Pool, classes map[string]NodeClass) []string {
	var needed []string
	for _, c := range classes {
		if len(c.CapacityReservationSelectorTerms) > 0 {
			needed = append(needed, release.GateReservedCapacity)
		}
	}
	for _, p := range pools {
		if p.Replicas != nil {
			needed = append(needed, release.GateStaticCapacity)
		}
	}
	needed = slices.DeleteFunc(needed, func(gate string) bool { return !slices.Contains(rel.FeatureGates, gate) })
	slices.Sort(needed)
	return slices.Compact(needed)
}
