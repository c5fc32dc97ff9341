package scheduling

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// attempt is one reading of a pod: Karpenter takes a preference as a requirement
// and, when no pool will do, drops one and looks again.
type attempt struct {
	requirements Requirements
	tolerations  []Toleration
}

// attempts are the readings of a pod in the order in which Karpenter tries them:
// with the first of its alternative terms and the heaviest preference, then the
// other terms, then lighter preferences, at last without the taints that are only
// a preference.
func (p *Pod) attempts() []attempt {
	selector := Requirements{}
	for _, key := range slices.Sorted(maps.Keys(p.Spec.NodeSelector)) {
		selector.add(Normalized(key), newSet(Requirement{Operator: "In", Values: []string{p.Spec.NodeSelector[key]}}))
	}
	terms := []nodeTerm{{}}
	if required := p.Spec.Affinity.NodeAffinity.Required; required != nil && len(required.NodeSelectorTerms) > 0 {
		terms = required.NodeSelectorTerms
	}
	preferred := slices.Clone(p.Spec.Affinity.NodeAffinity.Preferred)
	slices.SortStableFunc(preferred, func(a, b struct {
		Weight     int      `json:"weight"`
		Preference nodeTerm `json:"preference"`
	},
	) int {
		return cmp.Compare(b.Weight, a.Weight)
	})
	reading := func(term nodeTerm, dropped int) attempt {
		r := selector.with(NewRequirements(term.MatchExpressions...))
		if dropped < len(preferred) {
			r = r.with(NewRequirements(preferred[dropped].Preference.MatchExpressions...))
		}
		return attempt{requirements: r, tolerations: p.Spec.Tolerations}
	}
	var list []attempt
	for _, term := range terms {
		list = append(list, reading(term, 0))
	}
	for dropped := range preferred {
		list = append(list, reading(terms[len(terms)-1], dropped+1))
	}
	last := list[len(list)-1]
	last.tolerations = append(slices.Clone(last.tolerations), Toleration{Operator: "Exists", Effect: preferNoSchedule})
	return append(list, last)
}

// refused are the reasons why Karpenter does not even look at the pools for a
// pod.
func (p *Pod) refused() []string {
	var lines []string
	if p.Spec.NodeName != "" {
		lines = append(lines, fmt.Sprintf("spec.nodeName: found %q: the pod is bound to that node, and no scheduler looks at it", p.Spec.NodeName))
	}
	refuse := func(path, key string) {
		if restricted(Normalized(key)) {
			lines = append(lines, fmt.Sprintf("%s: found %q, which Karpenter lets no pod select by: select by karpenter.sh/nodepool, or by a label that the pool sets", path, key))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(p.Spec.NodeSelector)) {
		refuse("spec.nodeSelector", key)
	}
	if required := p.Spec.Affinity.NodeAffinity.Required; required != nil {
		for i, term := range required.NodeSelectorTerms {
			path := fmt.Sprintf("spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[%d]", i)
			if len(term.MatchFields) > 0 {
				lines = append(lines, path+".matchFields: found some, and Karpenter takes none: use matchExpressions")
			}
			for _, r := range term.MatchExpressions {
				refuse(path, r.Key)
			}
		}
	}
	return lines
}

// Unseen are the parts of a pod that depend on other pods or on volumes, at which
// nothing here looks.
func (p *Pod) Unseen() []string {
	var lines []string
	a := p.Spec.Affinity
	if len(a.PodAffinity.Required)+len(a.PodAffinity.Preferred)+len(a.PodAntiAffinity.Required)+len(a.PodAntiAffinity.Preferred) > 0 {
		lines = append(lines, "affinity to other pods")
	}
	if len(p.Spec.TopologySpreadConstraints) > 0 {
		lines = append(lines, "topology spread constraints")
	}
	for _, v := range p.Spec.Volumes {
		if v.PersistentVolumeClaim != nil {
			lines = append(lines, "zones of persistent volumes")
			break
		}
	}
	return lines
}
