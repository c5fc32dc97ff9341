package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/release"
	"github.com/valohai/pulumi-kubernetes-autoscaling/tests/localcloud"
)

func values() release.Values {
	return release.Values{
		ClusterName: "ml-prod", ClusterEndpoint: "https://example.eks.amazonaws.com", Region: "eu-west-1",
		InterruptionQueue: "Karpenter-ml-prod", ServiceAccount: "karpenter",
		RoleArn:    "arn:aws:iam::111122223333:role/KarpenterControllerRole-ml-prod",
		NodeGroups: []string{"system", "workers"}, Replicas: 2,
		IsolatedVPC: true, ZonalShift: true,
	}
}

// helm runs helm with a chart of the newest release and our values.
func helm(t *testing.T, args ...string) []byte {
	t.Helper()
	tools := os.Getenv(localcloud.ToolsVariable)
	if tools == "" {
		t.Fatalf("%s is not set: run make tools, or make test", localcloud.ToolsVariable)
	}
	file := filepath.Join(t.TempDir(), "values.json")
	b, err := json.Marshal(values().Chart())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	chart := filepath.Join(tools, "charts", "karpenter-"+release.Newest+".tgz")
	for i, a := range args {
		args[i] = strings.NewReplacer("CHART", chart, "VALUES", file).Replace(a)
	}
	var stderr bytes.Buffer
	cmd := exec.Command(filepath.Join(tools, "helm"), args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("helm %v: %v\n%s", args, err, stderr.String())
	}
	return out
}

// A value under a key that the chart does not know would be ignored in silence.
func TestChartKnowsOurValues(t *testing.T) {
	var defaults map[string]any
	if err := yaml.Unmarshal(helm(t, "show", "values", "CHART"), &defaults); err != nil {
		t.Fatal(err)
	}
	var check func(path string, ours, chart map[string]any)
	check = func(path string, ours, chart map[string]any) {
		for key, value := range ours {
			known, ok := chart[key]
			if !ok {
				t.Errorf("the chart has no value %s%s", path, key)
				continue
			}
			inner, isMap := value.(map[string]any)
			// A map that the chart leaves empty takes any key.
			if chartMap, ok := known.(map[string]any); ok && isMap && len(chartMap) > 0 {
				check(path+key+".", inner, chartMap)
			}
		}
	}
	check("", values().Chart(), defaults)
}

// What we set must arrive in the Deployment and in the service account.
func TestChartRendersOurValues(t *testing.T) {
	rendered := helm(t, "template", "karpenter", "CHART", "--namespace", "kube-system", "--values", "VALUES")
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(rendered), 1<<16)
	var deployment *appsv1.Deployment
	for {
		var object json.RawMessage
		if err := decoder.Decode(&object); err != nil {
			break
		}
		var d appsv1.Deployment
		if json.Unmarshal(object, &d) == nil && d.Kind == "Deployment" {
			deployment = &d
		}
	}
	if deployment == nil {
		t.Fatalf("no Deployment in:\n%s", rendered)
	}
	pod := deployment.Spec.Template.Spec
	env := map[string]string{}
	for _, e := range pod.Containers[0].Env {
		env[e.Name] = e.Value
	}
	terms := pod.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
	limits := pod.Containers[0].Resources.Limits
	for what, pair := range map[string][2]any{
		"replicas":           {*deployment.Spec.Replicas, 2},
		"service account":    {pod.ServiceAccountName, "karpenter"},
		"DNS policy":         {pod.DNSPolicy, "Default"},
		"priority class":     {pod.PriorityClassName, "system-cluster-critical"},
		"cluster name":       {env["CLUSTER_NAME"], "ml-prod"},
		"cluster endpoint":   {env["CLUSTER_ENDPOINT"], "https://example.eks.amazonaws.com"},
		"interruption queue": {env["INTERRUPTION_QUEUE"], "Karpenter-ml-prod"},
		"region":             {env["AWS_REGION"], "eu-west-1"},
		"isolated VPC":       {env["ISOLATED_VPC"], "true"},
		"zonal shift":        {env["ENABLE_ZONAL_SHIFT"], "true"},
		"cpu and memory":     {limits.Cpu().String() + " " + limits.Memory().String(), "1 1Gi"},
		"node affinity":      {fmt.Sprint(len(terms), " term, ", len(terms[0].MatchExpressions), " expressions"), "1 term, 2 expressions"},
	} {
		if fmt.Sprint(pair[0]) != fmt.Sprint(pair[1]) {
			t.Errorf("%s: %v and not %v", what, pair[0], pair[1])
		}
	}
	if !bytes.Contains(rendered, []byte("eks.amazonaws.com/role-arn: arn:aws:iam::111122223333:role/KarpenterControllerRole-ml-prod")) {
		t.Error("the service account has no role")
	}
}
