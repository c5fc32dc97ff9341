package names

import (
	"strings"
	"testing"
)

func TestBounds(t *testing.T) {
	for _, length := range []int{1, 46, 47, 48, 60, 81, 100} {
		cluster := strings.Repeat("c", length)
		n := For(strings.Repeat("p", maxPrefix), cluster)
		for what, c := range map[string]struct {
			name  string
			limit int
		}{
			"node role":         {n.NodeRole(), maxRole},
			"Windows node role": {n.WindowsNodeRole(), maxRole},
			"controller role":   {n.ControllerRole(), maxRole},
			"instance profile":  {n.InstanceProfile("WindowsNode"), maxProfile},
			"policy":            {n.ControllerPolicy("ResourceDiscovery"), maxPolicy},
			"node policy":       {n.NodePolicy("IPv6CNI"), maxPolicy},
			"queue":             {n.Queue(), maxQueue},
			"rule":              {n.Rule("CapacityReservationInterruption"), maxRule},
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
	if n := For("", "ml-prod").NodeRole(); n != "KarpenterNodeRole-ml-prod" {
		t.Error(n)
	}
	if n := For("", "ml-prod").Rule("Rebalance"); n != "Karpenter-ml-prod-Rebalance" {
		t.Error(n)
	}
}

func TestLongNamesDifferAndStay(t *testing.T) {
	prefix := strings.Repeat("c", 99)
	role := func(last string) string { return For("", prefix+last).NodeRole() }
	if role("1") == role("2") {
		t.Error("two clusters that share a long prefix share a role")
	}
	if a, b := role("1"), "KarpenterNodeRole-"+strings.Repeat("c", 37)+"-"; !strings.HasPrefix(a, b) {
		t.Error(a)
	}
}

func TestPrefix(t *testing.T) {
	n := For("ml", "prod")
	for got, want := range map[string]string{
		n.NodeRole(): "mlNodeRole-prod", n.Queue(): "ml-prod", n.Rule("Rebalance"): "ml-prod-Rebalance",
		n.InstanceProfile("Node"): "mlNodeInstanceProfile-prod",
	} {
		if got != want {
			t.Errorf("%s and not %s", got, want)
		}
	}
}

func TestChecks(t *testing.T) {
	for what, c := range map[string]struct {
		check             func(string) error
		accepted, refused []string
	}{
		"role ARN": {
			CheckRoleArn,
			[]string{"arn:aws:iam::111122223333:role/r", "arn:aws-cn:iam::111122223333:role/a/b/r", "arn:aws-us-gov:iam::111122223333:role/r"},
			[]string{"", "r", "arn:aws:iam::1:role/r", "arn:aws:iam::111122223333:user/r", "arn:aws:iam::111122223333:role/"},
		},
		"queue":  {CheckQueue, []string{"q", "a-b_c", strings.Repeat("q", 80)}, []string{"", "a.fifo", "arn:aws:sqs:r:1:q", strings.Repeat("q", 81)}},
		"prefix": {CheckPrefix, []string{"k", "team-a", strings.Repeat("p", 20)}, []string{"", "-a", "a b", strings.Repeat("p", 21)}},
		"key": {
			CheckKeyArn,
			[]string{"arn:aws:kms:eu-west-1:111122223333:key/mrk-1", "arn:aws-cn:kms:cn-north-1:111122223333:key/1234-ab"},
			[]string{"", "1234-ab", "alias/aws/sqs", "arn:aws:kms:eu-west-1:111122223333:alias/a"},
		},
	} {
		for _, v := range c.accepted {
			if err := c.check(v); err != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
		for _, v := range c.refused {
			if c.check(v) == nil {
				t.Errorf("%s: %q is accepted", what, v)
			}
		}
	}
	if r := RoleOfArn("arn:aws:iam::111122223333:role/a/b/r"); r != "r" {
		t.Error(r)
	}
}
