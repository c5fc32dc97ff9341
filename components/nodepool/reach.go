package nodepool

import (
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/release"
)

// All is the name under which Reach gives what all pools reach together.
const All = "all"

// Reach returns the most that the nodes of each pool can have together, by the
// pool's name and the resource, and under All what all pools can have. A resource
// that a pool does not limit is "unlimited".
func Reach(rel release.Release, pools map[string]Pool) map[string]map[string]string {
	reach := map[string]map[string]string{}
	resources := map[string]bool{"cpu": true, "memory": true}
	limits := map[string]map[string]Scalar{}
	for name, pool := range pools {
		pool = pool.withPreset(rel)
		limits[name] = pool.Limits
		for resource := range limits[name] {
			resources[resource] = true
		}
		if asksForGPUs(pool) {
			resources[ResourceGPU] = true
		}
	}
	sums := map[string]*big.Rat{}
	for name := range pools {
		reach[name] = map[string]string{}
		for resource := range resources {
			limit, limited := limits[name][resource]
			n, ok := quantity(string(limit))
			switch {
			case limited && ok:
				reach[name][resource] = string(limit)
				sums[resource] = add(sums[resource], n)
			case accelerator(resource):
				reach[name][resource] = "0" // no other pool has them
			default:
				reach[name][resource] = "unlimited"
			}
		}
	}
	reach[All] = map[string]string{}
	for resource := range resources {
		unlimited := slices.ContainsFunc(slices.Collect(maps.Keys(pools)), func(name string) bool { return reach[name][resource] == "unlimited" })
		if unlimited || sums[resource] == nil {
			reach[All][resource] = "unlimited"
			continue
		}
		reach[All][resource] = write(resource, sums[resource])
	}
	return reach
}

func add(sum, n *big.Rat) *big.Rat {
	if sum == nil {
		sum = new(big.Rat)
	}
	return sum.Add(sum, n)
}

// accelerator tells whether only some nodes have a resource.
func accelerator(resource string) bool { return strings.Contains(resource, "/") }

// suffixes of quantities, as powers of ten and of two.
var suffixes = map[string]*big.Rat{
	"n": power(10, -9), "u": power(10, -6), "m": power(10, -3), "": power(10, 0), "k": power(10, 3), "M": power(10, 6), "G": power(10, 9),
	"T": power(10, 12), "P": power(10, 15), "E": power(10, 18),
	"Ki": power(2, 10), "Mi": power(2, 20), "Gi": power(2, 30), "Ti": power(2, 40), "Pi": power(2, 50), "Ei": power(2, 60),
}

func power(base, exponent int64) *big.Rat {
	n := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(base), big.NewInt(max(exponent, -exponent)), nil))
	if exponent < 0 {
		n.Inv(n)
	}
	return n
}

// quantity reads a quantity of Kubernetes.
func quantity(text string) (*big.Rat, bool) {
	if !quantityForm.MatchString(text) {
		return nil, false
	}
	number := strings.TrimRight(text, "numkMGTPEi")
	n, ok := new(big.Rat).SetString(number)
	if !ok {
		return nil, false
	}
	return n.Mul(n, suffixes[text[len(number):]]), true
}

// write writes a sum as people read it: memory in Gi, everything else as it is.
func write(resource string, n *big.Rat) string {
	unit := ""
	if resource == "memory" || strings.HasSuffix(resource, "storage") {
		n, unit = new(big.Rat).Quo(n, suffixes["Gi"]), "Gi"
	}
	if n.IsInt() {
		return n.Num().String() + unit
	}
	return n.FloatString(1) + unit
}
