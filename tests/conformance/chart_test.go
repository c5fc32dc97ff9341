package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/release"
	"github.com/valohai/pulumi-kubernetes-autoscaling/tests/localcloud"
)

// values are those of a stack that uses all that a release has.
func values(rel release.Release) release.Values {
	return release.Values{
		ClusterName: "ml-prod", ClusterEndpoint: "https://example.eks.amazonaws.com", Region: "eu-west-1",
		InterruptionQueue: "Karpenter-ml-prod", ServiceAccount: "karpenter",
		RoleArn:    "arn:aws:iam::111122223333:role/KarpenterControllerRole-ml-prod",
		NodeGroups: []string{"system", "workers"}, Replicas: 2,
		IsolatedVPC: true, ZonalShift: rel.SupportsZonalShift, FeatureGates: rel.FeatureGates,
	}
}

// helm runs helm and returns what it prints. CHART stands for the archive of a
// chart, VALUES for a file with some values.
func helm(t *testing.T, archive string, given map[string]any, args ...string) []byte {
	t.Helper()
	tools := os.Getenv(localcloud.ToolsVariable)
	if tools == "" {
		t.Fatalf("%s is not set: run make tools, or make test", localcloud.ToolsVariable)
	}
	file := filepath.Join(t.TempDir(), "values.json")
	b, err := json.Marshal(given)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	chart := filepath.Join(tools, "charts", archive)
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

// render renders a chart and returns the objects of a kind, by name.
func render[T any](t *testing.T, archive, name, kind string, given map[string]any) map[string]T {
	t.Helper()
	rendered := helm(t, archive, given, "template", name, "CHART", "--namespace", "kube-system", "--values", "VALUES")
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(rendered), 1<<16)
	found := map[string]T{}
	for {
		var object json.RawMessage
		if err := decoder.Decode(&object); err != nil {
			break
		}
		var head struct {
			Kind     string
			Metadata struct{ Name string }
		}
		var o T
		if json.Unmarshal(object, &head) == nil && head.Kind == kind {
			if err := json.Unmarshal(object, &o); err != nil {
				t.Fatalf("%s %s: %v", kind, head.Metadata.Name, err)
			}
			found[head.Metadata.Name] = o
		}
	}
	return found
}

// mustKnow fails for a value under a key that the chart does not know: it would
// be ignored in silence.
func mustKnow(t *testing.T, archive string, ours map[string]any) {
	t.Helper()
	var defaults map[string]any
	if err := yaml.Unmarshal(helm(t, archive, nil, "show", "values", "CHART"), &defaults); err != nil {
		t.Fatal(err)
	}
	var check func(path string, ours, chart map[string]any)
	check = func(path string, ours, chart map[string]any) {
		for key, value := range ours {
			known, ok := chart[key]
			if !ok {
				t.Errorf("%s has no value %s%s", archive, path, key)
				continue
			}
			inner, isMap := value.(map[string]any)
			// A map that the chart leaves empty takes any key.
			if chartMap, ok := known.(map[string]any); ok && isMap && len(chartMap) > 0 {
				check(path+key+".", inner, chartMap)
			}
		}
	}
	check("", ours, defaults)
}

// eachChart runs a test for every release whose chart is in the folder of the
// tools.
func eachChart(t *testing.T, test func(t *testing.T, rel release.Release, archive string)) {
	t.Helper()
	for _, version := range slices.Sorted(maps.Keys(pinned(t))) {
		t.Run(version, func(t *testing.T) { test(t, find(t, version), "karpenter-"+version+".tgz") })
	}
}

func TestChartKnowsOurValues(t *testing.T) {
	eachChart(t, func(t *testing.T, rel release.Release, archive string) { mustKnow(t, archive, values(rel).Chart()) })
}

// The catalogue has exactly the feature gates of each release's chart.
func TestFeatureGates(t *testing.T) {
	eachChart(t, func(t *testing.T, rel release.Release, archive string) {
		var chart struct {
			Settings struct{ FeatureGates map[string]bool }
		}
		if err := yaml.Unmarshal(helm(t, archive, nil, "show", "values", "CHART"), &chart); err != nil {
			t.Fatal(err)
		}
		theirs := slices.Sorted(maps.Keys(chart.Settings.FeatureGates))
		if ours := slices.Sorted(slices.Values(rel.FeatureGates)); !slices.Equal(ours, theirs) {
			t.Errorf("the catalogue has %v, and the chart %v", ours, theirs)
		}
	})
}

