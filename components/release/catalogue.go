package release

import (
	"slices"
	"strings"
)

// entry is what holds from one version of Karpenter until the next entry.
type entry struct {
	since version
	Capabilities
	// fields are what the release's API has that earlier releases lack: see
	// Release.Lacks.
	fields []string
}

// catalogue lists what each release changed, the oldest first. A release has
// what the one before it had, and its own change. A new minor of Karpenter is
// one line here and its golden files, even where nothing changed: a minor that
// is not listed is refused, since nobody has read its permissions.
var catalogue = accumulate([]change{
	{since: "0.33.0", kubernetes: "1.23 1.28", also: func(c *Capabilities) {
		c.ChartTagHasV = true
		c.DescribesZones = true
		c.MaxRequirements = 30
		c.gates("drift")
	}},
	{since: "0.34.0", kubernetes: "1.23 1.29", fields: "pool.disruption.budgets class.instanceStorePolicy", also: func(c *Capabilities) {
		c.ScopesLaunchTemplates = true
		c.gates("spotToSpotConsolidation")
	}},
	{since: "0.35.0", kubernetes: "1.23 1.29", fields: "pool.requirements.minValues class.associatePublicIPAddress family.al2023", also: func(c *Capabilities) {
		c.ChartTagHasV = false
	}},
	{since: "0.36.0", kubernetes: "1.23 1.29", fields: "key.instance-cpu-manufacturer"},
	{since: "0.37.0", kubernetes: "1.23 1.30", fields: "key.instance-ebs-bandwidth"},
	{since: "1.0.0", kubernetes: "1.25 1.30", fields: "pool.disruption.budgets.reasons pool.terminationGracePeriod", also: func(c *Capabilities) {
		c.ServesV1 = true
		c.TagsClusterName = true
		c.MaxRequirements = 100
		c.FeatureGates = []string{"spotToSpotConsolidation"}
	}},
	{since: "1.0.5", kubernetes: "1.25 1.31"},
	{since: "1.1.0", kubernetes: "1.25 1.31", fields: "key.ec2nodeclass key.instance-cpu-sustained-clock-speed-mhz", also: func(c *Capabilities) {
		c.DescribesZones = false
		c.gates("nodeRepair")
	}},
	{since: "1.2.0", kubernetes: "1.25 1.32"},
	{since: "1.3.0", kubernetes: "1.25 1.32", fields: "class.capacityReservationSelectorTerms key.capacity-reservation-id", also: func(c *Capabilities) {
		c.UsesCapacityReservations = true
		c.TagsCapacityReservations = true
		c.gates(GateReservedCapacity)
	}},
	{since: "1.4.0", kubernetes: "1.25 1.32", fields: "class.amiSelectorTerms.ssmParameter", also: func(c *Capabilities) { c.PullsImagesOnly = true }},
	{since: "1.5.0", kubernetes: "1.26 1.33", fields: "class.blockDeviceMappings.ebs.volumeInitializationRate"},
	{since: "1.6.0", kubernetes: "1.26 1.33", fields: "key.capacity-reservation-type"},
	{since: "1.6.6", kubernetes: "1.26 1.34"},
	{since: "1.7.0", kubernetes: "1.26 1.34", fields: "key.instance-capability-flex", also: func(c *Capabilities) {
		c.ListsInstanceProfiles = true
		c.ChangesRoles = true
		c.gates("nodeOverlay")
	}},
	{since: "1.8.0", kubernetes: "1.26 1.34", fields: "pool.replicas class.ipPrefixCount class.capacityReservationSelectorTerms.instanceMatchCriteria", also: func(c *Capabilities) {
		c.gates(GateStaticCapacity)
	}},
	{since: "1.9.0", kubernetes: "1.26 1.35", fields: "operator.Gte operator.Lte family.windows2025 key.instance-tenancy", also: func(c *Capabilities) {
		c.TagsCapacityReservations = false
		c.AllowsKubernetesLabels = true
	}},
	{since: "1.10.0", kubernetes: "1.26 1.35", fields: "key.capacity-reservation-interruptible", also: func(c *Capabilities) {
		c.WatchesCapacityReservations = true
	}},
	{since: "1.11.0", kubernetes: "1.26 1.35", fields: "class.networkInterfaces class.placementGroupSelector key.placement-group-id key.placement-group-partition", also: func(c *Capabilities) {
		c.UsesPlacementGroups = true
	}},
	{since: "1.12.0", kubernetes: "1.26 1.35", also: func(c *Capabilities) {
		c.DescribesInstanceStatus = true
		c.SupportsZonalShift = true
	}},
	{since: "1.13.0", kubernetes: "1.26 1.36", fields: "class.connectionTracking class.cpuOptions"},
	{since: "1.14.0", kubernetes: "1.26 1.36", fields: "policy.Balanced", also: func(c *Capabilities) { c.gates("capacityBuffer") }},
	{since: "1.15.0", kubernetes: "1.26 1.37", fields: "class.enclaveOptions reason.Unhealthy", also: func(c *Capabilities) {
		c.RebootsInstances = true
		c.gates("terminateFirstDrift", "terminateFirstRepair", "podDeletionCostManagement")
	}},
})

// gates adds feature gates.
func (c *Capabilities) gates(names ...string) {
	c.FeatureGates = append(slices.Clone(c.FeatureGates), names...)
}

// change is one entry against the one before it.
type change struct {
	since      string
	kubernetes string // the lowest and the highest supported minor
	fields     string // what the API has from here on, separated by spaces
	also       func(*Capabilities)
}

func accumulate(changes []change) []entry {
	var c Capabilities
	entries := make([]entry, len(changes))
	for i, ch := range changes {
		since, err := parse(ch.since)
		if err != nil {
			panic(err)
		}
		low, high, found := strings.Cut(ch.kubernetes, " ")
		if !found {
			panic("release: kubernetes range of " + ch.since)
		}
		c.MinKubernetes, c.MaxKubernetes = low, high
		if ch.also != nil {
			ch.also(&c)
		}
		entries[i] = entry{since: since, Capabilities: c, fields: strings.Fields(ch.fields)}
	}
	return entries
}
