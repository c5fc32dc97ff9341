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
	version, err := required(filepath.Join(dir, "go.mod"), karpenterCharts)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(chartReleases, func(r chartRelease) bool { return r.Version == version })
	if i < 0 {
		t.Fatalf("tools/karpenter has %s, and the charts are of %v: add it to chartReleases", version, chartReleases)
	}
	sums, err := os.ReadFile(filepath.Join(dir, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	if want := karpenterCharts + " v" + version + " " + chartReleases[i].Sum + "\n"; !strings.Contains(string(sums), want) {
		t.Errorf("go.sum of tools/karpenter does not have %q", want)
	}
}
