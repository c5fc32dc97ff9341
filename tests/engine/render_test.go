package engine

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/valohai/pulumi-kubernetes-autoscaling/tests/localcloud"
	"github.com/valohai/pulumi-kubernetes-autoscaling/tests/pulumicli"
)

// mustRenderTheSame renders the stack from its configuration file and the
// cluster's facts, without the cloud, and compares every document with what the
// engine applied, and the policies with what AWS has.
//
// What is added to aws-auth depends on what is there already, and is left out.
func mustRenderTheSame(t *testing.T, p *pulumicli.Project, cloud *localcloud.Cloud, subnets []string) {
	t.Helper()
	dir := render(t, p, cloud.Facts(), subnets)
	applied := appliedDocuments(t, p)
	aws := snapshot(t, cloud).AWS
	rendered := renderedDocuments(t, dir)
	for name, document := range rendered {
		if !reflect.DeepEqual(document, applied[name]) {
			t.Errorf("%s is rendered as\n%v\nand applied as\n%v", name, document, applied[name])
		}
		if inAWS, is := policyInAWS(aws, name); is && !reflect.DeepEqual(document, inAWS) {
			t.Errorf("%s is rendered as\n%v\nand is in AWS as\n%v", name, document, inAWS)
		}
	}
	for name := range applied {
		if rendered[name] == nil {
			t.Errorf("%s is applied and not rendered", name)
		}
	}
}

// renderedDocuments are the documents in a folder by their names, less what has
// no counterpart in the stack's state.
func renderedDocuments(t *testing.T, dir string) map[string]any {
	t.Helper()
	found := map[string]any{}
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasSuffix(path, ".policies.txt") || strings.HasSuffix(path, ".key.json") ||
			entry.Name() == "README.md" || entry.Name() == "aws-auth-mapRoles.yaml" {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		var document any
		err = yaml.Unmarshal(b, &document)
		found[name] = document
		return err
	})
	if err != nil || len(found) == 0 {
		t.Fatalf("%d documents are rendered, %v", len(found), err)
	}
	return found
}

// render runs the command as its users do, and returns the folder.
func render(t *testing.T, p *pulumicli.Project, facts localcloud.Facts, subnets []string) string {
	t.Helper()
	root, err := pulumicli.Root()
	if err != nil {
		t.Fatal(err)
	}
	groups := []string{}
	for name := range facts.NodeGroups {
		groups = append(groups, name)
	}
	file := filepath.Join(t.TempDir(), "cluster.json")
	b, err := json.Marshal(map[string]any{
		"arn": facts.ClusterARN, "kubernetesVersion": facts.KubernetesVersion, "endpoint": endpoint(t, p), "oidcIssuer": facts.Issuer,
		"securityGroupId": facts.ClusterSecurityGroup, "subnetIds": subnets, "authenticationMode": facts.AuthenticationMode,
		"nodeGroups": groups, "systemNodes": len(facts.Nodes),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "rendered")
	cmd := exec.CommandContext(t.Context(), "go", "run", "./stacks/karpenter/render", "--config", p.ConfigFile(), "--facts", file, "--out", out)
	cmd.Dir = root
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("render: %v\n%s", err, output)
	}
	return out
}

// endpoint is the cluster's, as the chart got it: the local cloud chooses a port.
func endpoint(t *testing.T, p *pulumicli.Project) string {
	t.Helper()
	for _, r := range state(t, p) {
		values, _ := r.Inputs["values"].(map[string]any)
		if settings, ok := values["settings"].(map[string]any); ok {
			return settings["clusterEndpoint"].(string)
		}
	}
	t.Fatal("no chart with values is installed")
	return ""
}

// applied is a resource in the stack's state.
type applied struct {
	Type   string         `json:"type"`
	Inputs map[string]any `json:"inputs"`
}

func state(t *testing.T, p *pulumicli.Project) []applied {
	t.Helper()
	exported, err := p.Export(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var s struct {
		Deployment struct {
			Resources []applied `json:"resources"`
		} `json:"deployment"`
	}
	if err := json.Unmarshal([]byte(exported), &s); err != nil {
		t.Fatal(err)
	}
	return s.Deployment.Resources
}

// appliedDocuments are the documents in the stack's state, by the names that
// render gives them.
func appliedDocuments(t *testing.T, p *pulumicli.Project) map[string]any {
	t.Helper()
	found := map[string]any{}
	add := func(name string, text any) {
		var document any
		if err := json.Unmarshal([]byte(text.(string)), &document); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		found[name] = document
	}
	for _, r := range state(t, p) {
		name, _ := r.Inputs["name"].(string)
		switch r.Type {
		case "aws:iam/role:Role":
			add("iam/"+name+".trust.json", r.Inputs["assumeRolePolicy"])
		case "aws:iam/policy:Policy":
			add("iam/"+name+".json", r.Inputs["policy"])
		case "aws:iam/rolePolicy:RolePolicy":
			add("iam/"+r.Inputs["role"].(string)+".inline.json", r.Inputs["policy"])
		case "aws:sqs/queue:Queue":
			add("sqs/"+name+".json", r.Inputs["policy"])
		case "aws:cloudwatch/eventRule:EventRule":
			add("events/"+name+".json", r.Inputs["eventPattern"])
		case "kubernetes:helm.sh/v3:Release":
			if values, ok := r.Inputs["values"].(map[string]any); ok && len(values) > 0 {
				found["charts/"+name+"-values.yaml"] = values
			}
		case "kubernetes:karpenter.sh/v1:NodePool", "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass":
			kind := r.Inputs["kind"].(string)
			metadata := r.Inputs["metadata"].(map[string]any)
			// The provider takes an object for one of a namespace as long as the
			// cluster does not know its kind.
			delete(metadata, "namespace")
			found["kubernetes/"+strings.ToLower(kind)+"-"+metadata["name"].(string)+".yaml"] = r.Inputs
		}
	}
	return found
}

// policyInAWS returns the document of IAM or SQS that a rendered file stands for.
func policyInAWS(aws localcloud.AWSInventory, file string) (any, bool) {
	folder, name := filepath.Split(file)
	base := strings.TrimSuffix(name, ".json")
	if role, ok := strings.CutSuffix(base, ".trust"); ok {
		return aws.Roles[role].Trust, true
	}
	if role, ok := strings.CutSuffix(base, ".inline"); ok {
		return aws.Roles[role].InlinePolicies["KarpenterController"], true
	}
	if folder == "sqs/" {
		return aws.Queues[base].Attributes["Policy"], true
	}
	for arn, policy := range aws.Policies {
		if strings.HasSuffix(arn, "/"+base) {
			return policy.Document, true
		}
	}
	return nil, false
}