// What we set must arrive in the Deployment and in the service account of every
// release.
func TestChartRendersOurValues(t *testing.T) {
	eachChart(t, func(t *testing.T, rel release.Release, archive string) {
		given := values(rel)
		deployment, ok := render[appsv1.Deployment](t, archive, "karpenter", "Deployment", given.Chart())["karpenter"]
		if !ok {
			t.Fatal("no Deployment")
		}
		pod := deployment.Spec.Template.Spec
		env := map[string]string{}
		for _, e := range pod.Containers[0].Env {
			env[e.Name] = e.Value
		}
		terms := pod.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
		limits, requests := pod.Containers[0].Resources.Limits, pod.Containers[0].Resources.Requests
		shift := ""
		if rel.SupportsZonalShift {
			shift = "true"
		}
		for what, pair := range map[string][2]any{
			"replicas":           {*deployment.Spec.Replicas, 2},
			"service account":    {pod.ServiceAccountName, "karpenter"},
			"DNS policy":         {pod.DNSPolicy, "Default"},
			"priority class":     {pod.PriorityClassName, "system-cluster-critical"},
			"toleration":         {fmt.Sprint(len(pod.Tolerations), " ", pod.Tolerations[0].Key), "1 CriticalAddonsOnly"},
			"cluster name":       {env["CLUSTER_NAME"], "ml-prod"},
			"cluster endpoint":   {env["CLUSTER_ENDPOINT"], "https://example.eks.amazonaws.com"},
			"interruption queue": {env["INTERRUPTION_QUEUE"], "Karpenter-ml-prod"},
			"region":             {env["AWS_REGION"], "eu-west-1"},
			"isolated VPC":       {env["ISOLATED_VPC"], "true"},
			"zonal shift":        {env["ENABLE_ZONAL_SHIFT"], shift},
			"gates that are off": {strings.Count(env["FEATURE_GATES"], "false"), 0},
			"gates":              {strings.Count(env["FEATURE_GATES"], "=true"), len(rel.FeatureGates)},
			"limits":             {limits.Cpu().String() + " " + limits.Memory().String(), "1 1Gi"},
			"requests":           {requests.Cpu().String() + " " + requests.Memory().String(), "1 1Gi"},
			"node affinity":      {fmt.Sprint(len(terms), " term, ", len(terms[0].MatchExpressions), " expressions"), "1 term, 2 expressions"},
		} {
			if fmt.Sprint(pair[0]) != fmt.Sprint(pair[1]) {
				t.Errorf("%s: %v and not %v", what, pair[0], pair[1])
			}
		}
		account := render[struct {
			Metadata struct{ Annotations map[string]string }
		}](t, archive, "karpenter", "ServiceAccount", given.Chart())["karpenter"]
		if account.Metadata.Annotations["eks.amazonaws.com/role-arn"] != given.RoleArn {
			t.Errorf("the service account has the annotations %v", account.Metadata.Annotations)
		}
	})
}

// What a user may set of the chart arrives too: tolerations of system nodes with
// taints of their own, one replica, labels.
func TestChartRendersUserValues(t *testing.T) {
	eachChart(t, func(t *testing.T, rel release.Release, archive string) {
		given := values(rel)
		given.Replicas = 1
		given.Extra = map[string]any{
			"tolerations":       []any{map[string]any{"key": "team", "operator": "Exists"}},
			"priorityClassName": "own", "podLabels": map[string]any{"x": "true"},
			"controller": map[string]any{"resources": map[string]any{"requests": map[string]any{"cpu": "250m"}}},
		}
		d := render[appsv1.Deployment](t, archive, "karpenter", "Deployment", given.Chart())["karpenter"]
		pod := d.Spec.Template.Spec
		got := fmt.Sprintln(*d.Spec.Replicas, pod.Tolerations[0].Key, pod.PriorityClassName, d.Spec.Template.Labels["x"],
			pod.Containers[0].Resources.Requests.Cpu(), pod.Containers[0].Resources.Limits.Cpu())
		if want := fmt.Sprintln(1, "team", "own", "true", "250m", "1"); got != want {
			t.Errorf("%s and not %s", got, want)
		}
	})
}
