package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const example = "../../../examples/existing-cluster/Pulumi.ml-prod.yaml"

const jobs = `
apiVersion: batch/v1
kind: Job
metadata: {name: train}
spec:
  template:
    spec:
      containers: [{name: work, resources: {requests: {cpu: 4, memory: 16Gi}, limits: {nvidia.com/gpu: 1}}}]
---
apiVersion: batch/v1
kind: Job
metadata: {name: too-many}
spec: {template: {spec: {containers: [{name: work, resources: {limits: {nvidia.com/gpu: 32}}}]}}}
`

// ask runs the command with a manifest on standard input.
func ask(manifest string, args ...string) (code int, out, problems string) {
	var o, p bytes.Buffer
	code = run(append([]string{"--config", example, "--pod", "-"}, args...), strings.NewReader(manifest), &o, &p)
	return code, o.String(), p.String()
}

func TestExplain(t *testing.T) {
	code, out, problems := ask(jobs, "--types", "2")
	if code != exitNowhere || problems != "" {
		t.Errorf("exit code %d, %s", code, problems)
	}
	for _, want := range []string{
		"train asks for cpu 4, memory 16Gi, nvidia.com/gpu 1\n  lands in pool training, on one of ",
		"\n    TYPE          VCPU  MEMORY  ACCELERATOR  AN HOUR\n    g4dn.2xlarge  8     32 Gi   1 x t4       0.752\n",
		"not in pool cpu: nvidia.com/gpu: 1 is needed, with what the DaemonSets take, and no node of the pool offers more than 0\n",
		"too-many asks for nvidia.com/gpu 32\n  lands nowhere: no pool takes it.",
		"not in pool training: nvidia.com/gpu: 32 is needed",
		"\nPrices are on-demand, in US dollars, without spot or any discount.\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the answer lacks %q:\n%s", want, out)
		}
	}
	if strings.Count(out, " x ") != 2 {
		t.Errorf("--types 2 lists other than two types:\n%s", out)
	}
}

// Without the toleration that EKS adds, all that is missing is said at once.
func TestWithoutAdmission(t *testing.T) {
	_, out, _ := ask(jobs, "--extended-resource-toleration=false")
	for _, want := range []string{
		"not in pool training: the pod does not tolerate the taint nvidia.com/gpu=true:NoSchedule: add the toleration {key: nvidia.com/gpu, operator: Exists}\n",
		"not in pool training: nvidia.com/gpu: 32 is needed",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the answer lacks %q:\n%s", want, out)
		}
	}
}

// TestRegion says where prices are from: the catalogue has few regions.
func TestRegion(t *testing.T) {
	if _, out, _ := ask(jobs, "--region", "eu-west-1"); !strings.Contains(out, "There are none for eu-west-1: those of us-east-1") {
		t.Error(out)
	}
	if _, out, _ := ask(jobs, "--region", "cn-north-1"); !strings.Contains(out, "in yuan") || strings.Contains(out, "There are none") {
		t.Error(out)
	}
}

func TestJSON(t *testing.T) {
	_, out, _ := ask(jobs, "--json")
	var r report
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	if r.Region != "us-east-1" || r.Source == "" || len(r.Pods) != 2 || r.Pods[0].Pool != "training" || len(r.Pods[1].Pools) != 2 {
		t.Errorf("%+v", r)
	}
}

func TestExitCodes(t *testing.T) {
	config := filepath.Join(t.TempDir(), "Pulumi.x.yaml")
	if err := os.WriteFile(config, []byte("config: {kubernetes-autoscaling:clusterName: x, kubernetes-autoscaling:nodePools: {cpu: {preset: cqu}}}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		manifest string
		args     []string
		code     int
		problem  string
	}{
		{jobs, []string{"--types", "0"}, exitUsage, "--types is at least 1"},
		{jobs, []string{"more"}, exitUsage, "nothing else is taken"},
		{jobs, []string{"--pods", "x"}, exitUsage, "flag provided but not defined"},
		{jobs, []string{"-h"}, exitOK, "Usage of explain"},
		{jobs, []string{"--pod", "missing.yaml"}, exitFault, "missing.yaml"},
		{jobs, []string{"--config", "missing.yaml"}, exitFault, "missing.yaml"},
		{jobs, []string{"--config", config}, exitFault, `nodePools["cpu"].preset: found "cqu"`},
		{jobs, []string{"--daemons", "cpu=much"}, exitFault, `--daemons: found "cpu=much"`},
		{"", nil, exitFault, "found no manifest"},
		{"kind: Service", nil, exitFault, `document 1: kind: found "Service"`},
		{"a: [", nil, exitFault, "yaml:"},
	} {
		if code, _, problems := ask(c.manifest, c.args...); code != c.code || !strings.Contains(problems, c.problem) {
			t.Errorf("%v: exit code %d, want %d: %s", c.args, code, c.code, problems)
		}
	}
	if code, _, _ := ask(strings.Split(jobs, "---")[0]); code != exitOK {
		t.Errorf("a job that lands ends with exit code %d", code)
	}
}
