package crds

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/release"
)

type list = []any

type fields = map[string]any

const template = "spec/template/spec/"

// created are objects as they are written at first.
var created = []struct {
	name, kind  string
	from, below string // the releases, all without
	edits       edits
	refused     string // a part of the one reason, "" if it is taken
	pruned      string
}{
	{name: "right", kind: "NodePool"},
	{name: "right", kind: "EC2NodeClass"},
	{name: "right", kind: "old NodePool", below: "1.1.0"},
	{name: "right", kind: "old EC2NodeClass", below: "1.1.0"},
	{name: "v1beta1 is gone", kind: "old NodePool", from: "1.1.0", refused: `no matches for kind "NodePool" in version "karpenter.sh/v1beta1"`},
	{name: "no such kind", kind: "NodePool", edits: edits{"kind": "NodePond"}, refused: `no matches for kind "NodePond"`},

	{
		name: "a boolean as the value of a taint", kind: "NodePool", refused: `spec.template.spec.taints[0].value: Invalid value: "boolean"`,
		edits: edits{template + "taints": list{fields{"key": "nvidia.com/gpu", "value": true, "effect": "NoSchedule"}}},
	},
	{
		name: "no effect", kind: "NodePool", refused: "spec.template.spec.taints[0].effect: Required value",
		edits: edits{template + "taints": list{fields{"key": "nvidia.com/gpu", "value": "true"}}},
	},
	{
		name: "the policy of v1beta1", kind: "NodePool", refused: `spec.disruption.consolidationPolicy: Unsupported value: "WhenUnderutilized"`,
		edits: edits{"spec/disruption/consolidationPolicy": "WhenUnderutilized"},
	},
	{
		name: "Balanced before its time", kind: "NodePool", below: "1.14.0", refused: `Unsupported value: "Balanced"`,
		edits: edits{"spec/disruption/consolidationPolicy": "Balanced"},
	},
	{name: "Balanced", kind: "NodePool", from: "1.14.0", edits: edits{"spec/disruption/consolidationPolicy": "Balanced"}},
	{
		name: "a class without its group", kind: "NodePool", refused: "spec.template.spec.nodeClassRef.group: Required value",
		edits: edits{template + "nodeClassRef/group": gone{}},
	},
	{
		name: "a class without its kind", kind: "NodePool", refused: "spec.template.spec.nodeClassRef.kind: Required value",
		edits: edits{template + "nodeClassRef/kind": gone{}},
	},
	{name: "expireAfter as in v1beta1", kind: "NodePool", edits: edits{"spec/disruption/expireAfter": "Never"}, pruned: "spec.disruption.expireAfter"},
	{name: "expireAfter as in v1", kind: "old NodePool", below: "1.1.0", edits: edits{template + "expireAfter": "Never"}, pruned: "spec.template.spec.expireAfter"},
	{
		name: "no consolidateAfter", kind: "NodePool", below: "1.15.0", refused: "spec.disruption.consolidateAfter: Required value",
		edits: edits{"spec/disruption/consolidateAfter": gone{}},
	},
	{name: "no consolidateAfter", kind: "NodePool", from: "1.15.0", edits: edits{"spec/disruption/consolidateAfter": gone{}}},
	{
		name: "days", kind: "NodePool", refused: `spec.template.spec.expireAfter in body should match`,
		edits: edits{template + "expireAfter": "30d"},
	},
	{name: "weight 0", kind: "NodePool", refused: "spec.weight in body should be greater than or equal to 1", edits: edits{"spec/weight": 0}},
	{name: "a fraction", kind: "NodePool", refused: `spec.limits.cpu: Invalid value: "number"`, edits: edits{"spec/limits/cpu": 1.5}},
	{
		name: "a key of AWS that is none", kind: "NodePool", refused: `label domain "karpenter.k8s.aws" is restricted`,
		edits: edits{template + "requirements": list{fields{"key": "karpenter.k8s.aws/instance-colour", "operator": "Exists"}}},
	},
	{
		name: "In without values", kind: "NodePool", refused: "spec.template.spec.requirements",
		edits: edits{template + "requirements": list{fields{"key": "team", "operator": "In"}}},
	},
	{
		name: "an operator before its time", kind: "NodePool", below: "1.9.0", refused: `Unsupported value: "Gte"`,
		edits: edits{template + "requirements": list{fields{"key": "karpenter.k8s.aws/instance-cpu", "operator": "Gte", "values": list{"8"}}}},
	},
	{name: "a static pool before its time", kind: "NodePool", below: "1.8.0", edits: edits{"spec/replicas": 1, "spec/limits": gone{}}, pruned: "spec.replicas"},
	{
		name: "a static pool with a weight", kind: "NodePool", from: "1.8.0", refused: "'weight' is not supported on static NodePools",
		edits: edits{"spec/replicas": 1, "spec/limits": gone{}, "spec/weight": 5},
	},
	{
		name: "a reason twice", kind: "NodePool", from: "1.13.0", refused: `Duplicate value: "Empty"`,
		edits: edits{"spec/disruption/budgets": list{fields{"nodes": "0", "reasons": list{"Empty", "Empty"}}}},
	},
	{
		name: "a schedule without duration", kind: "NodePool", refused: "'schedule' must be set with 'duration'",
		edits: edits{"spec/disruption/budgets": list{fields{"nodes": "0", "schedule": "@daily"}}},
	},
	{
		name: "WhenEmpty of v1beta1 alone", kind: "old NodePool", below: "1.1.0", refused: "consolidateAfter must be specified with consolidationPolicy=WhenEmpty",
		edits: edits{"spec/disruption/consolidationPolicy": "WhenEmpty"},
	},

	{name: "role and profile", kind: "EC2NodeClass", edits: edits{"spec/instanceProfile": "nodes"}, refused: "must specify exactly one of ['role', 'instanceProfile']"},
	{name: "neither", kind: "EC2NodeClass", edits: edits{"spec/role": gone{}}, refused: "must specify exactly one of ['role', 'instanceProfile']"},
	{
		name: "a family alone", kind: "EC2NodeClass", refused: "spec.amiSelectorTerms: Required value",
		edits: edits{"spec/amiFamily": "AL2023", "spec/amiSelectorTerms": gone{}},
	},
	{
		name: "the family of another alias", kind: "EC2NodeClass", refused: "if set, amiFamily must be 'AL2023' or 'Custom' when using an AL2023 alias",
		edits: edits{"spec/amiFamily": "Bottlerocket"},
	},
	{name: "a bare number of gigabytes", kind: "EC2NodeClass", edits: volume(100), refused: `spec.blockDeviceMappings[0].ebs.volumeSize: Invalid value: "integer"`},
	{name: "megabytes", kind: "EC2NodeClass", edits: volume("100Mi"), refused: "spec.blockDeviceMappings[0].ebs.volumeSize in body should match"},
	{name: "kubelet before it was open", kind: "EC2NodeClass", below: "1.15.0", edits: edits{"spec/kubelet/maxPod": 10}, pruned: "spec.kubelet.maxPod"},
	{name: "kubelet", kind: "EC2NodeClass", from: "1.15.0", edits: edits{"spec/kubelet/maxPod": 10}},

	{name: "a name that is none", kind: "NodePool", edits: edits{"metadata/name": "GPU"}, refused: `metadata.name: Invalid value: "GPU"`},
	{name: "a number as a label", kind: "NodePool", edits: edits{"metadata/labels": fields{"team": 1}}, refused: "metadata: "},
	{name: "a field that metadata lacks", kind: "NodePool", edits: edits{"metadata/label": fields{"team": "ml"}}, pruned: "metadata.label"},
	{name: "a status", kind: "NodePool", edits: edits{"status/resources": fields{"cpu": "1"}}, pruned: "status"},
}

