package nodepool

import (
	"encoding/json"
	"slices"
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

// What no instance type meets is refused, by the bundled catalogue.
func TestInstanceTypes(t *testing.T) {
	asks := func(key, operator string, values ...Scalar) Pool {
		return Pool{Preset: "cpu", Requirements: []Requirement{{Key: key, Operator: operator, Values: values}}}
	}
	newer := asks("node.kubernetes.io/instance-type", "In", "m99.large")
	newer.UnlistedInstanceTypes = true
	reserved := asks(labelCapacityType, "In", "reserved")
	for _, c := range []struct {
		pool  Pool
		class NodeClass
		want  string // empty: accepted
	}{
		{
			pool: asks("node.kubernetes.io/instance-type", "In", "m5.large", "m5.lrge"),
			want: `nodePools["p"].requirements[0].values[1]: found "m5.lrge", allowed is what an instance type has, such as m5.large: correct it`,
		},
		{pool: asks("karpenter.k8s.aws/instance-family", "In", "zz9"), want: `requirements[0].values[0]: found "zz9", allowed is what an instance type has, such as z1d: correct it`},
		{pool: newer},
		{pool: asks("karpenter.k8s.aws/instance-cpu", "Gt", "9000"), want: `nodePools["p"].requirements: found requirements that no instance type meets together`},
		{pool: asks("karpenter.k8s.aws/instance-category", "In", "g"), want: ""},
		{pool: asks("karpenter.k8s.aws/instance-gpu-count", "Gt", "0"), want: "that no instance type meets together"}, // c, m and r have none
		{pool: reserved, want: "that no instance type meets together"},
		{pool: reserved, class: NodeClass{CapacityReservationSelectorTerms: []CapacityReservationSelectorTerm{{ID: "cr-1"}}}},
		{
			pool: Pool{Preset: "graviton"}, class: NodeClass{NetworkInterfaces: []NetworkInterface{{InterfaceType: "interface"}, {NetworkCardIndex: 9, InterfaceType: "efa-only"}}},
			want: "that no instance type meets together on nodes of its class",
		},
		{
			pool: Pool{Preset: "gpu", Limits: map[string]Scalar{ResourceGPU: "0"}},
			want: `nodePools["p"].limits["nvidia.com/gpu"]: found "0", allowed is at least what the smallest node has, 1: raise it`,
		},
		{pool: Pool{Preset: "cpu", Limits: map[string]Scalar{"cpu": "500m", "memory": "1Gi"}}, want: `limits["memory"]: found "1Gi", allowed is at least what the smallest node has`},
		{
			pool: Pool{Limits: map[string]Scalar{"cpu": "8", "memory": "4Gi"}, Requirements: []Requirement{in("node.kubernetes.io/instance-type", "r5.large", "c5.9xlarge")}},
			want: `limits["memory"]: found "4Gi", allowed is at least what the smallest node has, 14.8Gi`,
		},
		{
			pool: Pool{Limits: map[string]Scalar{"cpu": "8", "memory": "30Gi"}, Requirements: []Requirement{in("node.kubernetes.io/instance-type", "r5.2xlarge", "c5.4xlarge")}},
			want: `nodePools["p"].limits: found limits that no instance type of the pool stays within together`,
		},
	} {
		err := Validate(Target{Release: newest(t)}, map[string]Pool{"p": c.pool}, map[string]NodeClass{DefaultNodeClass: c.class})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v\n got %v\nwant %s", c.pool, err, c.want)
		}
	}
}

