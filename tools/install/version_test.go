package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestParseVersion(t *testing.T) {
	for in, want := range map[string]version{
		"3.276.0": {3, 276, 0}, "v3.276.0\n": {3, 276, 0}, "3.10": {3, 10, 0},
		"v3.300.0-alpha.x1": {3, 300, 0}, "4.0.1+dirty": {4, 0, 1},
	} {
		if got, err := parseVersion(in); err != nil || got != want {
			t.Errorf("parseVersion(%q) = %v, %v; want %v", in, got, err, want)
		}
	}
	for _, in := range []string{"", "3", "three", "3.x.1", "pulumi 3.2.1", "3.2.1.4"} {
		if got, err := parseVersion(in); err == nil {
			t.Errorf("parseVersion(%q) = %v, want an error", in, got)
		}
	}
}

func TestFoundRuleAllows(t *testing.T) {
	rule := foundRule{Min: "3.200.0", Below: "4.0.0"}
	for in, want := range map[string]bool{
		"3.199.9": false, "3.200.0": true, "v3.276.0": true, "3.999.999": true,
		"4.0.0": false, "4.0.0-dev": false, "2.300.0": false,
	} {
		if got, err := rule.allows(in); err != nil || got != want {
			t.Errorf("allows(%q) = %v, %v; want %v", in, got, err, want)
		}
	}
	if _, err := rule.allows("unknown"); err == nil {
		t.Error("allows(unknown) gave no error")
	}
}

func TestRequired(t *testing.T) {
	file := filepath.Join(t.TempDir(), "go.mod")
	write(t, file, `module m

go 1.26.0

require example.com/one v1.2.3

require (
	example.com/two/v2 v2.0.0-20260115033456-f47bc2d6f199
	example.com/three v3.4.5 // indirect
	// example.com/four v1.0.0
)

replace example.com/five => example.com/five v9.9.9
`)
	for module, want := range map[string]string{
		"example.com/one":    "1.2.3",
		"example.com/two/v2": "2.0.0-20260115033456-f47bc2d6f199",
		"example.com/three":  "3.4.5",
	} {
		if got, err := required(file, module); err != nil || got != want {
			t.Errorf("required(%s) = %q, %v; want %q", module, got, err, want)
		}
	}
	for _, module := range []string{"example.com/two", "example.com/four", "example.com/five", "m"} {
		if got, err := required(file, module); err == nil {
			t.Errorf("required(%s) = %q, want an error", module, got)
		}
	}
}

func TestExpand(t *testing.T) {
	got := expand("-X a=v${version} -X b=${major} -X c=${minor}", "1.34.4")
	if want := "-X a=v1.34.4 -X b=1 -X c=34"; got != want {
		t.Errorf("expand = %q, want %q", got, want)
	}
}

// write makes a file and the folders above it.
func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}
