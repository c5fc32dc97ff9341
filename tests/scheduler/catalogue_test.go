package scheduler

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestCatalogueIsCurrent makes the product's catalogue of instance types anew, of
// the same pinned sources, and compares.
func TestCatalogueIsCurrent(t *testing.T) {
	made := filepath.Join(t.TempDir(), "types.tsv")
	cmd := exec.Command("go", "run", "./instancetypes", "-out", made)
	cmd.Dir = filepath.Join("..", "..", "tools")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want, err := os.ReadFile(made)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join("..", "..", "internal", "instancetype", "types.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("internal/instancetype/types.tsv differs from what its sources say: run make instance-types")
	}
}
