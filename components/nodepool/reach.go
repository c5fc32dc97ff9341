package nodepool

import (
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/release"
	"github.com/valohai/pulumi-kubernetes-autoscaling/internal/quantity"
	"github.com/valohai/pulumi-kubernetes-autoscaling/internal/scheduling"
)

// All is the name under which Reach gives what all pools reach together.
const All = "all"

// Reach returns the most that the nodes of each pool can have together, by the
// pool's name and the resource, and under All what all pools can have. A resource
// that a pool does not limit is "unlimited".
func Reach(rel release.Release, pools map[string]Pool) map[string]map[string]string {
	reach := map[string]map[string]string{}
	resources := map[string]bool{"cpu": true, "memory": true}
	whole := map[string]Pool{}
	for name, pool := range pools {
		whole[name] = pool.resolved(rel, NodeClass{})
		for resource := range whole[name].Limits {
			resources[resource] = true
		}
		if asksForGPUs(whole[name]) {
			resources[ResourceGPU] = true
		}
	}
	sums := map[string]*big.Rat{}
	for name := range pools {
		reach[name] = map[string]string{}
		for resource := range resources {
			most, n := whole[name].most(resource)
			reach[name][resource] = most
			if n != nil {
				sums[resource] = add(sums[resource], n)
			}
		}
	}
	reach[All] = map[string]string{}
	for resource := range resources {
		open := slices.ContainsFunc(slices.Collect(maps.Keys(pools)), func(name string) bool { return reach[name][resource] == unlimited })
		if open || sums[resource] == nil {
			reach[All][resource] = unlimited
			continue
		}
		reach[All][resource] = quantity.Write(resource, sums[resource])
	}
	return reach
}

// most is the most of a resource that the nodes of a pool can have together, and
// the number if the pool limits it.
func (p Pool) most(resource string) (string, *big.Rat) {
	if limit, limited := p.Limits[resource]; limited {
		if n, ok := quantity.Parse(string(limit)); ok {
			return string(limit), n
		}
	}
	if accelerator(resource) && !p.mayHave(resource) {
		return "0", nil
	}
	return unlimited, nil
}

// unlimited is said of a resource that a pool does not limit.
const unlimited = "unlimited"

func add(sum, n *big.Rat) *big.Rat {
	if sum == nil {
		sum = new(big.Rat)
	}
	return sum.Add(sum, n)
}

// mayHave tells whether a node of the pool may have a resource.
func (p Pool) mayHave(resource string) bool {
	pool := p.launchable(scheduling.Node{})
	for t := range pool.Types() {
		if pool.Amount(t, resource) > 0 {
			return true
		}
	}
	return false
}

// accelerator tells whether only some nodes have a resource.
func accelerator(resource string) bool { return strings.Contains(resource, "/") }
