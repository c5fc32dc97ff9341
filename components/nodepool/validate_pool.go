package nodepool

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"github.com/valohai/pulumi-kubernetes-autoscaling/internal/quantity"
)

func (c *check) pool(path, name string, given Pool, classes map[string]NodeClass) {
	c.name(path, name)
	if _, ok := presets[given.Preset]; !ok {
		c.oneOf(path+".preset", given.Preset, PresetNames()...)
	}
	class := classes[given.NodeClassName()]
	if len(given.Override) == 0 {
		c.poolFields(path, given, given.withPreset(c.Release), classes)
		return
	}
	merged, err := given.withOverride(c.Release, class)
	c.wrap(path+".override", err)
	plain := given
	plain.Override = nil
	c.overridden(path,
		func(c *check) { c.poolFields(path, plain, plain.withPreset(c.Release), classes) },
		func(c *check) { c.poolFields(path, merged, merged, classes) },
	)
}

// poolFields checks a pool with everything that comes from its preset. given is
// what the user wrote of it.
func (c *check) poolFields(path string, given, p Pool, classes map[string]NodeClass) {
	c.fields(path, "pool", reflect.ValueOf(given))
	class, ok := classes[p.NodeClass]
	if !ok {
		c.add(path+".nodeClass", strconv.Quote(p.NodeClass), "a node class of this stack: "+quoted(classes), "name one of these or add it to nodeClasses")
	}
	if ok && class.IsWindows() && !allowsWindows(p.Requirements) {
		c.add(path+".requirements", "none that allows Windows", "the system of the node class "+strconv.Quote(p.NodeClass),
			`add {key: kubernetes.io/os, operator: In, values: [windows]}`)
	}
	before := len(c.faults)
	c.carried(path, p)
	c.limits(path, p)
	c.requirements(path, given, p)
	if ok && len(c.faults) == before {
		c.types(path, given, p)
		c.sharing(path, p, class)
	}
	c.disruption(path+".disruption", given, p)
	c.form(path+".expireAfter", p.ExpireAfter, orNeverForm, durationWords+`, or "Never"`)
	c.form(path+".terminationGracePeriod", p.TerminationGracePeriod, durationForm, durationWords+", and leave it out for no bound")
	c.within(path+".weight", p.Weight, 1, 100)
}

func allowsWindows(requirements []Requirement) bool {
	return slices.ContainsFunc(requirements, func(r Requirement) bool {
		return r.Key == labelOS && r.Operator == "In" && slices.Contains(r.Values, "windows")
	})
}

// carried checks what every node of the pool carries.
func (c *check) carried(path string, p Pool) {
	c.atMost(path+".labels", len(p.Labels), 100)
	for _, key := range slices.Sorted(maps.Keys(p.Labels)) {
		at := fmt.Sprintf("%s.labels[%q]", path, key)
		c.labelKey(at, key)
		c.form(at, string(p.Labels[key]), labelForm, labelWords)
	}
	for _, key := range slices.Sorted(maps.Keys(p.Annotations)) {
		c.form(fmt.Sprintf("%s.annotations[%q]", path, key), key, keyForm, keyWords)
	}
	for field, taints := range map[string][]Taint{"taints": p.Taints, "startupTaints": p.StartupTaints} {
		for i, t := range taints {
			at := fmt.Sprintf("%s.%s[%d]", path, field, i)
			if t.Key == "" {
				c.add(at+".key", "nothing", "a label key", `write the taint's key, such as "nvidia.com/gpu"`)
			}
			c.form(at+".key", t.Key, taintForm, keyWords)
			c.form(at+".value", string(t.Value), taintForm, labelWords)
			if t.Effect == "" {
				c.add(at+".effect", "nothing", "NoSchedule, PreferNoSchedule, NoExecute", "choose one of these")
			}
			c.oneOf(at+".effect", t.Effect, "NoSchedule", "PreferNoSchedule", "NoExecute")
		}
	}
}

func (c *check) limits(path string, p Pool) {
	if p.Replicas != nil {
		if *p.Replicas < 0 {
			c.add(path+".replicas", strconv.Itoa(*p.Replicas), "0 or more", "choose a number of nodes")
		}
		if p.Weight != 0 {
			c.add(path+".weight", strconv.Itoa(p.Weight), "none in a pool with replicas", "leave one of the two out")
		}
	}
	if len(p.Limits) == 0 && p.Replicas == nil {
		c.add(path+".limits", "none", "a limit of at least one resource",
			`set one, such as {"cpu": "100"}: a pool without limits can spend without end`)
	}
	for _, resource := range slices.Sorted(maps.Keys(p.Limits)) {
		at := fmt.Sprintf("%s.limits[%q]", path, resource)
		if v := string(p.Limits[resource]); !quantity.Form.MatchString(v) {
			c.add(at, strconv.Quote(v), quantityWords, "write it so")
		}
		if p.Replicas != nil && resource != "nodes" {
			c.add(at, "a limit of "+resource, `"nodes" only in a pool with replicas`, "leave it out")
		}
	}
}

// asksForGPUs tells whether every node of a pool has an NVIDIA GPU.
func asksForGPUs(p Pool) bool {
	return slices.ContainsFunc(p.Requirements, func(r Requirement) bool {
		return r.Key == labelGPUMaker && r.Operator == "In" && slices.Contains(r.Values, "nvidia")
	})
}

