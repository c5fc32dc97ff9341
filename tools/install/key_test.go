package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestProgramKey changes one thing at a time and sees whether the key follows.
func TestProgramKey(t *testing.T) {
	base := program{Name: "p", Dir: "tools/p", Pkg: ".", Ldflags: "-X v=1"}
	for _, test := range []struct {
		name    string
		change  func(repo string, p *program)
		differs bool
	}{
		{"nothing", func(string, *program) {}, false},
		{"go.mod", func(r string, _ *program) { write(t, filepath.Join(r, "tools/p/go.mod"), "module q") }, true},
		{"go.sum", func(r string, _ *program) { write(t, filepath.Join(r, "tools/p/go.sum"), "y") }, true},
		{"source", func(r string, _ *program) { write(t, filepath.Join(r, "tools/p/sub/a.go"), "package b") }, true},
		{"new file", func(r string, _ *program) { write(t, filepath.Join(r, "tools/p/table.json"), "{}") }, true},
		{"renamed", func(r string, _ *program) {
			if err := os.Rename(filepath.Join(r, "tools/p/sub/a.go"), filepath.Join(r, "tools/p/sub/b.go")); err != nil {
				t.Fatal(err)
			}
		}, true},
		{"flags", func(_ string, p *program) { p.Ldflags = "-X v=2" }, true},
		{"build flags", func(_ string, p *program) { p.SharesCache = true }, true},
		{"package", func(_ string, p *program) { p.Pkg = "./cmd" }, true},
		{"embedded", func(_ string, p *program) { p.Embedded = []string{"x.json"} }, true},
		{"a test", func(r string, _ *program) { write(t, filepath.Join(r, "tools/p/a_test.go"), "package a") }, false},
		{"a page", func(r string, _ *program) { write(t, filepath.Join(r, "tools/p/README.md"), "hello") }, false},
		{"testdata", func(r string, _ *program) { write(t, filepath.Join(r, "tools/p/testdata/x.go"), "x") }, false},
		{"another module", func(r string, _ *program) { write(t, filepath.Join(r, "tools/q/go.mod"), "module z") }, false},
		{"nested module", func(r string, _ *program) { write(t, filepath.Join(r, "tools/p/nested/go.mod"), "module n") }, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			repo, p := keyRepo(t), base
			before := mustKey(t, repo, p)
			test.change(repo, &p)
			if after := mustKey(t, repo, p); (after != before) != test.differs {
				t.Errorf("key %s -> %s, want a change: %v", before, after, test.differs)
			}
			if again := mustKey(t, keyRepo(t), base); again != before {
				t.Errorf("the same pins in another folder have the key %s, not %s", again, before)
			}
		})
	}
}

func keyRepo(t *testing.T) string {
	repo := t.TempDir()
	write(t, filepath.Join(repo, "tools/p/go.mod"), "module p")
	write(t, filepath.Join(repo, "tools/p/go.sum"), "x")
	write(t, filepath.Join(repo, "tools/p/sub/a.go"), "package a")
	return repo
}

func mustKey(t *testing.T, repo string, p program) string {
	t.Helper()
	key, err := programKey(repo, p)
	if err != nil {
		t.Fatal(err)
	}
	if len(key) != keyLen {
		t.Fatalf("key %q has not %d digits", key, keyLen)
	}
	return key
}

func TestHasherKeepsValuesApart(t *testing.T) {
	a, b := newHasher(), newHasher()
	a.add("ab", "c")
	b.add("a", "bc")
	if a.key() == b.key() {
		t.Error("two lists of values have one key")
	}
}

func TestOtherKeys(t *testing.T) {
	repo := t.TempDir()
	file := filepath.Join(repo, pythonDir, "requirements.txt")
	write(t, file, "a==1")
	one, err := venvKey(repo, "/usr/bin/python3.11")
	if err != nil {
		t.Fatal(err)
	}
	if other, _ := venvKey(repo, "/usr/bin/python3.12"); other == one {
		t.Error("the key of the environment ignores the interpreter")
	}
	write(t, file, "a==2")
	if other, _ := venvKey(repo, "/usr/bin/python3.11"); other == one {
		t.Error("the key of the environment ignores the requirements")
	}
	m := []module{{"example.com/m", "1.0.0", "h1:x"}}
	if modulesKey(m, "helm") == modulesKey(m, "helm2") || modulesKey(m, "helm") == modulesKey(append(m, m...), "helm") {
		t.Error("the key of the charts ignores helm or the modules")
	}
}

// TestTableAgainstThisRepository reads every version from the go.mod it names.
func TestTableAgainstThisRepository(t *testing.T) {
	repo, err := findRepo()
	if err != nil {
		t.Fatal(err)
	}
	p, err := readPins(repo)
	if err != nil {
		t.Fatal(err)
	}
	folders := map[string]bool{}
	for _, a := range p.all {
		if a.Program != nil {
			if _, err := parseVersion(a.Version); err != nil {
				t.Errorf("%s: %v", a.Name, err)
			}
			if a.Program.Found != nil && p.named(a.Program.Found.Beside) == nil {
				t.Errorf("%s comes with %s, which the table lacks", a.Name, a.Program.Found.Beside)
			}
			if strings.Contains(expand(a.Program.Ldflags, a.Version), "$") {
				t.Errorf("%s: the flags %q keep a variable", a.Name, a.Program.Ldflags)
			}
		}
		if folders[a.folder()] {
			t.Errorf("two artefacts in %s", a.folder())
		}
		folders[a.folder()] = true
	}
}

func TestChoose(t *testing.T) {
	p := &pins{all: []*artefact{
		{Name: "pulumi-language-go", Groups: []group{groupRun}, Program: &program{}},
		{Name: "pulumi", Groups: []group{groupRun}, Program: &program{Found: &pulumiRule}},
		{Name: helmName, Groups: []group{groupRun}, Program: &program{}},
		{Name: "gofumpt", Groups: []group{groupLint}, Program: &program{}},
		{Name: venvName, Groups: []group{groupRun, groupLint}},
		{Name: chartsName, Groups: []group{groupRun}},
		{Name: crdsName, Groups: []group{groupRun}},
	}}
	for ask, want := range map[string]string{
		"":                "pulumi-language-go pulumi helm gofumpt venv charts crds",
		"run":             "pulumi-language-go pulumi helm venv charts crds",
		"lint":            "gofumpt venv",
		"lint helm":       "helm gofumpt venv",
		"charts":          "helm charts",
		"crds":            "crds",
		"pulumi":          "pulumi-language-go pulumi",
		"venv venv":       "venv",
		"gofumpt gofumpt": "gofumpt",
	} {
		chosen, err := p.choose(strings.Fields(ask))
		if err != nil {
			t.Errorf("choose(%q): %v", ask, err)
		}
		var names []string
		for _, a := range chosen {
			names = append(names, a.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("choose(%q) = %q, want %q", ask, got, want)
		}
	}
	if _, err := p.choose([]string{"golangci"}); err == nil || !strings.Contains(err.Error(), "gofumpt") {
		t.Errorf("an unknown name gives %v, want the known ones", err)
	}
}
