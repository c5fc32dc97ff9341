package release

import "strings"

// entry is what holds from one version of Karpenter until the next entry.
type entry struct {
	since version
	Capabilities
}

// catalogue lists what each release changed, the oldest first. A release has
// what the one before it had, and its own change. A new minor of Karpenter is
// one line here and its golden files, even where nothing changed: a minor that
// is not listed is refused, since nobody has read its permissions.
var catalogue = accumulate([]change{
	{since: "0.33.0", kubernetes: "1.23 1.28", also: func(c *Capabilities) {
		c.ChartTagHasV = true
		c.DescribesZones = true
	}},
	{since: "0.34.0", kubernetes: "1.23 1.29", also: func(c *Capabilities) { c.ScopesLaunchTemplates = true }},
	{since: "0.35.0", kubernetes: "1.23 1.29", also: func(c *Capabilities) { c.ChartTagHasV = false }},
	{since: "0.36.0", kubernetes: "1.23 1.29"},
	{since: "0.37.0", kubernetes: "1.23 1.30"},
	{since: "1.0.0", kubernetes: "1.25 1.30", also: func(c *Capabilities) {
		c.ServesV1 = true
		c.TagsClusterName = true
	}},
	{since: "1.0.5", kubernetes: "1.25 1.31"},
	{since: "1.1.0", kubernetes: "1.25 1.31", also: func(c *Capabilities) { c.DescribesZones = false }},
	{since: "1.2.0", kubernetes: "1.25 1.32"},
	{since: "1.3.0", kubernetes: "1.25 1.32", also: func(c *Capabilities) {
		c.UsesCapacityReservations = true
		c.TagsCapacityReservations = true
	}},
	{since: "1.4.0", kubernetes: "1.25 1.32", also: func(c *Capabilities) { c.PullsImagesOnly = true }},
	{since: "1.5.0", kubernetes: "1.26 1.33"},
	{since: "1.6.0", kubernetes: "1.26 1.33"},
	{since: "1.6.6", kubernetes: "1.26 1.34"},
	{since: "1.7.0", kubernetes: "1.26 1.34", also: func(c *Capabilities) { c.ListsInstanceProfiles = true }},
	{since: "1.8.0", kubernetes: "1.26 1.34"},
	{since: "1.9.0", kubernetes: "1.26 1.35", also: func(c *Capabilities) {
		c.TagsCapacityReservations = false
		c.SupportsWindows2025 = true
	}},
	{since: "1.10.0", kubernetes: "1.26 1.35", also: func(c *Capabilities) { c.WatchesCapacityReservations = true }},
	{since: "1.11.0", kubernetes: "1.26 1.35", also: func(c *Capabilities) { c.UsesPlacementGroups = true }},
	{since: "1.12.0", kubernetes: "1.26 1.35", also: func(c *Capabilities) {
		c.DescribesInstanceStatus = true
		c.SupportsZonalShift = true
	}},
	{since: "1.13.0", kubernetes: "1.26 1.36"},
	{since: "1.14.0", kubernetes: "1.26 1.36"},
	{since: "1.15.0", kubernetes: "1.26 1.37", also: func(c *Capabilities) { c.RebootsInstances = true }},
})

// change is one entry against the one before it.
type change struct {
	since      string
	kubernetes string // the lowest and the highest supported minor
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
		entries[i] = entry{since: since, Capabilities: c}
	}
	return entries
}
