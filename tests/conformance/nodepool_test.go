package conformance

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/nodepool"
	"github.com/valohai/pulumi-kubernetes-autoscaling/components/release"
	"github.com/valohai/pulumi-kubernetes-autoscaling/tests/crds"
	"github.com/valohai/pulumi-kubernetes-autoscaling/tests/internal/stored"
	"github.com/valohai/pulumi-kubernetes-autoscaling/tests/localcloud"
)

// pinned are the releases whose definitions are in the folder of the tools, with
// their definitions.
func pinned(t testing.TB) map[string]*crds.Set {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join(os.Getenv(localcloud.ToolsVariable), "crds", "*"))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no definitions below %s: run make tools, or make test (%v)", localcloud.ToolsVariable, err)
	}
	sets := map[string]*crds.Set{}
	for _, dir := range dirs {
		if sets[filepath.Base(dir)], err = crds.Open(dir); err != nil {
			t.Fatal(err)
		}
	}
	return sets
}

func find(t *testing.T, version string) release.Release {
	t.Helper()
	r, err := release.Find(version)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var placement = nodepool.Placement{Role: "KarpenterNodeRole-ml-prod", DiscoveryTag: "karpenter.sh/discovery", DiscoveryValue: "ml-prod"}

// objects are a pool and its class as the library writes them for a release.
func objects(rel release.Release, name string, pool nodepool.Pool, class nodepool.NodeClass) []map[string]any {
	object := func(group, kind string, spec map[string]any) map[string]any {
		return map[string]any{
			"apiVersion": group + "/" + nodepool.Version(rel), "kind": kind, "metadata": map[string]any{"name": name}, "spec": spec,
		}
	}
	return []map[string]any{
		object(nodepool.GroupKarpenter, nodepool.KindNodePool, pool.Spec(rel, class)),
		object(nodepool.GroupAWS, nodepool.KindEC2NodeClass, class.Spec(rel, placement)),
	}
}

// Every preset is stored by every release as it was sent, to the last field.
func TestPresetsAreStored(t *testing.T) {
	for version, set := range pinned(t) {
		for _, name := range nodepool.PresetNames() {
			for _, object := range objects(find(t, version), name, nodepool.Pool{Preset: name}, nodepool.NodeClass{}) {
				r := set.Check(object, nil)
				if len(r.Refused)+len(r.Pruned) > 0 {
					t.Errorf("%s %s %s: refused %q, pruned %q", version, name, object["kind"], r.Refused, r.Pruned)
				}
				missing, err := stored.Missing("spec", object["spec"], r.Stored["spec"])
				if err != nil || len(missing) > 0 {
					t.Errorf("%s %s %s: %q, %v", version, name, object["kind"], missing, err)
				}
			}
		}
	}
}

// TestValidatorAgrees holds our validator against the definitions: what it
// accepts, they accept, and drop nothing of. What only it refuses is marked in
// the table, with the reason why it knows better.
func TestValidatorAgrees(t *testing.T) {
	sets := pinned(t)
	for name, s := range specs() {
		t.Run(name, func(t *testing.T) {
			refused := false
			for version, set := range sets {
				refused = !agree(t, version, set, s) || refused
			}
			if refused != s.refused {
				t.Errorf("refused by some release: %v, and it should be %v", refused, s.refused)
			}
		})
	}
}

// agree compares our verdict with that of the definitions, and returns ours.
func agree(t *testing.T, version string, set *crds.Set, s spec) bool {
	t.Helper()
	rel := find(t, version)
	ours := nodepool.Validate(nodepool.Target{Release: rel}, map[string]nodepool.Pool{"p": s.pool},
		map[string]nodepool.NodeClass{nodepool.DefaultNodeClass: s.class})
	theirs := faults(rel, set, s)
	switch {
	case ours == nil && len(theirs) > 0:
		t.Errorf("%s: we accept it, and it is refused or dropped: %q", version, theirs)
	case ours != nil && len(theirs) == 0 && !s.stricter && !relaxed(version, s):
		t.Errorf("%s: we refuse what is stored as it is: %v", version, ours)
	}
	return ours == nil
}

// faults are what the definitions refuse or drop of a pool and its class.
func faults(rel release.Release, set *crds.Set, s spec) []string {
	var all []string
	for _, object := range objects(rel, "p", s.pool, s.class) {
		r := set.Check(object, nil)
		all = append(append(all, r.Refused...), r.Pruned...)
	}
	return all
}

// relaxed tells whether a release's definitions check less than our validator
// does on purpose: the kubelet is free form from 1.15 on.
func relaxed(version string, s spec) bool {
	return s.class.Kubelet != nil && strings.HasPrefix(version, "1.15.")
}

// The table is as large as it claims to be, and half of it is refused.
func TestTableIsBalanced(t *testing.T) {
	refused := 0
	for _, s := range specs() {
		if s.refused {
			refused++
		}
	}
	if n := len(specs()); n < 80 || refused < n/3 || refused > 2*n/3 {
		t.Errorf("%d specs, %d refused", n, refused)
	}
}

// A role, the way to a role, and a pool's mode change where the release lets
// them.
func TestUpdates(t *testing.T) {
	for version, set := range pinned(t) {
		rel := find(t, version)
		class := func(at nodepool.Placement) map[string]any {
			return map[string]any{
				"apiVersion": nodepool.GroupAWS + "/" + nodepool.Version(rel), "kind": nodepool.KindEC2NodeClass,
				"metadata": map[string]any{"name": "c"}, "spec": nodepool.NodeClass{}.Spec(rel, at),
			}
		}
		other := placement
		other.Role = "another"
		if got := len(set.Check(class(other), class(placement)).Refused) == 0; got != rel.ChangesRoles {
			t.Errorf("%s: a role may change: %v, and the catalogue says %v", version, got, rel.ChangesRoles)
		}
		other.InstanceProfile = "profile"
		if got := len(set.Check(class(other), class(placement)).Refused) == 0; got != rel.ChangesRoles {
			t.Errorf("%s: a role may become a profile: %v, and the catalogue says %v", version, got, rel.ChangesRoles)
		}
	}
}

// What the catalogue says of fields is what the definitions have.
func TestCatalogueOfFields(t *testing.T) {
	sets := pinned(t)
	for name, s := range specs() {
		if s.field == "" {
			continue
		}
		for version, set := range sets {
			rel := find(t, version)
			_, lacks := rel.Lacks(s.field)
			found := faults(rel, set, s)
			if lacks != (len(found) > 0) {
				t.Errorf("%s at %s: the catalogue says that %s is lacking: %v, and the definitions say %q", name, version, s.field, lacks, found)
			}
		}
	}
}
