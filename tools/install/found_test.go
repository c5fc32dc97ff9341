package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFindProgram sets up fake programs in folders of a PATH.
func TestFindProgram(t *testing.T) {
	for _, test := range []struct {
		name  string
		files []string // below the test's folder; a and b are on PATH, in this order
		says  map[string]string
		want  string // path, or ""
		note  string // part of it
	}{
		{name: "none"},
		{name: "beside", files: []string{"b/pulumi", "b/pulumi-language-go"}, says: map[string]string{"b/pulumi": "v3.276.0"}, want: "b/pulumi"},
		{name: "elsewhere on PATH", files: []string{"b/pulumi", "a/pulumi-language-go"}, says: map[string]string{"b/pulumi": "3.200.0"}, want: "b/pulumi"},
		{name: "first on PATH", files: []string{"a/pulumi", "b/pulumi", "b/pulumi-language-go"}, says: map[string]string{"a/pulumi": "3.201.0", "b/pulumi": "3.202.0"}, want: "a/pulumi"},
		{name: "no language host", files: []string{"b/pulumi"}, says: map[string]string{"b/pulumi": "v3.276.0"}, note: "pulumi-language-go is neither"},
		{name: "too old", files: []string{"b/pulumi", "b/pulumi-language-go"}, says: map[string]string{"b/pulumi": "v3.199.9"}, note: "outside >= 3.200.0 and < 4.0.0"},
		{name: "too new", files: []string{"b/pulumi", "b/pulumi-language-go"}, says: map[string]string{"b/pulumi": "4.0.0"}, note: "outside"},
		{name: "no version", files: []string{"b/pulumi", "b/pulumi-language-go"}, says: map[string]string{"b/pulumi": "hello"}, note: "not a version"},
		{name: "does not run", files: []string{"b/pulumi", "b/pulumi-language-go"}, note: "cannot run"},
		{name: "not executable", files: []string{"b/pulumi-", "b/pulumi-language-go"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, f := range test.files {
				path := filepath.Join(dir, strings.TrimSuffix(f, "-"))
				write(t, path, "#!/bin/sh\n")
				if strings.HasSuffix(f, "-") {
					if err := os.Chmod(path, 0o644); err != nil {
						t.Fatal(err)
					}
				}
			}
			m := fakeMachine(dir, test.says)
			f, note := m.find(context.Background(), pulumiArtefact())
			got := ""
			if f != nil {
				got, _ = filepath.Rel(dir, f.Path)
				if f.With["pulumi-language-go"] == "" {
					t.Error("found without its language host")
				}
			}
			if got != test.want {
				t.Errorf("found %q, want %q (note %q)", got, test.want, note)
			}
			if !strings.Contains(note, test.note) || (test.note == "" && note != "") {
				t.Errorf("note %q, want %q", note, test.note)
			}
		})
	}
}

// TestFindSkipsOurOwn: the bin folder may be on PATH, also through a link.
func TestFindSkipsOurOwn(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "cache/pulumi-3.276.0-abc/pulumi"), "x")
	write(t, filepath.Join(dir, "cache/pulumi-3.276.0-abc/pulumi-language-go"), "x")
	for _, name := range []string{"pulumi", "pulumi-language-go"} {
		if err := os.MkdirAll(filepath.Join(dir, "a"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(dir, "cache/pulumi-3.276.0-abc", name), filepath.Join(dir, "a", name)); err != nil {
			t.Fatal(err)
		}
	}
	m := fakeMachine(dir, map[string]string{"a/pulumi": "3.276.0"})
	if f, _ := m.find(context.Background(), pulumiArtefact()); f != nil {
		t.Errorf("found %s, which is our own", f.Path)
	}
}

// TestFindAll: what comes with a found program counts as found too.
func TestFindAll(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a/pulumi"), "x")
	write(t, filepath.Join(dir, "a/pulumi-language-go"), "x")
	m := fakeMachine(dir, map[string]string{"a/pulumi": "3.276.0"})
	all := m.findAll(context.Background(), []*artefact{pulumiArtefact()}, func(note string) { t.Error(note) })
	if all["pulumi"] == nil || all["pulumi-language-go"] == nil {
		t.Errorf("found %v", all)
	}
}

func TestFindPlugin(t *testing.T) {
	dir := t.TempDir()
	a := &artefact{Name: "pulumi-resource-aws", Version: "6.83.4", Program: &program{Plugin: "resource-aws"}}
	m := fakeMachine(dir, nil)
	write(t, filepath.Join(dir, "home/plugins/resource-aws-v6.83.3/pulumi-resource-aws"), "x")
	if f, _ := m.find(context.Background(), a); f != nil {
		t.Errorf("took another version: %s", f.Path)
	}
	path := filepath.Join(dir, "home/plugins/resource-aws-v6.83.4/pulumi-resource-aws")
	write(t, path, "x")
	if f, _ := m.find(context.Background(), a); f == nil || f.Path != path {
		t.Errorf("found %v, want %s", f, path)
	}
}

func TestAskVersion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pulumi")
	write(t, path, "#!/bin/sh\n[ \"$1\" = version ] && echo v3.276.0\n")
	if got, err := askVersion(context.Background(), path); err != nil || got != "v3.276.0" {
		t.Errorf("askVersion = %q, %v", got, err)
	}
}

func fakeMachine(dir string, says map[string]string) machine {
	return machine{
		Path:       strings.Join([]string{"relative", filepath.Join(dir, "a"), filepath.Join(dir, "b")}, string(os.PathListSeparator)),
		PulumiHome: filepath.Join(dir, "home"),
		Ours:       filepath.Join(dir, "cache"),
		VersionOf: func(_ context.Context, path string) (string, error) {
			rel, _ := filepath.Rel(dir, path)
			if v, ok := says[rel]; ok {
				return v, nil
			}
			return "", errors.New("cannot run")
		},
	}
}

func pulumiArtefact() *artefact {
	return &artefact{Name: "pulumi", Version: "3.276.0", Program: &program{Found: &pulumiRule}}
}
