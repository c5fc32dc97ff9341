package config

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// load loads a configuration as the engine passes it.
func load(t *testing.T, values map[string]string) (*Config, error) {
	t.Helper()
	b, err := json.Marshal(values)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PULUMI_CONFIG", string(b))
	return Load("kubernetes-autoscaling")
}

const p = "kubernetes-autoscaling:"

func TestLoadConfig(t *testing.T) {
	c, err := load(t, map[string]string{
		"aws:region":                "eu-west-1",
		p + "clusterName":           "123",
		p + "replicas":              "1",
		p + "enableSpotTermination": "false",
		p + "tags":                  `{"team":"ml"}`,
		p + "nodePools":             `{"training":{"preset":"gpu","limits":{"nvidia.com/gpu":16},"taints":[{"key":"a","value":true,"effect":"NoSchedule"}]}}`,
		p + "chartValues":           `{"anything":{"goes":1}}`,
	})
	if err != nil {
		t.Fatal(err)
	}
	if c.ClusterName != "123" || c.Replicas != 1 || *c.EnableSpotTermination || c.Tags["team"] != "ml" {
		t.Errorf("%+v", c)
	}
	pool := c.NodePools["training"]
	if pool.Limits["nvidia.com/gpu"] != "16" || pool.Taints[0].Value != "true" {
		t.Errorf("%+v", pool)
	}
	if args := c.Karpenter(nil); !args.DisableInterruptionQueue || args.Tags == nil {
		t.Errorf("%+v", args)
	}
}

func TestLoadConfigRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "kubeconfig")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	content := fmt.Sprintf(`{current-context: a,
contexts: [{name: a, context: {cluster: a}}, {name: dead, context: {cluster: dead}}, {name: none, context: {cluster: none}}],
clusters: [{name: a, cluster: {server: "https://%s"}}, {name: dead, cluster: {server: "https://127.0.0.1:1"}}]}`, listener.Addr())
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		key, value, want string
	}{
		{"clusterNam", "x", `kubernetes-autoscaling:clusterNam: no such key: did you mean "clusterName"?`},
		{"KARPENTERVERSION", "x", `did you mean "karpenterVersion"?`},
		{"zzzzzzzzzzzz", "x", "the known ones are"},
		{"replicas", "two", `replicas: "two" is not a whole number`},
		{"replicas", `[1]`, "replicas: found a array, allowed is a whole number"},
		{"nodePools", `{"gpu":{"limit":{"cpu":1}}}`, `nodePools["gpu"].limit: no such key: did you mean "limits"?`},
		{"nodePools", `{"gpu":{"taints":[{"keys":"a"}]}}`, `nodePools["gpu"].taints[0].keys: no such key: did you mean "key"?`},
		{"nodePools", `{"gpu":{"weight":"heavy"}}`, "allowed is a whole number"},
		{"nodePools", `{"gpu":{"limits":{"cpu":{}}}}`, "not a string, a number or a boolean"},
		{"kubeContext", "x", "kubeContext: \"x\" has no file to look in"},
		{"kubeconfig", file + "-absent", "no such file"},
	} {
		_, err := load(t, map[string]string{p + "clusterName": "ml-prod", p + c.key: c.value})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s=%s\n got %v\nwant %s", c.key, c.value, err, c.want)
		}
	}
	if _, err := load(t, map[string]string{}); err == nil || !strings.Contains(err.Error(), "clusterName: missing") {
		t.Error(err)
	}
	for context, want := range map[string]string{
		"":     "",
		"a":    "",
		"b":    `kubeContext: ` + file + ` has no context "b": it has a, dead, none`,
		"dead": "https://127.0.0.1:1 is unreachable",
		"none": `names cluster "none", which the file does not have`,
	} {
		_, err := load(t, map[string]string{p + "clusterName": "c", p + "kubeconfig": file, p + "kubeContext": context})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("context %q: %v", context, err)
		}
	}
}

// Statements are written as IAM writes them.
func TestStatements(t *testing.T) {
	c, err := load(t, map[string]string{
		p + "clusterName":          "c",
		p + "additionalStatements": `[{"Sid":"A","Effect":"Allow","Action":"s3:GetObject","Resource":["*"],"Condition":{"Bool":{"k":true}}}]`,
	})
	if err != nil {
		t.Fatal(err)
	}
	s := c.Karpenter(nil).AdditionalStatements[0]
	if s.Action[0] != "s3:GetObject" || s.Condition["Bool"]["k"][0] != "true" {
		t.Errorf("%+v", s)
	}
	_, err = load(t, map[string]string{p + "clusterName": "c", p + "additionalStatements": `[{"Effects":"Allow"}]`})
	if err == nil || !strings.Contains(err.Error(), `additionalStatements[0].Effects: no such key: did you mean "Effect"?`) {
		t.Error(err)
	}
}

func TestLoadConfigReportsAllAtOnce(t *testing.T) {
	_, err := load(t, map[string]string{p + "aaaaaaaaaaaaaaaa": "", p + "replicas": "x", p + "nodePools": `{"a":{"b":1,"c":2}}`})
	for _, want := range []string{"aaaaaaaaaaaaaaaa", "replicas", `nodePools["a"].b`, `nodePools["a"].c`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s is not reported: %v", want, err)
		}
	}
}

// The README has every key, and the keys of the README are all there.
func TestReadmeKeys(t *testing.T) {
	b, err := os.ReadFile("../../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(b), "| key | meaning | default |")
	table, _, _ = strings.Cut(table, "\n\n")
	known := fieldsOf(reflect.TypeFor[Config]())
	for line := range strings.Lines(table) {
		columns := strings.Split(line, "|")
		if len(columns) < 2 || strings.Contains(columns[1], "**") {
			continue
		}
		for _, key := range regexp.MustCompile("`([a-zA-Z]+)`").FindAllStringSubmatch(columns[1], -1) {
			if _, ok := known[key[1]]; !ok {
				t.Errorf("the README has %s, which is no key or stands twice", key[1])
			}
			delete(known, key[1])
		}
	}
	for key := range known {
		t.Errorf("the README lacks %s", key)
	}
}
