package scheduling

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/valohai/pulumi-kubernetes-autoscaling/internal/instancetype"
	"github.com/valohai/pulumi-kubernetes-autoscaling/internal/quantity"
)

// Cluster is what is known of the place.
type Cluster struct {
	// Region decides the prices. Zones are those of the subnets; none are known if
	// it is empty.
	Region string
	Zones  []string
	// Daemons is what the DaemonSets of the cluster take of every node, in
	// thousandths.
	Daemons map[string]int64
}

// Placement says where a pod would land.
type Placement struct {
	// Pool is the node pool in which a node would be made for the pod, empty if
	// there is none.
	Pool string
	// Refused are the reasons why no pool is looked at.
	Refused []string
	// Verdicts are those of all pools, in the order in which they are tried.
	Verdicts []Verdict
}

// Verdict is what one pool says to a pod.
type Verdict struct {
	Pool string
	// Reasons are why the pool does not take it, none if it does.
	Reasons []string
	// Offers are the instance types that a new node could be, the cheapest first.
	Offers []Offer
}

// Offer is an instance type that would do.
type Offer struct {
	Type instancetype.Type
	// Price is that of an hour on demand. Exact tells that it is that of the
	// region.
	Price float64
	Exact bool
}

// Place says where Karpenter would make a node for a pod that fits on none that is
// there.
func Place(c Cluster, pools []*Pool, pod *Pod) Placement {
	ordered := slices.Clone(pools)
	// Pools of the same weight are tried from the end of the alphabet.
	slices.SortFunc(ordered, func(a, b *Pool) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), strings.Compare(b.Name, a.Name))
	})
	placement := Placement{Refused: pod.refused()}
	attempts := pod.attempts()
	if len(placement.Refused) == 0 {
		placement.Pool = first(c, ordered, pod, attempts)
	}
	for _, p := range ordered {
		verdict := Verdict{Pool: p.Name}
		for _, a := range attempts {
			if verdict.Offers, verdict.Reasons = p.take(c, pod, a); len(verdict.Reasons) == 0 {
				break
			}
		}
		placement.Verdicts = append(placement.Verdicts, verdict)
	}
	return placement
}

// first is the pool that takes the pod: all pools are tried with one reading of
// it, then with the next.
func first(c Cluster, ordered []*Pool, pod *Pod, attempts []attempt) string {
	for _, a := range attempts {
		for _, p := range ordered {
			if _, reasons := p.take(c, pod, a); len(reasons) == 0 {
				return p.Name
			}
		}
	}
	return ""
}

// take returns the instance types on which the pool could take a pod, or why it
// does not.
func (p *Pool) take(c Cluster, pod *Pod, a attempt) ([]Offer, []string) {
	if p.Static {
		return nil, []string{"the pool has a fixed number of nodes (replicas): it makes none for a pod"}
	}
	reasons := untolerated(p.Taints, a.tolerations)
	if conflicts := p.Requirements.conflicts(a.requirements); len(conflicts) > 0 {
		return nil, append(reasons, conflicts...)
	}
	claim := p.Requirements.with(a.requirements)
	requests := maps.Clone(pod.requests)
	plus(requests, c.Daemons)
	s := p.search(c, claim, requests)
	if len(s.offers) == 0 {
		reasons = append(reasons, s.reasons(p, requests)...)
	} else if key, n := claim.tooFew(s.offers); key != "" {
		reasons = append(reasons, fmt.Sprintf("only %d values of %s are left, and the pool wants %d (minValues)", n, key, claim[key].min))
	}
	if len(reasons) > 0 {
		return nil, reasons
	}
	slices.SortStableFunc(s.offers, func(a, b Offer) int { return cmp.Compare(a.Price, b.Price) })
	return s.offers, nil
}

// search is what the catalogue has for a claim.
type search struct {
	offers []Offer
	// pool, limit, claim and room count the types that pass the pool's own
	// requirements, its limits besides, the pod's requirements besides, and have
	// room besides.
	pool, limit, claim, room int
	// largest is the most of each resource that types have which pass the claim.
	largest map[string]int64
}

func (p *Pool) search(c Cluster, claim Requirements, requests map[string]int64) search {
	s := search{largest: map[string]int64{}}
	own, both := p.Requirements.Filter(c, &p.Node), claim.Filter(c, &p.Node)
	types := instancetype.All()
	for i := range types {
		t := &types[i]
		if !p.Node.Starts(t) || !own.Match(t) {
			continue
		}
		s.pool++
		if !p.Within(t) {
			continue
		}
		s.limit++
		if !both.Match(t) {
			continue
		}
		s.claim++
		if !s.fits(&p.Node, t, requests) {
			continue
		}
		s.room++
		if price, known, exact := t.Price(c.Region); known {
			s.offers = append(s.offers, Offer{Type: *t, Price: price, Exact: exact})
		}
	}
	return s
}

// Within tells whether a node of a type does not exceed the pool's limits.
func (p *Pool) Within(t *instancetype.Type) bool {
	for resource, limit := range p.Limits {
		if p.Amount(t, resource) > limit {
			return false
		}
	}
	return true
}

// Amount is what a node of a type takes of a limit, in thousandths.
func (p *Pool) Amount(t *instancetype.Type, resource string) int64 {
	if resource == "nodes" {
		return unit
	}
	return p.Node.capacity(t, resource)
}

// fits tells whether a type has room for what is asked for.
func (s *search) fits(n *Node, t *instancetype.Type, requests map[string]int64) bool {
	fits := true
	for resource, wanted := range requests {
		has := n.capacity(t, resource) - n.overhead(t, resource)
		s.largest[resource] = max(s.largest[resource], has)
		fits = fits && wanted <= has
	}
	return fits
}

// reasons say at which step the last types were lost.
func (s *search) reasons(p *Pool, requests map[string]int64) []string {
	switch {
	case s.pool == 0:
		return []string{"no instance type meets the pool's own requirements"}
	case s.limit == 0:
		return []string{"every instance type of the pool exceeds its limits: " + listed(p.Limits)}
	case s.claim == 0:
		return []string{"no instance type of the pool meets the pod's node selector and affinity"}
	case s.room > 0:
		return []string{"AWS names no on-demand price for the instance types that would do"}
	}
	var lines []string
	for _, resource := range slices.Sorted(maps.Keys(requests)) {
		if wanted, most := requests[resource], s.largest[resource]; wanted > most {
			lines = append(lines, fmt.Sprintf("%s: %s is needed, with what the DaemonSets take, and no node of the pool offers more than %s",
				resource, quantity.WriteMilli(resource, wanted), quantity.WriteMilli(resource, max(most, 0))))
		}
	}
	if len(lines) == 0 {
		lines = []string{"no instance type of the pool has all that the pod asks for at once: " + listed(requests)}
	}
	return lines
}

// listed writes amounts of resources.
func listed(m map[string]int64) string {
	var parts []string
	for _, resource := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, resource+" "+quantity.WriteMilli(resource, m[resource]))
	}
	return strings.Join(parts, ", ")
}

// tooFew returns the label of which the types left have fewer values than the
// claim wants, and how many they have.
func (r Requirements) tooFew(offers []Offer) (key string, have int) {
	for _, key := range slices.Sorted(maps.Keys(r)) {
		if r[key].min == 0 {
			continue
		}
		label, ofType := instancetype.LabelOf(key)
		values := map[string]bool{}
		for i := range offers {
			if v, has := offers[i].Type.Value(label); ofType && has {
				values[v] = true
			}
		}
		if len(values) < r[key].min {
			return key, len(values)
		}
	}
	return "", 0
}
