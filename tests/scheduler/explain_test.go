package scheduler

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning/scheduling"
	"sigs.k8s.io/yaml"
)

// command builds and runs a command of the product, and returns what it prints.
func command(t *testing.T, name string, args ...string) []byte {
	t.Helper()
	binary := filepath.Join(t.TempDir(), name)
	build := exec.Command("go", "build", "-o", binary, "./stacks/karpenter/"+name)
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v\n%s", name, err, out)
	}
	out, err := exec.Command(binary, args...).Output()
	var exit *exec.ExitError
	const podsLandNowhere = 3
	if errors.As(err, &exit) && exit.ExitCode() != podsLandNowhere || err != nil && exit == nil {
		t.Fatalf("%s: %v\n%s", name, err, exit.Stderr)
	}
	return out
}

// rendered returns the objects of a kind that the product renders for a stack.
func rendered(t *testing.T, dir, kind string) []map[string]any {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "kubernetes", kind+"-*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no %s in %s: %v", kind, dir, err)
	}
	objects := make([]map[string]any, len(files))
	for i, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := yaml.Unmarshal(b, &objects[i]); err != nil {
			t.Fatal(err)
		}
	}
	return objects
}

func readPods(t *testing.T, path string) []*corev1.Pod {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	decoder := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(b), 1<<16)
	var pods []*corev1.Pod
	for {
		var pod corev1.Pod
		if err := decoder.Decode(&pod); errors.Is(err, io.EOF) {
			return pods
		} else if err != nil {
			t.Fatal(err)
		}
		pods = append(pods, &pod)
	}
}

// answer is what explain says of a pod.
type answer struct {
	Name, Pool string
	Pools      []struct {
		Pool  string
		Types []struct{ Type string }
	}
}

// types are the instance types in the pool where the pod lands.
func (a answer) types() []string {
	var names []string
	for _, v := range a.Pools {
		if v.Pool != a.Pool {
			continue
		}
		for _, o := range v.Types {
			names = append(names, o.Type)
		}
	}
	return names
}

var zones = []string{"us-east-1a", "us-east-1b"}

// explained are the answers of explain, of a pod alone on an empty cluster.
func explained(t *testing.T, stack, pods string) []answer {
	t.Helper()
	out := command(t, "explain", "--config", stack, "--pod", pods, "--json", "--types", "5000",
		"--daemons", "", "--extended-resource-toleration=false", "--zones", zones[0]+","+zones[1])
	var report struct{ Pods []answer }
	if err := json.Unmarshal(out, &report); err != nil {
		t.Fatal(err)
	}
	return report.Pods
}

// placed are the verdicts of Karpenter, on the objects that the product renders.
func placed(t *testing.T, stack string, pods []*corev1.Pod) []Verdict {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "rendered")
	command(t, "render", "--config", stack, "--facts", filepath.Join("..", "..", "examples", "existing-cluster", "cluster.json"), "--out", dir)
	types, err := LoadInstanceTypes(os.Getenv("AUTOSCALING_TOOLS"))
	if err != nil {
		t.Fatal(err)
	}
	verdicts, err := Place(t.Context(), Options{
		Region: "us-east-1", Zones: zones, InstanceTypes: types,
		Pools: rendered(t, dir, "nodepool"), Classes: rendered(t, dir, "ec2nodeclass"),
	}, pods...)
	if err != nil {
		t.Fatal(err)
	}
	return verdicts
}

// TestExplainAgrees holds the command explain against Karpenter's own scheduler,
// on the pools that the product renders: each pod lands in the same pool, on the
// same instance types, at the same cheapest one, or nowhere.
func TestExplainAgrees(t *testing.T) {
	const stack, pods = "testdata/Pulumi.pools.yaml", "testdata/pods.yaml"
	manifests := readPods(t, pods)
	ours, theirs := explained(t, stack, pods), placed(t, stack, manifests)
	if len(ours) != len(manifests) || len(manifests) < 40 {
		t.Fatalf("explain answers for %d pods of %d", len(ours), len(manifests))
	}
	nowhere := 0
	for i, verdict := range theirs {
		switch {
		case ours[i].Name != manifests[i].Name || ours[i].Pool != verdict.Pool:
			t.Errorf("%s: explain says pool %q, and Karpenter %q (%s)", manifests[i].Name, ours[i].Pool, verdict.Pool, verdict.Reason)
		case verdict.Pool == "":
			nowhere++
		default:
			mustBeTheSame(t, ours[i].Name, ours[i].types(), verdict.InstanceTypes)
		}
	}
	if nowhere < 10 || nowhere > len(theirs)/2 {
		t.Errorf("%d of %d pods land nowhere: the table says little", nowhere, len(theirs))
	}
}

// mustBeTheSame compares instance types, the cheapest first. Karpenter cuts its
// list.
func mustBeTheSame(t *testing.T, pod string, ours, theirs []string) {
	t.Helper()
	if len(theirs) >= scheduling.MaxInstanceTypes {
		ours = ours[:min(len(ours), len(theirs))]
	}
	if slices.Equal(ours, theirs) {
		return
	}
	var missing, more []string
	for _, name := range theirs {
		if !slices.Contains(ours, name) {
			missing = append(missing, name)
		}
	}
	for _, name := range ours {
		if !slices.Contains(theirs, name) {
			more = append(more, name)
		}
	}
	t.Errorf("%s: %d types and Karpenter has %d; missing %v, more %v; cheapest %s and %s", pod, len(ours), len(theirs), missing, more, ours[:1], theirs[:1])
}
