package nodepool

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/release"
	"github.com/valohai/pulumi-kubernetes-autoscaling/internal/scheduling"
)

// Target is what pools and node classes are for.
type Target struct {
	// Release is the installed Karpenter.
	Release release.Release
	// Kubernetes is the cluster's minor, such as "1.34". Empty is not known.
	Kubernetes string
}

// Validate checks all pools and node classes of a stack, and returns every fault
// at once, each with the path of its field. What it accepts, the API server of
// the release accepts too, and stores to the last field.
func Validate(t Target, pools map[string]Pool, classes map[string]NodeClass) error {
	c := check{Target: t, nodes: capacity(t.Release, classes)}
	if len(pools) == 0 {
		c.add("nodePools", "none", "at least one pool", "name a preset: "+strings.Join(PresetNames(), ", "))
	}
	used := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(pools)) {
		used[pools[name].NodeClassName()] = true
		c.pool(fmt.Sprintf("nodePools[%q]", name), name, pools[name], classes)
	}
	for _, name := range slices.Sorted(maps.Keys(classes)) {
		path := fmt.Sprintf("nodeClasses[%q]", name)
		if len(pools) > 0 && !used[name] && name != DefaultNodeClass {
			c.add(path, "no pool that uses it", "a class that a pool names", "name it in a pool (nodeClass), or remove it")
		}
		c.class(path, name, classes[name])
	}
	return errors.Join(c.faults...)
}

// check collects what is wrong for one target.
type check struct {
	Target
	// nodes is what each class says of the capacity of its nodes.
	nodes  map[string]scheduling.Node
	faults []error
}

// add records a fault: where it is, what was found, what is allowed and what to
// do.
func (c *check) add(path, found, allowed, remedy string) {
	c.faults = append(c.faults, fmt.Errorf("%s: found %s, allowed is %s: %s", path, found, allowed, remedy))
}

// wrap records the fault of a field that another check found.
func (c *check) wrap(path string, err error) {
	if err != nil {
		c.faults = append(c.faults, fmt.Errorf("%s: %w", path, err))
	}
}

func (c *check) name(path, name string) {
	if !nameForm.MatchString(name) {
		c.add(path, strconv.Quote(name), "a name of at most 63 lower-case letters, digits and '-'", "rename it")
	}
}

// form records a fault if a text that is set has not the form that the API
// wants.
func (c *check) form(path, found string, form interface{ MatchString(string) bool }, allowed string) {
	if found != "" && !form.MatchString(found) {
		c.add(path, strconv.Quote(found), allowed, "write it so")
	}
}

// oneOf records a fault if a text that is set is none of those allowed.
func (c *check) oneOf(path, found string, allowed ...string) {
	if found != "" && !slices.Contains(allowed, found) {
		c.add(path, strconv.Quote(found), strings.Join(allowed, ", "), "choose one of these")
	}
}

// within records a fault if a number that is set is out of bounds.
func (c *check) within(path string, found, low, high int) {
	if found != 0 && (found < low || found > high) {
		c.add(path, strconv.Itoa(found), fmt.Sprintf("%d to %d", low, high), "choose one of these, or leave it out")
	}
}

func (c *check) atMost(path string, found, limit int) {
	if found > limit {
		c.add(path, strconv.Itoa(found), fmt.Sprintf("at most %d", limit), "leave some out")
	}
}

// since records a fault if the release lacks something: see release.Lacks.
func (c *check) since(path, field, found string) bool {
	first, lacks := c.Release.Lacks(field)
	if lacks {
		c.add(path, found, "nothing in Karpenter "+c.Release.Version, "leave it out, or use Karpenter "+first+" or later")
	}
	return lacks
}

// fields records a fault for every field that is set and that the release lacks.
// field is the value's path as the catalogue has it.
func (c *check) fields(path, field string, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			c.fields(path, field, v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			c.fields(fmt.Sprintf("%s[%d]", path, i), field, v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).IsZero() {
				continue
			}
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			if !c.since(path+"."+name, field+"."+name, "a value") {
				c.fields(path+"."+name, field+"."+name, v.Field(i))
			}
		}
	}
}

// quoted returns the names of classes for a message.
func quoted(classes map[string]NodeClass) string {
	names := slices.Sorted(maps.Keys(classes))
	for i, n := range names {
		names[i] = strconv.Quote(n)
	}
	return strings.Join(names, ", ")
}