// An override is held against the same rules as the fields.
func TestOverrideIsChecked(t *testing.T) {
	template := func(spec map[string]any) map[string]any {
		return map[string]any{"template": map[string]any{"spec": spec}}
	}
	for _, c := range []struct {
		version string
		pool    map[string]any
		class   map[string]any
		want    string // empty: accepted
	}{
		{version: "1.15.2", pool: map[string]any{"weight": 200}, want: `nodePools["p"].override: merged over the rest, nodePools["p"].weight: found 200, allowed is 1 to 100`},
		{version: "1.15.2", pool: map[string]any{"somethingNew": true}},
		{version: "1.8.2", pool: map[string]any{"disruption": map[string]any{"consolidationPolicy": "Balanced"}}, want: "use Karpenter 1.14.0 or later"},
		{version: "1.15.2", pool: map[string]any{"limits": nil}, want: `.override: merged over the rest, nodePools["p"].limits: found none`},
		{version: "1.15.2", pool: map[string]any{"weight": "ten"}, want: `nodePools["p"].override: json:`},
		{version: "1.15.2", pool: template(map[string]any{"requirements": nil}), want: `.override: template.spec.requirements: found nothing`},
		{version: "1.15.2", pool: template(map[string]any{"nodeClassRef": map[string]any{"name": "other"}}), want: `nodePools["p"].nodeClass: found "other"`},
		{version: "1.15.2", pool: template(map[string]any{"kubelet": map[string]any{"maxPods": 5}}), want: "template.spec.kubelet: found a value, allowed is none in Karpenter 1.15.2: it is the node class's"},
		{version: "0.37.0", pool: template(map[string]any{"expireAfter": "1h"}), want: "it is disruption.expireAfter"},
		{version: "1.15.2", pool: map[string]any{"disruption": map[string]any{"expireAfter": "1h"}}, want: "it is template.spec.expireAfter"},
		{version: "1.15.2", pool: map[string]any{"disruption": map[string]any{"consolidateAfter": nil}}, want: "disruption.consolidateAfter: found nothing"},
		{version: "0.37.0", pool: map[string]any{"disruption": map[string]any{"consolidationPolicy": "WhenEmptyOrUnderutilized"}}, want: "allowed is WhenUnderutilized in Karpenter 0.37.0"},
		{version: "0.37.0", pool: map[string]any{"weight": 5}},
		{version: "1.15.2", class: map[string]any{"metadataOptions": map[string]any{"httpPutResponseHopLimit": 65}}, want: `nodeClasses["default"].override: merged over the rest, nodeClasses["default"].metadataOptions.httpPutResponseHopLimit: found 65`},
		{version: "1.15.2", class: map[string]any{"somethingNew": true}},
		{version: "0.37.0", class: map[string]any{"detailedMonitoring": true}},
		{version: "0.37.0", class: map[string]any{"kubelet": map[string]any{"maxPods": 5}}, want: "it is the field kubelet of this class"},
		{version: "1.15.2", class: map[string]any{"amiSelectorTerms": nil}, want: "amiSelectorTerms: found nothing"},
		{version: "1.15.2", class: map[string]any{"role": "mine"}, want: "role: found a value"},
		{version: "1.15.2", class: map[string]any{"subnetSelectorTerms": []any{map[string]any{"id": "x"}}}, want: `subnetSelectorTerms[0].id: found "x"`},
		{version: "1.8.2", class: map[string]any{"connectionTracking": map[string]any{"udpTimeout": 30}}, want: "use Karpenter 1.13.0 or later"},
	} {
		err := Validate(Target{Release: find(t, c.version)}, map[string]Pool{"p": {Preset: "cpu", Override: c.pool}}, map[string]NodeClass{DefaultNodeClass: {Override: c.class}})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %v %v\n got %v\nwant %s", c.version, c.pool, c.class, err, c.want)
		}
	}
	// A fault that is there without the override is not the override's.
	err := Validate(Target{Release: newest(t)}, map[string]Pool{"p": {Preset: "cpu", ExpireAfter: "1hr", Override: map[string]any{"weight": 5}}}, oneClass)
	if err == nil || strings.Contains(err.Error(), "override") {
		t.Error(err)
	}
	// And one that it mends is none.
	if err := Validate(Target{Release: newest(t)}, map[string]Pool{"p": {Preset: "cpu", Weight: 101, Override: map[string]any{"weight": 5}}}, oneClass); err != nil {
		t.Error(err)
	}
}

func TestAdvice(t *testing.T) {
	capacity := func(values ...Scalar) []Requirement { return []Requirement{in(labelCapacityType, values...)} }
	for _, c := range []struct {
		pool Pool
		want []string
	}{
		{pool: Pool{Preset: "gpu-training"}},
		{pool: Pool{Preset: "spot-batch"}},
		{pool: Pool{Preset: "gpu-training", Requirements: capacity(onDemand, spot)}, want: []string{`nodePools["p"].requirements: spot capacity for GPUs`}},
		{pool: Pool{Preset: "gpu", Override: map[string]any{"template": map[string]any{"spec": map[string]any{"requirements": []any{
			map[string]any{"key": labelGPUMaker, "operator": "In", "values": []any{"nvidia"}},
		}}}}}, want: []string{"spot capacity for GPUs"}},
		{
			pool: Pool{Preset: "cpu", Taints: []Taint{{Key: "team", Value: "ml", Effect: "NoExecute"}, {Key: "slow", Effect: "PreferNoSchedule"}}},
			want: []string{`nodePools["p"].taints[0]: only jobs that tolerate "team" themselves`},
		},
		{pool: Pool{Preset: "gpu", Taints: []Taint{{Key: ResourceGPU, Effect: "NoExecute"}}}, want: []string{"with the effect NoSchedule"}},
	} {
		pools := map[string]Pool{"p": c.pool}
		if err := Validate(Target{Release: newest(t)}, pools, oneClass); err != nil {
			t.Fatal(err)
		}
		lines := Advice(newest(t), pools, oneClass)
		if len(lines) != len(c.want) {
			t.Errorf("%+v: %q", c.pool, lines)
			continue
		}
		for i, want := range c.want {
			if !strings.Contains(lines[i], want) {
				t.Errorf("%+v: %q lacks %q", c.pool, lines[i], want)
			}
		}
	}
}

// The controller may use every key of the user that a class names, wherever.
func TestVolumeKeys(t *testing.T) {
	arn := func(name string) string { return "arn:aws:kms:eu-west-1:111122223333:key/" + name }
	got := VolumeKmsKeyArns(map[string]NodeClass{
		"a": {VolumeKmsKeyArn: arn("a")},
		"b": {BlockDeviceMappings: []BlockDeviceMapping{{EBS: EBS{KMSKeyID: arn("b")}}, {EBS: EBS{KMSKeyID: arn("a")}}}},
		"c": {Override: map[string]any{"blockDeviceMappings": []any{map[string]any{"ebs": map[string]any{"kmsKeyID": arn("c")}}}}},
		"d": {},
	})
	if want := []string{arn("a"), arn("b"), arn("c")}; !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
}