func (c *check) disruption(path string, given, p Pool) {
	policies := []string{whenEmpty, whenEmptyUnderutilized}
	if p.Disruption.ConsolidationPolicy == balanced {
		c.since(path+".consolidationPolicy", "policy."+balanced, strconv.Quote(balanced))
		policies = append(policies, balanced)
	}
	c.oneOf(path+".consolidationPolicy", p.Disruption.ConsolidationPolicy, policies...)
	c.form(path+".consolidateAfter", p.Disruption.ConsolidateAfter, orNeverForm, durationWords+`, or "Never"`)
	own := given.Disruption.ConsolidateAfter
	if !c.Release.ServesV1 && own != "" && own != never && p.Disruption.ConsolidationPolicy != whenEmpty {
		c.add(path+".consolidateAfter", strconv.Quote(own), `"Never", or nothing, beside `+whenEmptyUnderutilized+" in Karpenter "+c.Release.Version,
			"leave it out, use "+whenEmpty+", or Karpenter 1.0.0 or later")
	}
	c.atMost(path+".budgets", len(p.Disruption.Budgets), 50)
	for i, b := range p.Disruption.Budgets {
		c.budget(fmt.Sprintf("%s.budgets[%d]", path, i), b)
	}
}

func (c *check) budget(path string, b Budget) {
	if b.Nodes == "" {
		c.add(path+".nodes", "nothing", `a number or a percentage such as "10%"`, "write one")
	}
	c.form(path+".nodes", string(b.Nodes), budgetForm, `a number or a percentage such as "10%"`)
	if c.Release.ServesV1 {
		c.form(path+".duration", b.Duration, budgetTimeForm, `hours and minutes such as "8h" or "1h30m"`)
	} else {
		c.form(path+".duration", b.Duration, betaBudgetTimeForm, `hours or minutes such as "8h" or "90m"`)
	}
	if (b.Schedule == "") != (b.Duration == "") {
		c.add(path, "one of schedule and duration", "both or none", "add the other, or leave both out")
	}
	if b.Schedule != "" {
		c.wrap(path+".schedule", checkCron(b.Schedule))
	}
	for i, reason := range b.Reasons {
		at := fmt.Sprintf("%s.reasons[%d]", path, i)
		if slices.Contains(b.Reasons[:i], reason) {
			c.add(at, strconv.Quote(reason), "each reason once", "leave it out")
		}
		if reason == "Unhealthy" {
			c.since(at, "reason.Unhealthy", strconv.Quote(reason))
		}
		c.oneOf(at, reason, "Underutilized", "Empty", "Drifted", "Unhealthy")
	}
}

func (c *check) requirements(path string, given, p Pool) {
	if limit := c.Release.MaxRequirements; limit > 0 {
		c.atMost(path+".requirements", len(p.Requirements), limit)
	}
	for i, r := range p.Requirements {
		c.requirement(requirementPath(path, given, r, i), r)
	}
}

// requirementPath names a requirement as the user wrote it, or the preset's.
func requirementPath(path string, given Pool, r Requirement, merged int) string {
	own := slices.IndexFunc(given.Requirements, func(g Requirement) bool { return reflect.DeepEqual(g, r) })
	if own < 0 {
		return fmt.Sprintf("%s.requirements[%d] of preset %q", path, merged, given.Preset)
	}
	return fmt.Sprintf("%s.requirements[%d]", path, own)
}

func (c *check) requirement(path string, r Requirement) {
	if r.Key == "" {
		c.add(path+".key", "nothing", "a label key", `write one, such as "karpenter.k8s.aws/instance-category"`)
	} else {
		c.labelKey(path+".key", r.Key)
	}
	for i, v := range r.Values {
		c.form(fmt.Sprintf("%s.values[%d]", path, i), string(v), labelForm, labelWords)
		if r.Key == labelCapacityType {
			c.capacityType(fmt.Sprintf("%s.values[%d]", path, i), string(v))
		}
	}
	c.operator(path, r)
	c.within(path+".minValues", r.MinValues, 1, 50)
	if r.Operator == "In" && r.MinValues > len(r.Values) {
		c.add(path+".minValues", strconv.Itoa(r.MinValues), fmt.Sprintf("at most the %d values that are listed", len(r.Values)), "list more, or lower it")
	}
}

func (c *check) capacityType(path, value string) {
	c.oneOf(path, value, spot, onDemand, reserved)
	if value == reserved {
		c.since(path, "class.capacityReservationSelectorTerms", strconv.Quote(reserved))
	}
}

// operator checks an operator and the number of values that it takes.
func (c *check) operator(path string, r Requirement) {
	count := fmt.Sprintf("%d values", len(r.Values))
	switch r.Operator {
	case "In", "NotIn":
		if len(r.Values) == 0 {
			c.add(path+".values", "none", "at least one value for "+r.Operator, "list the values")
		}
	case "Exists", "DoesNotExist":
		if len(r.Values) > 0 {
			c.add(path+".values", count, "no value for "+r.Operator, "leave the values out")
		}
	case "Gt", "Lt", "Gte", "Lte":
		c.since(path+".operator", "operator."+r.Operator, strconv.Quote(r.Operator))
		if len(r.Values) != 1 {
			c.add(path+".values", count, "exactly one value for "+r.Operator, "write one whole number")
		} else if _, err := strconv.ParseUint(string(r.Values[0]), 10, 31); err != nil {
			c.add(path+".values[0]", strconv.Quote(string(r.Values[0])), "a whole number for "+r.Operator, "write one, such as \"2\"")
		}
	default:
		c.add(path+".operator", strconv.Quote(r.Operator), "In, NotIn, Exists, DoesNotExist, Gt, Lt, Gte, Lte", "choose one of these")
	}
}
