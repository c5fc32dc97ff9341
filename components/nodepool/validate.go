package nodepool

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/internal/names"
	"github.com/valohai/pulumi-kubernetes-autoscaling/components/release"
)

// Patterns of Kubernetes and of Karpenter's CRDs.
var (
	nameForm     = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)
	durationForm = regexp.MustCompile(`^([0-9]+(s|m|h))+$`)
	quantityForm = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?([numkMGTPE]|[KMGTPE]i)?$`)
	volumeForm   = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?(Ti|Gi|T|G)$`)
	aliasForm    = regexp.MustCompile(`^[a-z0-9]+@.+$`)
)

// amiFamilies are the families that an alias may name in the v1 API.
var amiFamilies = []string{"al2", "al2023", "bottlerocket", "windows2019", "windows2022", "windows2025"}

// Validate checks all pools and node classes of a stack against a release, and
// returns every fault at once, each with the path of its field.
func Validate(rel release.Release, pools map[string]Pool, classes map[string]NodeClass) error {
	var f faults
	if len(pools) == 0 {
		f.add("nodePools", "none", "at least one pool", "name a preset: "+strings.Join(PresetNames(), ", "))
	}
	for _, name := range slices.Sorted(maps.Keys(pools)) {
		f.pool(fmt.Sprintf("nodePools[%q]", name), name, pools[name], classes)
	}
	for _, name := range slices.Sorted(maps.Keys(classes)) {
		f.class(fmt.Sprintf("nodeClasses[%q]", name), name, classes[name], rel)
	}
	return errors.Join(f...)
}

// faults collects what is wrong.
type faults []error

// add records a fault: where it is, what was found, what is allowed and what to
// do.
func (f *faults) add(path, found, allowed, remedy string) {
	*f = append(*f, fmt.Errorf("%s: found %s, allowed is %s: %s", path, found, allowed, remedy))
}

func (f *faults) name(path, name string) {
	if !nameForm.MatchString(name) {
		f.add(path, strconv.Quote(name), "a name of at most 63 lower-case letters, digits and '-'", "rename it")
	}
}

func (f *faults) oneOf(path, found string, allowed ...string) {
	if !slices.Contains(allowed, found) {
		f.add(path, strconv.Quote(found), strings.Join(allowed, ", "), "choose one of these")
	}
}

func (f *faults) duration(path, found string) {
	if found != "" && found != "Never" && !durationForm.MatchString(found) {
		f.add(path, strconv.Quote(found), `hours, minutes and seconds such as "720h" or "1h30m", or "Never"`,
			"write the duration in these units")
	}
}

func (f *faults) pool(path, name string, given Pool, classes map[string]NodeClass) {
	f.name(path, name)
	if _, ok := presets[given.Preset]; !ok && given.Preset != "" {
		f.oneOf(path+".preset", given.Preset, PresetNames()...)
	}
	p := given.withPreset()
	if _, ok := classes[p.NodeClass]; !ok {
		f.add(path+".nodeClass", strconv.Quote(p.NodeClass), "a node class of this stack: "+quoted(classes),
			"name one of these or add it to nodeClasses")
	}
	if classes[p.NodeClass].IsWindows() && !allowsWindows(p.Requirements) {
		f.add(path+".requirements", "none that allows Windows", "the system of the node class "+strconv.Quote(p.NodeClass),
			`add {key: kubernetes.io/os, operator: In, values: [windows]}`)
	}
	f.limits(path, p)
	for i, r := range p.Requirements {
		f.requirement(requirementPath(path, given, r, i), r)
	}
	for i, t := range p.Taints {
		at := fmt.Sprintf("%s.taints[%d]", path, i)
		if t.Key == "" {
			f.add(at+".key", "nothing", "a label key", `write the taint's key, such as "nvidia.com/gpu"`)
		}
		f.oneOf(at+".effect", t.Effect, "NoSchedule", "PreferNoSchedule", "NoExecute")
	}
	if p.Weight < 0 || p.Weight > 100 {
		f.add(path+".weight", strconv.Itoa(p.Weight), "1 to 100", "leave it out for no weight")
	}
	f.oneOf(path+".disruption.consolidationPolicy", p.Disruption.ConsolidationPolicy, "WhenEmpty", "WhenEmptyOrUnderutilized")
	f.duration(path+".disruption.consolidateAfter", p.Disruption.ConsolidateAfter)
	f.duration(path+".expireAfter", p.ExpireAfter)
	if p.TerminationGracePeriod == "Never" {
		f.add(path+".terminationGracePeriod", `"Never"`, `a duration such as "24h"`, "leave it out for no bound")
	} else {
		f.duration(path+".terminationGracePeriod", p.TerminationGracePeriod)
	}
}

