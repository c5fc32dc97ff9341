package nodepool

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/release"
)

// Advice returns what is legal and seldom meant: one line each, with the path of
// the field. It expects pools and classes that Validate accepts.
func Advice(rel release.Release, pools map[string]Pool, classes map[string]NodeClass) []string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(pools)) {
		path := fmt.Sprintf("nodePools[%q]", name)
		p := pools[name].resolved(rel, classes[pools[name].NodeClassName()])
		if asksForGPUs(p) && allowsSpot(p) {
			lines = append(lines, path+".requirements: spot capacity for GPUs may be taken back with two minutes' notice, and a job without "+
				"checkpoints begins anew: require "+labelCapacityType+" In ["+onDemand+"] unless the jobs can resume")
		}
		for i, t := range p.Taints {
			if line := intolerable(t); line != "" {
				lines = append(lines, fmt.Sprintf("%s.taints[%d]: %s", path, i, line))
			}
		}
	}
	return lines
}

func allowsSpot(p Pool) bool {
	i := slices.IndexFunc(p.Requirements, func(r Requirement) bool { return r.Key == labelCapacityType })
	if i < 0 {
		return true
	}
	r := p.Requirements[i]
	return r.Operator == "Exists" || slices.Contains(r.Values, spot) == (r.Operator == "In")
}

// intolerable says of a taint that jobs have to tolerate it by themselves. EKS adds
// a toleration to every pod that asks for a resource of the taint's name, and no
// other.
//
// Source: https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#extendedresourcetoleration
func intolerable(t Taint) string {
	if t.Effect == "PreferNoSchedule" || t.Effect == "NoSchedule" && slices.Contains([]string{ResourceGPU, ResourceNeuron}, t.Key) {
		return ""
	}
	return "only jobs that tolerate " + strconv.Quote(t.Key) + " themselves land here: give them the toleration {key: " + t.Key +
		", operator: Exists}; EKS adds one only for a resource that a job asks for, and with the effect NoSchedule"
}
