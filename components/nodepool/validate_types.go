package nodepool

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/release"
	"github.com/valohai/pulumi-kubernetes-autoscaling/internal/instancetype"
	"github.com/valohai/pulumi-kubernetes-autoscaling/internal/quantity"
	"github.com/valohai/pulumi-kubernetes-autoscaling/internal/scheduling"
)

const newerTypes = "correct it, or set unlistedInstanceTypes if you mean types that are newer than this library's catalogue"

// types checks that at least one instance type of the bundled catalogue meets
// the requirements of a pool, and that its limits allow a node of it.
func (c *check) types(path string, given, p Pool) {
	if p.UnlistedInstanceTypes {
		return
	}
	before := len(c.faults)
	for i, r := range p.Requirements {
		c.knownValues(requirementPath(path, given, r, i), r)
	}
	if len(c.faults) > before {
		return
	}
	pool := p.launchable(c.nodes[p.NodeClass])
	least := map[string]int64{}
	found := false
	for t := range pool.Types() {
		if pool.Within(t) {
			return
		}
		for resource := range pool.Limits {
			amount := pool.Amount(t, resource)
			if own, ok := least[resource]; !ok || amount < own {
				least[resource] = amount
			}
		}
		found = true
	}
	if !found {
		c.add(path+".requirements", "requirements that no instance type meets together on nodes of its class", "those that at least one type does", newerTypes)
		return
	}
	c.limitsBelow(path, pool.Limits, least)
}

// limitsBelow reports limits that allow no single node: least is the least of each
// resource that a node of the pool has.
func (c *check) limitsBelow(path string, limits, least map[string]int64) {
	reported := false
	for _, resource := range slices.Sorted(maps.Keys(limits)) {
		if limits[resource] < least[resource] {
			reported = true
			c.add(fmt.Sprintf("%s.limits[%q]", path, resource), strconv.Quote(quantity.WriteMilli(resource, limits[resource])),
				"at least what the smallest node has, "+quantity.WriteMilli(resource, least[resource]), "raise it, or allow smaller instance types")
		}
	}
	if !reported {
		c.add(path+".limits", "limits that no instance type of the pool stays within together", "those of at least one node", "raise them")
	}
}

// knownValues checks the values that a requirement lists for a label that follows
// from the instance type.
func (c *check) knownValues(path string, r Requirement) {
	label, ok := instancetype.LabelOf(r.Key)
	if !ok || r.Operator != "In" {
		return
	}
	for i, v := range r.Values {
		if !label.Known(string(v)) {
			c.add(fmt.Sprintf("%s.values[%d]", path, i), strconv.Quote(string(v)), "what an instance type has"+examples(label, string(v)), newerTypes)
		}
	}
}

// examples are known values of a label that begin like one that is not known, in
// words; none if there are none.
func examples(l instancetype.Label, unknown string) string {
	for n := len(unknown); n > 0; n-- {
		var like []string
		for _, v := range l.Values() {
			if strings.HasPrefix(v, unknown[:n]) {
				like = append(like, v)
			}
		}
		if len(like) > 0 {
			return ", such as " + strings.Join(like[:min(len(like), 5)], ", ")
		}
	}
	return ""
}

// launchable is a pool of which everything comes from its preset already, on nodes
// of its class, for questions about instance types.
func (p Pool) launchable(node scheduling.Node) *scheduling.Pool {
	limits := map[string]int64{}
	for resource, limit := range p.Limits {
		if n, ok := quantity.Milli(string(limit)); ok {
			limits[resource] = n
		}
	}
	asked := make([]scheduling.Requirement, len(p.Requirements))
	for i, r := range p.Requirements {
		asked[i] = scheduling.Requirement{Key: r.Key, Operator: r.Operator, Values: texts(r.Values), MinValues: r.MinValues}
	}
	return &scheduling.Pool{Requirements: scheduling.NewRequirements(asked...), Limits: limits, Node: node}
}

func texts(values []Scalar) []string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = string(v)
	}
	return list
}

// capacity is what each class says of the capacity of its nodes.
func capacity(rel release.Release, classes map[string]NodeClass) map[string]scheduling.Node {
	nodes := map[string]scheduling.Node{}
	for name, class := range classes {
		// A class that cannot be read is reported by its own checks.
		nodes[name], _ = scheduling.NewNode(class.Spec(rel, Placement{}))
	}
	return nodes
}
