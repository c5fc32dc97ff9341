// Package golden compares what a test got with files below testdata.
package golden

import (
	"os"
	"path/filepath"
	"testing"
)

// updateVariable is the environment variable that makes Check write.
const updateVariable = "UPDATE_GOLDEN"

// Check compares a text with a file below testdata. With UPDATE_GOLDEN=1 in
// the environment it writes the file.
func Check(t *testing.T, file, got string) {
	t.Helper()
	path := filepath.Join("testdata", filepath.FromSlash(file))
	if os.Getenv(updateVariable) != "" {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (write it with: make golden)", err)
	}
	if string(want) != got {
		t.Errorf("%s differs; if that is meant, write it with make golden and review the diff\ngot:\n%s\nwant:\n%s", path, got, want)
	}
}
