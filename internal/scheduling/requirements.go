package scheduling

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Requirement limits the values of a label, as node pools and node affinities
// write it.
type Requirement struct {
	Key      string   `json:"key"`
	Operator string   `json:"operator"`
	Values   []string `json:"values"`
	// MinValues is how many different values the instance types to choose from
	// must have. 0: any number.
	MinValues int `json:"minValues"`
}

// set is a set of values of a label: those listed, or all but those listed,
// within bounds for numbers. Both bounds are part of it.
type set struct {
	allBut bool
	values map[string]bool
	low    *int
	high   *int
	min    int
}

// newSet returns the values that a requirement allows. None is how a label that
// must not exist is written.
func newSet(r Requirement) set {
	s := set{values: map[string]bool{}, min: r.MinValues}
	switch r.Operator {
	case "In":
		for _, v := range r.Values {
			s.values[v] = true
		}
	case "NotIn":
		s.allBut = true
		for _, v := range r.Values {
			s.values[v] = true
		}
	case "Exists":
		s.allBut = true
	case "Gt", "Gte", "Lt", "Lte":
		s.allBut = true
		s.bound(r.Operator, r.Values)
	}
	return s
}

func (s *set) bound(operator string, values []string) {
	if len(values) != 1 {
		return
	}
	n, err := strconv.Atoi(values[0])
	if err != nil {
		return
	}
	switch operator {
	case "Gt":
		n++
		s.low = &n
	case "Gte":
		s.low = &n
	case "Lt":
		n--
		s.high = &n
	case "Lte":
		s.high = &n
	}
}

// has tells whether a value is in the set.
func (s set) has(value string) bool { return s.values[value] != s.allBut && s.within(value) }

func (s set) within(value string) bool {
	if s.low == nil && s.high == nil {
		return true
	}
	n, err := strconv.Atoi(value)
	return err == nil && (s.low == nil || n >= *s.low) && (s.high == nil || n <= *s.high)
}

// allowsAbsence tells whether a node without the label will do.
func (s set) allowsAbsence() bool {
	return !s.allBut && len(s.values) == 0 || s.allBut && len(s.values) > 0
}

func (s set) empty() bool { return !s.allBut && len(s.values) == 0 }

// and returns what is in both sets.
func (s set) and(o set) set {
	both := set{allBut: s.allBut && o.allBut, values: map[string]bool{}, min: max(s.min, o.min)}
	both.low, both.high = tighter(s.low, o.low, 1), tighter(s.high, o.high, -1)
	if both.low != nil && both.high != nil && *both.low > *both.high {
		return set{values: map[string]bool{}, min: both.min}
	}
	if both.allBut {
		maps.Copy(both.values, s.values)
		maps.Copy(both.values, o.values)
		return both
	}
	listed, other := s, o
	if s.allBut {
		listed, other = o, s
	}
	for v := range listed.values {
		if other.has(v) && both.within(v) {
			both.values[v] = true
		}
	}
	both.low, both.high = nil, nil
	return both
}

// tighter returns the bound that leaves less: the higher of two lower bounds (sign
// 1), the lower of two upper ones (sign -1).
func tighter(a, b *int, sign int) *int {
	if a == nil || b != nil && sign**b > sign**a {
		return b
	}
	return a
}

// String writes a set as a requirement.
func (s set) String() string {
	var parts []string
	list := "[" + strings.Join(slices.Sorted(maps.Keys(s.values)), ", ") + "]"
	switch {
	case s.empty():
		return "DoesNotExist"
	case !s.allBut:
		return "In " + list
	case len(s.values) > 0:
		parts = append(parts, "NotIn "+list)
	}
	if s.low != nil {
		parts = append(parts, fmt.Sprintf("at least %d", *s.low))
	}
	if s.high != nil {
		parts = append(parts, fmt.Sprintf("at most %d", *s.high))
	}
	if len(parts) == 0 {
		return "Exists"
	}
	return strings.Join(parts, " and ")
}

// Requirements are the values that labels may have, by key.
type Requirements map[string]set

// NewRequirements returns what several requirements allow together.
func NewRequirements(list ...Requirement) Requirements {
	r := Requirements{}
	for _, one := range list {
		r.add(Normalized(one.Key), newSet(one))
	}
	return r
}

func (r Requirements) add(key string, s set) {
	if own, ok := r[key]; ok {
		s = own.and(s)
	}
	r[key] = s
}

// with returns both sets of requirements together.
func (r Requirements) with(o Requirements) Requirements {
	both := maps.Clone(r)
	for key, s := range o {
		both.add(key, s)
	}
	return both
}

// conflicts returns what a pod's requirements ask of the labels of a pool that it
// cannot give, one line a key: a key that the pool does not define, and that no
// instance type has, or values that do not meet.
func (r Requirements) conflicts(pod Requirements) []string {
	var lines []string
	for _, key := range slices.Sorted(maps.Keys(pod)) {
		wanted := pod[key]
		own, defined := r[key]
		switch {
		case !defined && !WellKnown(key) && !wanted.allowsAbsence():
			lines = append(lines, fmt.Sprintf("the pod wants %s %s, and the pool's nodes have no such label", key, wanted))
		case defined && own.and(wanted).empty() && (!own.allowsAbsence() || !wanted.allowsAbsence()):
			lines = append(lines, fmt.Sprintf("the pod wants %s %s, and the pool has %s", key, wanted, own))
		}
	}
	return lines
}
