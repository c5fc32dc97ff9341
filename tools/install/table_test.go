package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestChartsOfTheController holds the charts against the controller that is built: its definitions
// must be those of its own release, and of the same module.
func TestChartsOfTheController(t *testing.T) {
	dir := filepath.Join("..", "karpenter")
	version, err := required(filepath.Join(dir, "go.mod"), karpenterModule)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(karpenterReleases, func(r module) bool { return r.Version == version })
	if i < 0 {
		t.Fatalf("tools/karpenter has %s, and the charts are of %v: add it to karpenterReleases", version, karpenterReleases)
	}
	sums, err := os.ReadFile(filepath.Join(dir, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	if want := karpenterModule + " v" + version + " " + karpenterReleases[i].Sum + "\n"; !strings.Contains(string(sums), want) {
		t.Errorf("go.sum of tools/karpenter does not have %q", want)
	}
}
