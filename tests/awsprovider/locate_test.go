package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const testTarget = "linux_amd64"

// newTestLocator returns a locator whose every place is below a temporary
// folder, and that folder.
func newTestLocator(t *testing.T, env map[string]string) (locator, string) {
	t.Helper()
	dir := t.TempDir()
	return locator{
		getenv: func(name string) string { return strings.ReplaceAll(env[name], "DIR", dir) },
		home:   filepath.Join(dir, "home"),
		target: testTarget,
		system: []string{filepath.Join(dir, "usr-local-share"), filepath.Join(dir, "usr-share")},
		roots:  []string{filepath.Join(dir, "opt"), filepath.Join(dir, "usr")},
	}, dir
}

// install puts a provider into the mirror folder and returns its path.
func install(t *testing.T, folder string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(folder, "registry.terraform.io", "hashicorp", "aws", tfVersion, testTarget, tfBinary)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLocateMirrors(t *testing.T) {
	tests := map[string]struct {
		env     map[string]string
		folder  string
		missing bool
	}{
		"terraform.d":         {folder: "home/.terraform.d/plugins"},
		"default data home":   {folder: "home/.local/share/terraform/plugins"},
		"XDG_DATA_HOME":       {folder: "xdg/terraform/plugins", env: map[string]string{"XDG_DATA_HOME": "DIR/xdg"}},
		"default data dirs":   {folder: "usr-share/terraform/plugins"},
		"XDG_DATA_DIRS":       {folder: "b/terraform/plugins", env: map[string]string{"XDG_DATA_DIRS": "DIR/a:DIR/b"}},
		"TF_PLUGIN_CACHE_DIR": {folder: "cache", env: map[string]string{"TF_PLUGIN_CACHE_DIR": "DIR/cache"}},
		"a root":              {folder: "opt"},
		"below a root":        {folder: "opt/mirror"},
		"four levels below":   {folder: "usr/1/2/3/4"},
		"five levels below":   {folder: "usr/1/2/3/4/5", missing: true},
		"overridden data home": {
			folder: "home/.local/share/terraform/plugins", env: map[string]string{"XDG_DATA_HOME": "DIR/x"}, missing: true,
		},
		"not a Terraform folder": {folder: "elsewhere", missing: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			l, dir := newTestLocator(t, test.env)
			want := install(t, filepath.Join(dir, test.folder), 0o755)
			got, err := l.locate()
			if test.missing {
				if !errors.Is(err, errNotFound) {
					t.Fatalf("got %q, %v; want errNotFound", got, err)
				}
				return
			}
			if err != nil || got != want {
				t.Fatalf("got %q, %v; want %q", got, err, want)
			}
		})
	}
}

func TestLocateOrder(t *testing.T) {
	l, dir := newTestLocator(t, map[string]string{"TF_PLUGIN_CACHE_DIR": "DIR/cache"})
	// From the last place to the first: each new one wins.
	for _, folder := range []string{
		"usr/lib/mirror", "opt/a/b", "opt/c", "cache", "usr-share/terraform/plugins",
		"usr-local-share/terraform/plugins", "home/.local/share/terraform/plugins", "home/.terraform.d/plugins",
	} {
		want := install(t, filepath.Join(dir, folder), 0o755)
		if got, err := l.locate(); err != nil || got != want {
			t.Fatalf("got %q, %v; want %q", got, err, want)
		}
	}
}

func TestLocateSkipsWhatCannotRun(t *testing.T) {
	l, dir := newTestLocator(t, nil)
	install(t, filepath.Join(dir, "home/.terraform.d/plugins"), 0o644)
	want := install(t, filepath.Join(dir, "opt"), 0o755)
	if got, err := l.locate(); err != nil || got != want {
		t.Fatalf("got %q, %v; want %q", got, err, want)
	}
}

func TestLocateVariable(t *testing.T) {
	env := map[string]string{binaryVariable: "DIR/tf"}
	l, dir := newTestLocator(t, env)
	install(t, filepath.Join(dir, "opt"), 0o755)
	path := filepath.Join(dir, "tf")

	// A wrong value is an error, though the search would find another binary.
	expect := func(message string) {
		t.Helper()
		_, err := l.locate()
		if err == nil || !strings.Contains(err.Error(), message) || !strings.Contains(err.Error(), binaryVariable) {
			t.Errorf("got %v; want an error on %s that says %q", err, binaryVariable, message)
		}
		if errors.Is(err, errNotFound) {
			t.Errorf("%v is errNotFound", err)
		}
	}
	expect("no such file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	expect("not executable")
	env[binaryVariable] = "DIR/opt"
	expect("not a file")

	env[binaryVariable] = "DIR/tf"
	if err := os.Chmod(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if got, err := l.locate(); err != nil || got != path {
		t.Errorf("got %q, %v; want %q", got, err, path)
	}
}

func TestLocateTellsWhereItLooked(t *testing.T) {
	l, dir := newTestLocator(t, map[string]string{"TF_PLUGIN_CACHE_DIR": "DIR/cache"})
	_, err := l.locate()
	if err == nil {
		t.Fatal("found in an empty folder")
	}
	for _, want := range []string{
		filepath.Join("aws", tfVersion, testTarget, tfBinary),
		filepath.Join(dir, "home/.terraform.d/plugins"),
		filepath.Join(dir, "usr-share/terraform/plugins"),
		filepath.Join(dir, "cache"),
		filepath.Join(dir, "opt"),
		"pulumi plugin install resource aws v" + sdkVersion,
		"terraform providers mirror",
		binaryVariable,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q:\n%v", want, err)
		}
	}
}
