package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/valohai/pulumi-kubernetes-autoscaling/stacks/karpenter/internal/config"
)

const example = "../../../examples/existing-cluster/"

func render(args ...string) (code int, problems string) {
	var p bytes.Buffer
	code = run(args, io.Discard, &p)
	return code, p.String()
}

// rendered renders the example with more configuration and more facts.
func rendered(t *testing.T, more map[string]any, facts string) (string, string) {
	t.Helper()
	b, err := os.ReadFile(example + "Pulumi.ml-prod.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var stack map[string]map[string]any
	if err := yaml.Unmarshal(b, &stack); err != nil {
		t.Fatal(err)
	}
	for key, value := range more {
		stack["config"][config.Project+":"+key] = value
	}
	if b, err = yaml.Marshal(stack); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := write(t, filepath.Join(dir, "Pulumi.ml-prod.yaml"), string(b))
	if facts == "" {
		facts = example + "cluster.json"
	}
	out := filepath.Join(dir, "out")
	_, problems := render("--config", file, "--facts", facts, "--out", out)
	return out, problems
}

func write(t *testing.T, path, content string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t *testing.T, path ...string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// The index lists every file with its hash, and nothing else.
func TestIndex(t *testing.T) {
	out, problems := rendered(t, nil, "")
	if problems != "" {
		t.Fatal(problems)
	}
	index := read(t, out, indexName)
	listed := 0
	err := filepath.WalkDir(out, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() == indexName {
			return err
		}
		listed++
		name, _ := filepath.Rel(out, path)
		sum := sha256.Sum256([]byte(read(t, path)))
		if !strings.Contains(index, "| `"+filepath.ToSlash(name)+"` |") || !strings.Contains(index, hex.EncodeToString(sum[:])) {
			t.Errorf("%s is not in the index", name)
		}
		return nil
	})
	if err != nil || listed != strings.Count(index, "\n| `") {
		t.Errorf("%d files and %d lines, %v", listed, strings.Count(index, "\n| `"), err)
	}
}

func TestDocuments(t *testing.T) {
	const key = "arn:aws:kms:us-east-1:111122223333:key/k"
	out, problems := rendered(t, map[string]any{
		"identity": "PodIdentity", "isolatedVPC": true, "queueKmsMasterKeyId": key, "enableInlinePolicy": true,
		"nodeRoleArn": "arn:aws:iam::111122223333:role/team/nodes", "selectByIds": true, "nodeAccessMethod": "CONFIG_MAP",
		"volumeKmsKeyArns": []string{key}, "additionalSubnetIds": []string{"subnet-self"},
	}, "")
	if problems != "" {
		t.Fatal(problems)
	}
	for file, want := range map[string]string{
		"iam/KarpenterControllerRole-ml-prod.trust.json":  `"aws:RequestTag/eks-cluster-arn": "arn:aws:eks:us-east-1:111122223333:cluster/ml-prod"`,
		"iam/KarpenterControllerRole-ml-prod.inline.json": `"Resource": "arn:aws:iam::111122223333:role/team/nodes"`,
		"sqs/Karpenter-ml-prod.json":                      `"Sid": "DenyHTTP"`,
		"sqs/Karpenter-ml-prod.key.json":                  `"kms:GenerateDataKey"`,
		"charts/karpenter-values.yaml":                    "isolatedVPC: true",
		"kubernetes/ec2nodeclass-default.yaml":            "instanceProfile: KarpenterNodeInstanceProfile-ml-prod",
		"kubernetes/ec2nodeclass-training.yaml":           "- id: subnet-self",
		"kubernetes/aws-auth-mapRoles.yaml":               "rolearn: arn:aws:iam::111122223333:role/nodes",
	} {
		if got := read(t, out, filepath.FromSlash(file)); !strings.Contains(got, want) {
			t.Errorf("%s lacks %s:\n%s", file, want, got)
		}
	}
}

func TestNodeRoleHasItsPolicies(t *testing.T) {
	out, _ := rendered(t, map[string]any{"createOidcProvider": true}, "")
	if got := read(t, out, "iam", "KarpenterNodeRole-ml-prod.policies.txt"); strings.Count(got, "arn:aws:iam::aws:policy/") != 4 {
		t.Error(got)
	}
	if trust := read(t, out, "iam", "KarpenterControllerRole-ml-prod.trust.json"); !strings.Contains(trust, ":oidc-provider/oidc.eks.us-east-1.amazonaws.com/id/0123456789ABCDEF") {
		t.Error(trust)
	}
}

// A later run replaces what an earlier one wrote, and touches nothing else.
func TestAgain(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	args := []string{"--config", example + "Pulumi.ml-prod.yaml", "--facts", example + "cluster.json", "--out", out}
	for range 2 {
		if code, problems := render(args...); code != exitOK {
			t.Fatal(problems)
		}
	}
	first := read(t, out, indexName)
	notes := write(t, filepath.Join(out, "notes.txt"), "mine")
	config := write(t, filepath.Join(dir, "Pulumi.x.yaml"), "config: {kubernetes-autoscaling:clusterName: ml-prod, kubernetes-autoscaling:enableSpotTermination: false}")
	args[1] = config
	if code, problems := render(args...); code != exitOK {
		t.Fatal(problems)
	}
	if _, err := os.Stat(filepath.Join(out, "sqs", "Karpenter-ml-prod.json")); err == nil {
		t.Error("the policy of a queue that is no more is left")
	}
	if read(t, notes) != "mine" || read(t, out, indexName) == first {
		t.Error("the second run is not seen, or took what is not its own")
	}
}

func TestRefuses(t *testing.T) {
	dir := t.TempDir()
	foreign := filepath.Join(dir, "foreign")
	if err := os.MkdirAll(foreign, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(foreign, "README.md"), "# My work")
	stack, facts := example+"Pulumi.ml-prod.yaml", example+"cluster.json"
	for want, c := range map[string]struct {
		stack, facts, out string
		code              int
	}{
		"--config, --facts and --out are required": {"", facts, dir, exitUsage},
		"found " + foreign + " with files":         {stack, facts, foreign, exitFault},
		"no such file":                             {stack, "absent.json", dir, exitFault},
		"found a secret":                           {write(t, filepath.Join(dir, "Pulumi.s.yaml"), "config: {a:b: {secure: x}}"), facts, dir, exitFault},
		`did you mean "clusterName"?`:              {write(t, filepath.Join(dir, "Pulumi.k.yaml"), "config: {kubernetes-autoscaling:clusterNam: x}"), facts, dir, exitFault},
		`no such key: did you mean "endpoint"?`:    {stack, write(t, filepath.Join(dir, "k.json"), `{"endpoin":"x"}`), dir, exitFault},
		`arn: found "x"`:                           {stack, write(t, filepath.Join(dir, "a.json"), `{"arn":"x"}`), dir, exitFault},
		`configuration is for cluster "ml-prod"`:   {stack, write(t, filepath.Join(dir, "o.json"), `{"arn":"arn:aws:eks:us-east-1:111122223333:cluster/other"}`), dir, exitFault},
		"Cluster.SecurityGroupId: missing":         {stack, write(t, filepath.Join(dir, "m.json"), `{"arn":"arn:aws:eks:us-east-1:111122223333:cluster/ml-prod"}`), dir, exitFault},
	} {
		code, problems := render("--config", c.stack, "--facts", c.facts, "--out", c.out)
		if code != c.code || !strings.Contains(problems, want) {
			t.Errorf("%s: exit %d, %s", want, code, problems)
		}
	}
	if code, _ := render("--nonsense"); code != exitUsage {
		t.Errorf("exit %d", code)
	}
}

// The project's name is the one in Pulumi.yaml.
func TestProjectName(t *testing.T) {
	if !strings.Contains(read(t, "../../../Pulumi.yaml"), "name: "+config.Project+"\n") {
		t.Errorf("Pulumi.yaml has another name than %s", config.Project)
	}
}
