package nodepool

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/internal/golden"
	"github.com/valohai/pulumi-kubernetes-autoscaling/components/release"
)

var oneClass = map[string]NodeClass{DefaultNodeClass: {}}

func find(t *testing.T, version string) release.Release {
	t.Helper()
	r, err := release.Find(version)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func newest(t *testing.T) release.Release { return find(t, release.Newest) }

func indented(t *testing.T, v any) string {
	t.Helper()
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b) + "\n"
}

func TestPresetsGolden(t *testing.T) {
	for _, name := range PresetNames() {
		golden.Check(t, "pool-"+name+".json", indented(t, Pool{Preset: name}.Spec(newest(t), NodeClass{})))
		if p, _ := FindPreset(name); p.Summary == "" {
			t.Errorf("preset %s has no summary", name)
		}
	}
}

func TestNodeClassGolden(t *testing.T) {
	at := Placement{Role: "KarpenterNodeRole-ml-prod", DiscoveryTag: "karpenter.sh/discovery", DiscoveryValue: "ml-prod"}
	golden.Check(t, "class-default.json", indented(t, NodeClass{}.Spec(newest(t), at)))
	golden.Check(t, "class-bottlerocket.json", indented(t, NodeClass{
		AMIAlias: "bottlerocket@1.50.0", VolumeSize: "500Gi", Tags: map[string]Scalar{"team": "ml"},
		VolumeKmsKeyArn: "arn:aws:kms:eu-west-1:111122223333:key/volumes",
	}.Spec(newest(t), at)))
	golden.Check(t, "class-windows-by-ids.json", indented(t, NodeClass{AMIAlias: "windows2022@latest"}.Spec(newest(t), Placement{
		Role: "unused", InstanceProfile: "KarpenterWindowsNodeInstanceProfile-ml-prod", SubnetIds: []string{"subnet-1", "subnet-2"},
		SecurityGroupId: "sg-1", DiscoveryTag: "unused", DiscoveryValue: "unused",
	})))
}

