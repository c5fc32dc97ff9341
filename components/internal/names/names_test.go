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
