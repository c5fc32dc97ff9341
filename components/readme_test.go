package components

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/nodepool"
	"github.com/valohai/pulumi-kubernetes-autoscaling/components/release"
)

const readme = "../README.md"

// The tables of the README are made from the data that the library uses.
func TestReadmeTables(t *testing.T) {
	b, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	const start, end = "<!-- generated: make golden -->\n", "<!-- end -->"
	before, rest, found := strings.Cut(string(b), start)
	_, after, foundEnd := strings.Cut(rest, end)
	if !found || !foundEnd {
		t.Fatal("the README has no place for the tables")
	}
	want := before + start + tables() + end + after
	if want == string(b) {
		return
	}
	if os.Getenv("UPDATE_GOLDEN") == "" {
		t.Fatalf("the tables of the README are out of date (make golden); they should be:\n%s", tables())
	}
	if err := os.WriteFile(readme, []byte(want), 0o600); err != nil {
		t.Fatal(err)
	}
}

func tables() string {
	var b strings.Builder
	b.WriteString("| Karpenter from | Kubernetes |\n|---|---|\n")
	for _, r := range release.All() {
		fmt.Fprintf(&b, "| %s | %s to %s |\n", r.Version, r.MinKubernetes, r.MaxKubernetes)
	}
	b.WriteString("\n| preset | what for |\n|---|---|\n")
	for _, name := range nodepool.PresetNames() {
		p, _ := nodepool.FindPreset(name)
		fmt.Fprintf(&b, "| `%s` | %s |\n", name, p.Summary)
	}
	return b.String()
}

// The code in the README stands in a tested example.
func TestReadmeCode(t *testing.T) {
	b, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(b), "```go\n")
	code, _, found := strings.Cut(code, "```")
	if !found {
		t.Fatal("no code in the README")
	}
	for _, line := range strings.Split(strings.TrimSpace(code), "\n") {
		if line = strings.TrimSpace(line); line != "// ..." && !strings.Contains(string(example), line) {
			t.Errorf("not in example_test.go: %s", line)
		}
	}
}
