package names

import (
	"strings"
	"testing"
)

func TestBounds(t *testing.T) {
	for _, length := range []int{1, 46, 47, 48, 60, 81, 100} {
		cluster := strings.Repeat("c", length)
		for what, c := range map[string]struct {
			name  string
			limit int
		}{
			"node role":       {NodeRole(cluster), maxRole},
			"controller role": {ControllerRole(cluster), maxRole},
			"policy":          {ControllerPolicy(cluster, "ResourceDiscovery"), maxPolicy},
			"node policy":     {NodePolicy(cluster, "IPv6CNI"), maxPolicy},
			"queue":           {Queue(cluster), maxQueue},
			"rule":            {Rule(cluster, "CapacityReservationInterruption"), maxRule},
		} {
			if len(c.name) > c.limit {
				t.Errorf("%s of a cluster with %d characters has %d: %s", what, length, len(c.name), c.name)
			}
		}
	}
}

func TestCheckRole(t *testing.T) {
	for _, name := range []string{"r", "Karpenter_Node+=,.@-1", strings.Repeat("r", 64)} {
		if err := CheckRole(name); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{"", "team/r", "arn:aws:iam::111122223333:role/r", "a b", strings.Repeat("r", 65)} {
		if CheckRole(name) == nil {
			t.Errorf("%q is accepted", name)
		}
	}
}

func TestCheckPath(t *testing.T) {
	for _, path := range []string{"/", "/team/", "/a/b/"} {
		if err := CheckPath(path); err != nil {
			t.Error(err)
		}
	}
	for _, path := range []string{"", "team", "/team", "team/", "/a b/", "/" + strings.Repeat("p", 511) + "/"} {
		if CheckPath(path) == nil {
			t.Errorf("%q is accepted", path)
		}
	}
}

func TestShortNamesAreWhole(t *testing.T) {
	if n := NodeRole("ml-prod"); n != "KarpenterNodeRole-ml-prod" {
		t.Error(n)
	}
	if n := Rule("ml-prod", "Rebalance"); n != "Karpenter-ml-prod-Rebalance" {
		t.Error(n)
	}
}

func TestLongNamesDifferAndStay(t *testing.T) {
	prefix := strings.Repeat("c", 99)
	if NodeRole(prefix+"1") == NodeRole(prefix+"2") {
		t.Error("two clusters that share a long prefix share a role")
	}
	if a, b := NodeRole(prefix+"1"), "KarpenterNodeRole-"+strings.Repeat("c", 37)+"-"; !strings.HasPrefix(a, b) {
		t.Error(a)
	}
}
