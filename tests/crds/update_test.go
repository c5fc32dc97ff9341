package crds

import "testing"

// updated are objects that are written in place of old ones.
var updated = []struct {
	name, kind  string
	from, below string
	old, edits  edits
	refused     string
}{
	{name: "nothing", kind: "NodePool"},
	{name: "requirements", kind: "NodePool", edits: edits{template + "requirements": list{}}},
	{
		name: "another kind of class", kind: "NodePool", from: "1.1.0", edits: edits{template + "nodeClassRef/kind": "NodeClass"},
		refused: "nodeClassRef.kind is immutable",
	},
	{
		name: "from dynamic to static", kind: "NodePool", from: "1.8.0", edits: edits{"spec/replicas": 1, "spec/limits": gone{}},
		refused: "Cannot transition NodePool between static",
	},
	{name: "a role before it could change", kind: "EC2NodeClass", below: "1.7.0", edits: edits{"spec/role": "other"}, refused: "immutable field changed"},
	{name: "a role", kind: "EC2NodeClass", from: "1.7.0", edits: edits{"spec/role": "other"}},
	{name: "a role of v1beta1", kind: "old EC2NodeClass", below: "1.1.0", edits: edits{"spec/role": "other"}, refused: "immutable field changed"},
	{
		name: "from role to profile, before", kind: "EC2NodeClass", below: "1.7.0", edits: edits{"spec/role": gone{}, "spec/instanceProfile": "nodes"},
		refused: "changing from 'instanceProfile' to 'role' is not supported",
	},
	{name: "from role to profile", kind: "EC2NodeClass", from: "1.7.0", edits: edits{"spec/role": gone{}, "spec/instanceProfile": "nodes"}},
	{
		name: "another thing, with a policy that was wrong already", kind: "NodePool",
		old: edits{"spec/disruption/consolidationPolicy": "Old"}, edits: edits{"spec/disruption/consolidationPolicy": "Old", "spec/weight": 2},
	},
	{
		name: "from one wrong policy to another", kind: "NodePool", refused: `Unsupported value: "New"`,
		old: edits{"spec/disruption/consolidationPolicy": "Old"}, edits: edits{"spec/disruption/consolidationPolicy": "New"},
	},
}

func TestUpdate(t *testing.T) {
	for _, test := range updated {
		for version, set := range releases(t, test.from, test.below) {
			t.Run(test.kind+"/"+test.name+"/"+version, func(t *testing.T) {
				hold(t, set.Check(object(t, test.kind, test.edits), object(t, test.kind, test.old)), test.refused, "")
			})
		}
	}
}

// The status is the controller's: a user's is dropped, and the old one stays.
func TestUpdateKeepsStatus(t *testing.T) {
	old := object(t, "NodePool", edits{"status/resources": fields{"cpu": "3"}})
	for version, set := range releases(t, "", "") {
		stored := set.Check(object(t, "NodePool", nil), old).Stored
		if got := stored["status"].(fields)["resources"].(fields)["cpu"]; got != "3" {
			t.Errorf("%s: the status is %v", version, stored["status"])
		}
	}
}

func TestUpdateOfAnother(t *testing.T) {
	for _, set := range releases(t, "", "1.1.0") {
		hold(t, set.Check(object(t, "NodePool", nil), object(t, "old NodePool", nil)), "the old object is another kind or version", "")
		hold(t, set.Check(object(t, "NodePool", nil), fields{}), "the old object: no matches for kind", "")
	}
}

func BenchmarkOpenAll(b *testing.B) {
	for b.Loop() {
		for _, dir := range dirs(b) {
			if _, err := Open(dir); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	for version, set := range releases(b, "", "") {
		for _, kind := range []string{"NodePool", "EC2NodeClass"} {
			o := object(b, kind, nil)
			b.Run(kind+"-"+version, func(b *testing.B) {
				for b.Loop() {
					set.Check(o, o)
				}
			})
		}
	}
}
