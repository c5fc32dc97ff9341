package policy

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/release"
)

// referenceActions returns what the reference templates allow, by the first
// release of each generation.
func referenceActions(t *testing.T) map[string][]string {
	t.Helper()
	b, err := os.ReadFile("testdata/reference-actions.txt")
	if err != nil {
		t.Fatal(err)
	}
	actions := map[string][]string{}
	for _, line := range strings.Split(strings.TrimSpace(string(b)), "\n") {
		if fields := strings.Fields(line); !strings.HasPrefix(line, "#") {
			actions[fields[0]] = fields[1:]
		}
	}
	return actions
}

// TestActionsAreTheReference holds the actions of every release against its
// reference template: none is missing, and none is allowed that the release
// does not need.
func TestActionsAreTheReference(t *testing.T) {
	reference := referenceActions(t)
	var want []string
	for _, r := range release.All() {
		if actions, ok := reference[r.Version]; ok {
			want = actions
		}
		var got []string
		for _, g := range Groups(r, Features{InterruptionQueue: true, ZonalShift: true}) {
			for _, s := range Controller(r, g, input("aws", "eu-west-1")).Statement {
				if s.Effect == Allow {
					got = append(got, s.Action...)
				}
			}
		}
		slices.Sort(got)
		if got = slices.Compact(got); !slices.Equal(got, want) {
			t.Errorf("karpenter %s allows\n%v\nand its reference template\n%v", r.Version, got, want)
		}
	}
}

// No action is a wildcard, and only calls that have no resource to name are
// allowed on all of them.
func TestNoWildcards(t *testing.T) {
	unscoped := []string{"iam:ListInstanceProfiles", "pricing:GetProducts", "arc-zonal-shift:GetManagedResource"}
	for _, r := range release.All() {
		for _, g := range Groups(r, Features{InterruptionQueue: true, ZonalShift: true}) {
			for _, s := range Controller(r, g, input("aws", "eu-west-1")).Statement {
				for _, action := range s.Action {
					if strings.Contains(action, "*") {
						t.Errorf("karpenter %s: %s allows %s", r.Version, s.Sid, action)
					}
					named := !slices.Contains(s.Resource, "*") || strings.HasPrefix(action, "ec2:Describe") || slices.Contains(unscoped, action)
					// Before 1.0 the templates bound instance profiles by tags only.
					if !named && (r.TagsClusterName || !strings.Contains(action, "InstanceProfile")) {
						t.Errorf("karpenter %s: %s allows %s on every resource", r.Version, s.Sid, action)
					}
				}
			}
		}
	}
}
