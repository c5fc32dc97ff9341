package localcloud

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestClusterOptions(t *testing.T) {
	o, err := ClusterOptions{}.withDefaults()
	if err != nil || o != (ClusterOptions{Name: "ml-prod", KubernetesVersion: "1.34", AuthenticationMode: "API_AND_CONFIG_MAP"}) {
		t.Errorf("defaults %+v, %v", o, err)
	}
	if _, err := (ClusterOptions{Name: strings.Repeat("n", 100)}).withDefaults(); err != nil {
		t.Error(err)
	}
	_, err = ClusterOptions{Name: strings.Repeat("n", 101), KubernetesVersion: "1.29", AuthenticationMode: "IAM"}.withDefaults()
	for _, problem := range []string{"cluster name", "kubernetes version", "authentication mode"} {
		if err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("got %v, want a word on the %s", err, problem)
		}
	}
}

func TestFindTools(t *testing.T) {
	t.Setenv(ToolsVariable, "")
	if _, err := findTools(""); err == nil || !strings.Contains(err.Error(), "run make tools") {
		t.Errorf("without a folder: %v", err)
	}
	if _, err := findTools(t.TempDir()); err == nil || !strings.Contains(err.Error(), "lacks etcd") {
		t.Errorf("an empty folder: %v", err)
	}
}

func TestListens(t *testing.T) {
	port, err := freePort()
	if err != nil {
		t.Fatal(err)
	}
	if listens(os.Getpid(), port) {
		t.Error("listens before Listen")
	}
	listener := listenOn(t, port)
	t.Cleanup(func() { _ = listener.Close() })
	if !listens(os.Getpid(), port) {
		t.Error("does not listen after Listen")
	}
	if listens(sleeper(t).PID, port) {
		t.Error("another process is said to listen")
	}
}

func TestTail(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, []byte(strings.Repeat("old\n", 5000)+strings.Repeat("new\n", logTailLines)), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := tail(path); got != strings.TrimSpace(strings.Repeat("new\n", logTailLines)) {
		t.Errorf("got %q", got)
	}
}

func TestDiff(t *testing.T) {
	before := Inventory{
		AWS: AWSInventory{
			Roles:      map[string]Role{"a": {ARN: "1"}, "b": {ARN: "2"}},
			Queues:     map[string]Queue{},
			SubnetTags: map[string]map[string]string{"s": {"Name": "x"}},
		},
		Kubernetes: KubernetesInventory{CRDs: []string{"one"}},
	}
	after := before
	after.AWS.Roles = maps.Clone(before.AWS.Roles)
	delete(after.AWS.Roles, "b")
	after.AWS.SubnetTags = map[string]map[string]string{"s": {"Name": "y"}}
	after.Kubernetes.CRDs = []string{"one", "two"}
	lines, err := before.Diff(after)
	want := []string{
		`- /aws/roles/b/arn: "2"`, `- /aws/roles/b/permissionsBoundary: ""`,
		`- /aws/subnetTags/s/Name: "x"`, `+ /aws/subnetTags/s/Name: "y"`,
		`- /kubernetes/crds: ["one"]`, `+ /kubernetes/crds: ["one","two"]`,
	}
	if err != nil || !slices.Equal(lines, want) {
		t.Errorf("got %q (%v), want %q", lines, err, want)
	}
	if lines, err := before.Diff(before); err != nil || len(lines) > 0 {
		t.Errorf("an inventory differs from itself: %q (%v)", lines, err)
	}
}

func TestEnvironmentIsClean(t *testing.T) {
	for _, name := range []string{"AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL_EC2", "MOTO_PORT", "KUBECONFIG"} {
		t.Setenv(name, "foreign")
	}
	for _, variable := range cleanEnviron() {
		if strings.HasSuffix(variable, "=foreign") {
			t.Errorf("%s is kept", variable)
		}
	}
}