func volume(size any) edits {
	return edits{"spec/blockDeviceMappings": list{fields{"deviceName": "/dev/xvda", "ebs": fields{"volumeSize": size}}}}
}

func TestCreate(t *testing.T) {
	for _, test := range created {
		for version, set := range releases(t, test.from, test.below) {
			t.Run(strings.Join([]string{test.kind, test.name, version}, "/"), func(t *testing.T) {
				t.Parallel()
				written := object(t, test.kind, test.edits)
				hold(t, set.Check(written, nil), test.refused, test.pruned)
				if again := object(t, test.kind, test.edits); !reflect.DeepEqual(written, again) {
					t.Errorf("the object was changed to %v", written)
				}
			})
		}
	}
}

// hold compares a result with the one reason and the one path.
func hold(t *testing.T, r Result, reason, pruned string) {
	t.Helper()
	if got := strings.Join(r.Pruned, " "); got != pruned {
		t.Errorf("pruned %q, want %q", got, pruned)
	}
	if reason == "" && (len(r.Refused) > 0 || r.Stored == nil) {
		t.Errorf("refused: %q", r.Refused)
	}
	if reason != "" && (!slices.ContainsFunc(r.Refused, func(s string) bool { return strings.Contains(s, reason) }) || r.Stored != nil) {
		t.Errorf("refused for %q, want %q", r.Refused, reason)
	}
}

func TestDefaults(t *testing.T) {
	for version, set := range releases(t, "", "") {
		stored := set.Check(object(t, "NodePool", nil), nil).Stored
		spec := stored["spec"].(fields)
		got := fmt.Sprint(spec["disruption"].(fields)["budgets"], " ", spec["template"].(fields)["spec"].(fields)["expireAfter"])
		if want := "[map[nodes:10%]] 720h"; got != want {
			t.Errorf("%s: %s, want %s", version, got, want)
		}
		if limit, ok := spec["limits"].(fields)["nvidia.com/gpu"].(int64); !ok || limit != 8 {
			t.Errorf("%s: limits are %v", version, spec["limits"])
		}
	}
}

func TestServes(t *testing.T) {
	for version, set := range releases(t, "1.1.0", "") {
		if !set.Serves("karpenter.sh/v1", "NodePool") || set.Serves("karpenter.sh/v1beta1", "NodePool") {
			t.Errorf("%s serves the wrong versions", version)
		}
	}
}

// The release that is installed by default must be among the definitions.
func TestNewest(t *testing.T) {
	if dirs(t)[release.Newest] == "" {
		t.Errorf("no definitions of %s: add it to karpenterReleases in tools/install/table.go", release.Newest)
	}
}

func TestOpenRefuses(t *testing.T) {
	for name, content := range map[string]string{
		"empty": "", "service.yaml": "apiVersion: v1\nkind: Service\n", "broken.yaml": "kind: [",
	} {
		dir := t.TempDir()
		if content != "" {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := Open(dir); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
