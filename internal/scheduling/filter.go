package scheduling

import "github.com/valohai/pulumi-kubernetes-autoscaling/internal/instancetype"

// Filter tells which instance types meet requirements.
type Filter struct {
	// labels are those that follow from the type.
	labels []labelSet
	// never tells that no type can meet the rest.
	never bool
	// capacity are the capacity types that may be used, nil for any.
	capacity *set
	// reserved tells that there may be reserved capacity of any type.
	reserved bool
}

type labelSet struct {
	label instancetype.Label
	set   set
}

// Filter returns the filter of requirements for nodes of a class. What the
// cluster is not known to have, such as its zones or the capacity reservations
// that the class selects, is not looked at, nor are labels that pools make up.
func (r Requirements) Filter(c Cluster, n *Node) Filter {
	f := Filter{reserved: n.Reservations}
	place := map[string][]string{labelOS: {n.os()}, labelTenancy: {"default", "dedicated"}}
	if !n.Reservations {
		for _, key := range reservationLabels {
			place[key] = nil
		}
	}
	if len(c.Zones) > 0 {
		place[labelZone] = c.Zones
	}
	if c.Region != "" {
		place[labelRegion] = []string{c.Region}
	}
	if n.os() != "windows" {
		place[labelWindows] = nil
	}
	for key, s := range r {
		if label, ok := instancetype.LabelOf(key); ok {
			f.labels = append(f.labels, labelSet{label, s})
		} else if key == labelCapacityType {
			f.capacity = &s
		} else if values, ok := place[key]; ok && !s.meets(values) {
			f.never = true
		}
	}
	return f
}

// meets tells whether a label with one of some values, or none, will do.
func (s set) meets(values []string) bool {
	if len(values) == 0 {
		return s.allowsAbsence()
	}
	for _, v := range values {
		if s.has(v) {
			return true
		}
	}
	return false
}

// available tells whether a type can be had in one of the ways that may be used.
func (f Filter) available(t *instancetype.Type) bool {
	for way, there := range map[string]bool{"on-demand": t.OnDemand, "spot": t.Spot, "reserved": f.reserved} {
		if there && (f.capacity == nil || f.capacity.has(way)) {
			return true
		}
	}
	return false
}

// Match tells whether a type meets the requirements, and can be had as they want.
func (f Filter) Match(t *instancetype.Type) bool {
	if f.never || !f.available(t) {
		return false
	}
	for _, l := range f.labels {
		value, has := t.Value(l.label)
		if has && !l.set.has(value) || !has && !l.set.allowsAbsence() {
			return false
		}
	}
	return true
}
