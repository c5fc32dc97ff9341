package release

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/internal/golden"
)

func example() Values {
	return Values{
		ClusterName: "ml-prod", ClusterEndpoint: "https://example.eks.amazonaws.com", Region: "eu-west-1",
		InterruptionQueue: "Karpenter-ml-prod", ServiceAccount: "karpenter",
		RoleArn:    "arn:aws:iam::111122223333:role/KarpenterControllerRole-ml-prod",
		NodeGroups: []string{"workers", "system"}, Replicas: 2,
	}
}

func TestChartValues(t *testing.T) {
	b, err := json.MarshalIndent(example().Chart(), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "values.json", string(b)+"\n")
}

func TestWhatIsOffIsAbsent(t *testing.T) {
	v := example()
	v.InterruptionQueue, v.RoleArn, v.NodeGroups = "", "", nil
	b, err := json.Marshal(v.Chart())
	if err != nil {
		t.Fatal(err)
	}
	for _, absent := range []string{"interruptionQueue", "role-arn", "nodegroup", `"aws"`} {
		if strings.Contains(string(b), absent) {
			t.Errorf("%s in %s", absent, b)
		}
	}
}

func TestExtraValues(t *testing.T) {
	v := example()
	v.Extra = map[string]any{
		"settings":   map[string]any{"batchIdleDuration": "2s"},
		"controller": map[string]any{"env": []any{map[string]any{"name": "HTTPS_PROXY", "value": "http://proxy"}}},
		"replicas":   3,
	}
	got := v.Chart()
	settings := got["settings"].(map[string]any)
	if settings["clusterName"] != "ml-prod" || settings["batchIdleDuration"] != "2s" {
		t.Errorf("settings: %v", settings)
	}
	controller := got["controller"].(map[string]any)
	if env := controller["env"].([]any); len(env) != 2 || controller["resources"] == nil {
		t.Errorf("controller: %v", controller)
	}
	if got["replicas"] != 3 {
		t.Errorf("replicas: %v", got["replicas"])
	}
	v.Extra = map[string]any{"controller": map[string]any{"env": []any{map[string]any{"name": regionVariable, "value": "x"}}}}
	if env := v.Chart()["controller"].(map[string]any)["env"].([]any); len(env) != 1 {
		t.Errorf("a variable twice: %v", env)
	}
}

func TestCheckExtra(t *testing.T) {
	newest, err := Find("")
	if err != nil {
		t.Fatal(err)
	}
	err = newest.CheckExtra("chartValues", map[string]any{
		"settings": map[string]any{"clusterName": "other", "batchIdleDuration": "2s", "featureGates": map[string]any{
			"drift": true, GateStaticCapacity: false, GateReservedCapacity: true,
		}},
		"serviceAccount":   map[string]any{"name": "other"},
		"controller":       map[string]any{"env": []any{map[string]any{"name": "AWS_REGION", "value": "x"}}},
		"fullnameOverride": "other",
	}, []string{GateStaticCapacity})
	want := []string{
		`chartValues["settings"]["clusterName"]`, `chartValues["serviceAccount"]["name"]`, `chartValues["fullnameOverride"]`,
		`chartValues["controller"]["env"]: found AWS_REGION`, `chartValues["settings"]["featureGates"]["drift"]: found a feature gate`,
		`chartValues["settings"]["featureGates"]["staticCapacity"]: found false`,
	}
	for _, path := range want {
		if err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s is not refused: %v", path, err)
		}
	}
	if err != nil && strings.Count(err.Error(), "\n")+1 != len(want) {
		t.Errorf("refused more: %v", err)
	}
	if err := newest.CheckExtra("chartValues", map[string]any{"replicas": 3, "settings": "none"}, nil); err != nil {
		t.Error(err)
	}
}

func TestFeatureGatesAreSwitchedOn(t *testing.T) {
	v := example()
	v.FeatureGates = []string{GateStaticCapacity}
	v.Extra = map[string]any{"settings": map[string]any{"featureGates": map[string]any{"nodeRepair": true}}}
	gates := v.Chart()["settings"].(map[string]any)["featureGates"].(map[string]any)
	if gates[GateStaticCapacity] != true || gates["nodeRepair"] != true {
		t.Errorf("%v", gates)
	}
}
