package nodepool

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/release"
)

// resolved is the pool as it is sent: with its preset, and with its override read
// back into fields, so that one set of rules holds for both.
func (p Pool) resolved(rel release.Release, class NodeClass) Pool {
	read, err := p.withOverride(rel, class)
	if err != nil {
		return p.withPreset(rel) // reported by Validate
	}
	return read
}

// withOverride reads the rendered spec of a pool that has an override. What this
// package does not know is left out.
func (p Pool) withOverride(rel release.Release, class NodeClass) (Pool, error) {
	base := p.withPreset(rel)
	if len(p.Override) == 0 {
		return base, nil
	}
	rendered := p.Spec(rel, class)
	home := map[bool]string{true: "template.spec.expireAfter", false: "disruption.expireAfter"}
	err := errors.Join(
		needs(rendered, "template.spec.requirements", "template.spec.nodeClassRef.name"),
		refuses(rendered, rel, home[!rel.ServesV1], "it is "+home[rel.ServesV1]),
	)
	if rel.ServesV1 {
		err = errors.Join(err, needs(rendered, "disruption.consolidateAfter"),
			refuses(rendered, rel, "template.spec.kubelet", "it is the node class's"))
	}
	if err != nil {
		return base, err
	}
	var spec struct {
		Template struct {
			Metadata struct{ Labels, Annotations map[string]Scalar }
			Spec     struct {
				NodeClassRef                        struct{ Name string }
				Taints, StartupTaints               []Taint
				Requirements                        []Requirement
				ExpireAfter, TerminationGracePeriod string
			}
		}
		Disruption struct {
			Disruption
			ExpireAfter string
		}
		Limits   map[string]Scalar
		Weight   int
		Replicas *int
	}
	if err := reread(rendered, &spec); err != nil {
		return base, err
	}
	t := spec.Template
	read := Pool{
		NodeClass: t.Spec.NodeClassRef.Name, Labels: t.Metadata.Labels, Annotations: t.Metadata.Annotations,
		Taints: t.Spec.Taints, StartupTaints: t.Spec.StartupTaints, Requirements: t.Spec.Requirements,
		Limits: spec.Limits, Weight: spec.Weight, Replicas: spec.Replicas, Disruption: spec.Disruption.Disruption,
		ExpireAfter: first(t.Spec.ExpireAfter, spec.Disruption.ExpireAfter), TerminationGracePeriod: t.Spec.TerminationGracePeriod,
		GPUSharing: p.GPUSharing, UnlistedInstanceTypes: p.UnlistedInstanceTypes,
	}
	if !rel.ServesV1 {
		if read.Disruption.ConsolidationPolicy == whenEmptyUnderutilized {
			return base, fmt.Errorf("disruption.consolidationPolicy: found %q, allowed is %s in Karpenter %s: write it so", whenEmptyUnderutilized, whenUnderutilizedBeta, rel.Version)
		}
		if read.Disruption.ConsolidationPolicy == whenUnderutilizedBeta {
			read.Disruption.ConsolidationPolicy = whenEmptyUnderutilized
		}
	}
	return read, nil
}

// withOverride reads the rendered spec of a class that has an override.
func (c NodeClass) withOverride(rel release.Release) (NodeClass, error) {
	if len(c.Override) == 0 {
		return c, nil
	}
	spec := c.Spec(rel, Placement{})
	err := needs(spec, "subnetSelectorTerms", "securityGroupSelectorTerms")
	if rel.ServesV1 {
		err = errors.Join(err, needs(spec, "amiSelectorTerms"))
	} else {
		err = errors.Join(err, refuses(spec, rel, "kubelet", "it is the field kubelet of this class"))
	}
	err = errors.Join(err,
		refuses(c.Override, rel, "role", "it is the role of the stack's nodes, which alone the controller may pass"),
		refuses(c.Override, rel, "instanceProfile", "it is that of the stack's nodes, which alone the controller may pass"),
	)
	if err != nil {
		return c, err
	}
	delete(spec, "role")
	// The cluster's own terms stand in a rendered class; only what the user wrote
	// is checked.
	for key, own := range map[string][]SelectorTerm{"subnetSelectorTerms": c.SubnetSelectorTerms, "securityGroupSelectorTerms": c.SecurityGroupSelectorTerms} {
		if len(own) == 0 && c.Override[key] == nil {
			delete(spec, key)
		}
	}
	var read NodeClass
	if err := reread(spec, &read); err != nil {
		return c, err
	}
	if rel.ServesV1 {
		return read, nil
	}
	read.Kubelet = c.Kubelet
	if len(read.AMISelectorTerms) == 0 && read.AMIFamily != familyCustom {
		read.AMIAlias, read.AMIFamily = strings.ToLower(read.AMIFamily)+"@latest", ""
	}
	return read, nil
}

// reread reads a spec into fields.
func reread(spec map[string]any, into any) error {
	b, err := json.Marshal(spec)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, into)
}

// needs returns a fault for each path that the API wants and a merged spec has
// not.
func needs(spec map[string]any, paths ...string) error {
	var errs []error
	for _, path := range paths {
		if found := at(spec, path); found == nil {
			errs = append(errs, fmt.Errorf("%s: found nothing, allowed is a value: the API requires it, so leave the null out", path))
		}
	}
	return errors.Join(errs...)
}

// refuses returns a fault if a spec has what the API of the release, or this
// library, keeps elsewhere.
func refuses(spec map[string]any, rel release.Release, path, home string) error {
	if at(spec, path) == nil {
		return nil
	}
	return fmt.Errorf("%s: found a value, allowed is none in Karpenter %s: %s", path, rel.Version, home)
}

// at is the value at a path of a spec, nil if there is none.
func at(spec map[string]any, path string) any {
	key, rest, more := strings.Cut(path, ".")
	if !more {
		return spec[key]
	}
	inner, _ := spec[key].(map[string]any)
	return at(inner, rest)
}

// overridden records the faults of what an override makes: those that are there
// without it as they are, and the others as the override's.
func (c *check) overridden(path string, plain, merged func(*check)) {
	without, with := check{Target: c.Target, nodes: c.nodes}, check{Target: c.Target, nodes: c.nodes}
	plain(&without)
	merged(&with)
	for _, fault := range with.faults {
		if !slices.ContainsFunc(without.faults, func(e error) bool { return e.Error() == fault.Error() }) {
			fault = fmt.Errorf("%s.override: merged over the rest, %w", path, fault)
		}
		c.faults = append(c.faults, fault)
	}
}