func allowsWindows(requirements []Requirement) bool {
	return slices.ContainsFunc(requirements, func(r Requirement) bool {
		return r.Key == labelOS && r.Operator == "In" && slices.Contains(r.Values, "windows")
	})
}

// requirementPath names a requirement as the user wrote it, or the preset's.
func requirementPath(path string, given Pool, r Requirement, merged int) string {
	own := slices.IndexFunc(given.Requirements, func(g Requirement) bool { return g.Key == r.Key })
	if own < 0 {
		return fmt.Sprintf("%s.requirements[%d] of preset %q", path, merged, given.Preset)
	}
	return fmt.Sprintf("%s.requirements[%d]", path, own)
}

func (f *faults) limits(path string, p Pool) {
	if len(p.Limits) == 0 {
		f.add(path+".limits", "none", "a limit of at least one resource",
			`set one, such as {"cpu": "100"}: a pool without limits can spend without end`)
	}
	for _, resource := range slices.Sorted(maps.Keys(p.Limits)) {
		if v := string(p.Limits[resource]); !quantityForm.MatchString(v) {
			f.add(fmt.Sprintf("%s.limits[%q]", path, resource), strconv.Quote(v),
				`a quantity such as "100" or "1000Gi"`, "write it so")
		}
	}
}

func (f *faults) requirement(path string, r Requirement) {
	if r.Key == "" {
		f.add(path+".key", "nothing", "a label key", `write one, such as "karpenter.k8s.aws/instance-category"`)
	}
	count := fmt.Sprintf("%d values", len(r.Values))
	switch r.Operator {
	case "In", "NotIn":
		if len(r.Values) == 0 {
			f.add(path+".values", "none", "at least one value for "+r.Operator, "list the values")
		}
	case "Exists", "DoesNotExist":
		if len(r.Values) > 0 {
			f.add(path+".values", count, "no value for "+r.Operator, "leave the values out")
		}
	case "Gt", "Lt":
		if len(r.Values) != 1 {
			f.add(path+".values", count, "exactly one value for "+r.Operator, "write one whole number")
		} else if _, err := strconv.ParseUint(string(r.Values[0]), 10, 31); err != nil {
			f.add(path+".values[0]", strconv.Quote(string(r.Values[0])), "a whole number for "+r.Operator, "write one, such as \"2\"")
		}
	default:
		f.oneOf(path+".operator", r.Operator, "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")
	}
}

func (f *faults) class(path, name string, c NodeClass, rel release.Release) {
	f.name(path, name)
	if c.AMIAlias != "" {
		if !aliasForm.MatchString(c.AMIAlias) {
			f.add(path+".amiAlias", strconv.Quote(c.AMIAlias), "family@version", `write it as "al2023@latest"`)
		} else {
			f.oneOf(path+".amiAlias", family(c.AMIAlias), amiFamilies...)
		}
		if family(c.AMIAlias) == "windows2025" && !rel.SupportsWindows2025 {
			f.add(path+".amiAlias", strconv.Quote(c.AMIAlias), "a family that Karpenter "+rel.Version+" knows",
				"use windows2022, or Karpenter 1.9.0 or later")
		}
	}
	if c.VolumeSize != "" && !volumeForm.MatchString(c.VolumeSize) {
		f.add(path+".volumeSize", strconv.Quote(c.VolumeSize), `a size such as "100Gi"`, "write it with its unit")
	}
	if c.VolumeKmsKeyArn != "" {
		if err := names.CheckKeyArn(c.VolumeKmsKeyArn); err != nil {
			*f = append(*f, fmt.Errorf("%s.volumeKmsKeyArn: %w", path, err))
		}
	}
}

func family(alias string) string {
	name, _, _ := strings.Cut(alias, "@")
	return name
}

func quoted(classes map[string]NodeClass) string {
	names := slices.Sorted(maps.Keys(classes))
	for i, n := range names {
		names[i] = strconv.Quote(n)
	}
	return strings.Join(names, ", ")
}