// A Windows class goes with a pool for Windows, and with a release that knows it.
func TestWindows(t *testing.T) {
	pools := func(os Scalar) map[string]Pool {
		return map[string]Pool{"w": {Preset: "cpu", Requirements: []Requirement{{Key: labelOS, Operator: "In", Values: []Scalar{os}}}}}
	}
	class := func(alias string) map[string]NodeClass {
		return map[string]NodeClass{DefaultNodeClass: {AMIAlias: alias}}
	}
	for _, c := range []struct{ version, alias, os, want string }{
		{"1.8.2", "windows2022@latest", "windows", ""},
		{"1.9.0", "windows2025@latest", "windows", ""},
		{"1.8.2", "windows2025@latest", "windows", `amiAlias: found "windows2025", allowed is nothing in Karpenter 1.8.2`},
		{"1.9.0", "windows2022@latest", "linux", `nodePools["w"].requirements: found none that allows Windows`},
		{"1.9.0", "al2023@latest", "linux", ""},
	} {
		err := Validate(Target{Release: find(t, c.version)}, pools(Scalar(c.os)), class(c.alias))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestEveryPresetIsValid(t *testing.T) {
	pools := map[string]Pool{}
	for _, name := range PresetNames() {
		pools[name] = Pool{Preset: name}
	}
	if err := Validate(Target{Release: newest(t)}, pools, oneClass); err != nil {
		t.Error(err)
	}
	if err := Validate(Target{Release: newest(t)}, Default(), oneClass); err != nil {
		t.Error(err)
	}
}

func TestOverrides(t *testing.T) {
	p := Pool{
		Preset: "gpu",
		Labels: map[string]Scalar{"team": "ml"},
		Taints: []Taint{},
		Requirements: []Requirement{
			{Key: labelCategory, Operator: "In", Values: []Scalar{"g"}},
			{Key: "topology.kubernetes.io/zone", Operator: "In", Values: []Scalar{"eu-west-1a"}},
		},
		Limits:                 map[string]Scalar{ResourceGPU: "16"},
		Weight:                 10,
		Disruption:             Disruption{ConsolidateAfter: "30m"},
		ExpireAfter:            "Never",
		TerminationGracePeriod: "24h",
	}
	golden.Check(t, "pool-gpu-overridden.json", indented(t, p.Spec(newest(t), NodeClass{})))
	if p.Taints == nil || len(p.Labels) != 1 {
		t.Error("rendering changed the pool")
	}
}

func TestScalars(t *testing.T) {
	var taint Taint
	for written, want := range map[string]Scalar{`true`: "true", `"true"`: "true", `1`: "1", `"a b"`: "a b"} {
		if err := json.Unmarshal([]byte(`{"value":`+written+`}`), &taint); err != nil || taint.Value != want {
			t.Errorf("%s: %q, %v", written, taint.Value, err)
		}
	}
	for _, written := range []string{`{}`, `[]`, `{"a":1}`} {
		if err := json.Unmarshal([]byte(`{"value":`+written+`}`), &taint); err == nil {
			t.Errorf("%s is accepted", written)
		}
	}
}

func TestValidateRefuses(t *testing.T) {
	gt := func(values ...Scalar) Pool {
		return Pool{Preset: "cpu", Requirements: []Requirement{{Key: labelGeneration, Operator: "Gt", Values: values}}}
	}
	for _, c := range []struct {
		name string
		pool Pool
		want string
	}{
		{"Upper", Pool{Preset: "cpu"}, `nodePools["Upper"]: found "Upper"`},
		{strings.Repeat("n", 64), Pool{Preset: "cpu"}, "at most 63"},
		{"p", Pool{Preset: "cpus"}, `nodePools["p"].preset: found "cpus", allowed is cpu, cpu-compute, gpu,`},
		{"p", Pool{}, `nodePools["p"].limits: found none`},
		{"p", Pool{Preset: "cpu", NodeClass: "other"}, `nodePools["p"].nodeClass: found "other", allowed is a node class of this stack: "default"`},
		{"p", Pool{Preset: "cpu", Limits: map[string]Scalar{"cpu": "many"}}, `nodePools["p"].limits["cpu"]: found "many"`},
		{"p", gt("3.5"), `nodePools["p"].requirements[0].values[0]: found "3.5"`},
		{"p", gt("2", "3"), "found 2 values"},
		{"p", gt(), "found 0 values"},
		{"p", gt("-1"), `found "-1"`},
		{"p", Pool{Preset: "cpu", Requirements: []Requirement{{Key: "a", Operator: "In"}}}, "requirements[0].values: found none"},
		{"p", Pool{Preset: "cpu", Requirements: []Requirement{{Key: "a", Operator: "Exists", Values: []Scalar{"x"}}}}, "no value for Exists"},
		{"p", Pool{Preset: "cpu", Requirements: []Requirement{{Key: "a", Operator: "Is", Values: []Scalar{"x"}}}}, `operator: found "Is"`},
		{"p", Pool{Preset: "cpu", Requirements: []Requirement{{Operator: "Exists"}}}, "requirements[0].key: found nothing"},
		{"p", Pool{Preset: "gpu", Taints: []Taint{{Key: "a", Effect: "Never"}}}, `taints[0].effect: found "Never"`},
		{"p", Pool{Preset: "gpu", Taints: []Taint{{Effect: "NoSchedule"}}}, "taints[0].key: found nothing"},
		{"p", Pool{Preset: "cpu", Weight: 101}, "weight: found 101"},
		{"p", Pool{Preset: "cpu", ExpireAfter: "1hr"}, `expireAfter: found "1hr"`},
		{"p", Pool{Preset: "cpu", ExpireAfter: "30d"}, `expireAfter: found "30d"`},
		{"p", Pool{Preset: "cpu", ExpireAfter: "90"}, `expireAfter: found "90"`},
		{"p", Pool{Preset: "cpu", TerminationGracePeriod: "Never"}, `terminationGracePeriod: found "Never"`},
		{"p", Pool{Preset: "cpu", Disruption: Disruption{ConsolidationPolicy: "WhenUnderutilized"}}, `consolidationPolicy: found "WhenUnderutilized"`},
	} {
		err := Validate(Target{Release: newest(t)}, map[string]Pool{c.name: c.pool}, oneClass)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v\n got %v\nwant %s", c.pool, err, c.want)
		}
	}
	for _, c := range []struct {
		class NodeClass
		want  string
	}{
		{NodeClass{AMIAlias: "al2023"}, `nodeClasses["default"].amiAlias: found "al2023"`},
		{NodeClass{AMIAlias: "ubuntu@latest"}, `amiAlias: found "ubuntu"`},
		{NodeClass{VolumeSize: "100"}, `volumeSize: found "100"`},
		{NodeClass{VolumeKmsKeyArn: "alias/mine"}, `nodeClasses["default"].volumeKmsKeyArn: found "alias/mine"`},
	} {
		err := Validate(Target{Release: newest(t)}, Default(), map[string]NodeClass{DefaultNodeClass: c.class})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.class, err)
		}
	}
	if err := Validate(Target{Release: newest(t)}, nil, oneClass); err == nil {
		t.Error("no pools are accepted")
	}
}

func TestAllFaultsAtOnce(t *testing.T) {
	err := Validate(Target{Release: newest(t)}, map[string]Pool{"A": {Weight: -1}, "b": {Preset: "none"}}, map[string]NodeClass{"C": {}})
	for _, path := range []string{`nodePools["A"]`, `nodePools["A"].weight`, `nodePools["A"].limits`, `nodePools["b"].preset`, `nodePools["b"].nodeClass`, `nodeClasses["C"]`} {
		if err == nil || !strings.Contains(err.Error(), path+":") {
			t.Errorf("%s is not reported: %v", path, err)
		}
	}
}
