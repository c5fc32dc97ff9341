package main

import (
	"archive/zip"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// testRepo is a checkout with one module of two programs, one of which embeds
// a file that only its build has, and one that does not compile.
func testRepo(t *testing.T) string {
	repo := t.TempDir()
	write(t, filepath.Join(repo, "m/go.mod"), "module example.com/m\n\ngo 1.26.0\n")
	write(t, filepath.Join(repo, "m/good/main.go"), `package main
import (_ "embed"; "fmt")
//go:embed data.txt
var data string
var version string
func main() { fmt.Print(version, " ", data) }
`)
	write(t, filepath.Join(repo, "m/bad/main.go"), "package main\nfunc main() { undefined() }\n")
	write(t, filepath.Join(repo, "m/embed/main.go"), `package main
import ("os"; "path/filepath")
func main() {
	dir := filepath.Join(os.Args[2], "good")
	if err := os.MkdirAll(dir, 0o700); err != nil { panic(err) }
	if err := os.WriteFile(filepath.Join(dir, "data.txt"), []byte("embedded "+os.Args[1]), 0o600); err != nil { panic(err) }
}
`)
	return repo
}

func testInstaller(t *testing.T, repo string) (*installer, []*artefact) {
	good := &artefact{Name: "good", Version: "1.2.3", Key: "g", Proof: "good", Link: "good", Program: &program{
		Name: "good", Dir: "m", Pkg: "./good", Ldflags: "-X main.version=v${version}",
	}}
	bad := &artefact{Name: "bad", Version: "1.0.0", Key: "b", Proof: "bad", Link: "bad", Program: &program{
		Name: "bad", Dir: "m", Pkg: "./bad",
	}}
	p := &pins{all: []*artefact{bad, good}, key: "k"}
	return &installer{repo: repo, store: testStore(t), pins: p}, p.all
}

// TestInstall builds for real: one program fails, the other is there and linked.
func TestInstall(t *testing.T) {
	repo := testRepo(t)
	write(t, filepath.Join(repo, "m/good/data.txt"), "plain")
	in, all := testInstaller(t, repo)
	err := in.install(context.Background(), all, true)
	if err == nil || !strings.Contains(err.Error(), "1 of 2 could not be made") {
		t.Errorf("install = %v", err)
	}
	out, err := exec.Command(filepath.Join(in.store.bin("k"), "good")).Output()
	if err != nil || string(out) != "v1.2.3 plain" {
		t.Errorf("the program printed %q, %v", out, err)
	}
	if exists(filepath.Join(in.store.bin("k"), "bad")) {
		t.Error("a failed program is linked")
	}
	log, err := os.ReadFile(in.store.log(all[0]))
	if err != nil || !strings.Contains(string(log), "undefined") {
		t.Errorf("the log of the failed build holds %q, %v", log, err)
	}
	if tasks, n := in.plan(all); n != 1 || len(tasks) != 2 {
		t.Errorf("%d artefacts and %d tasks are left, want 1 and 2", n, len(tasks))
	}
}

// TestBuildWithOverlay embeds a generated file that never lies in the checkout.
func TestBuildWithOverlay(t *testing.T) {
	repo, out := testRepo(t), t.TempDir()
	a := &artefact{Name: "good", Version: "1.2.3", Program: &program{Dir: "m", Pkg: "./good", Embedded: []string{"good/data.txt"}}}
	if err := buildProgram(context.Background(), repo, a, testLog(t), out); err != nil {
		t.Fatal(err)
	}
	got, err := exec.Command(filepath.Join(out, "good")).Output()
	if err != nil || string(got) != " embedded 1.2.3" {
		t.Errorf("the program printed %q, %v", got, err)
	}
	if exists(filepath.Join(repo, "m/good/data.txt")) {
		t.Error("the generated file lies in the checkout")
	}
}

// TestRelocate moves a made-up environment.
func TestRelocate(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "venv.tmp-1"), filepath.Join(dir, "venv")
	write(t, filepath.Join(from, "bin/aws"), "#!"+from+"/bin/python\n")
	write(t, filepath.Join(from, "bin/ruff"), "\x7fELF\x00"+from)
	write(t, filepath.Join(from, "pyvenv.cfg"), "command = python -m venv "+from)
	if err := os.Symlink("/bin/sh", filepath.Join(from, "bin/python")); err != nil {
		t.Fatal(err)
	}
	if err := relocate(from, from, to); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		"bin/aws": "#!" + to + "/bin/python\n", "bin/ruff": "\x7fELF\x00" + from, "pyvenv.cfg": "command = python -m venv " + to,
	} {
		if got, err := os.ReadFile(filepath.Join(from, file)); err != nil || string(got) != want {
			t.Errorf("%s = %q, %v; want %q", file, got, err, want)
		}
	}
	if info, err := os.Stat(filepath.Join(from, "bin/aws")); err != nil || info.Mode()&0o111 == 0 {
		t.Errorf("the script lost its mode: %v, %v", info, err)
	}
}

// TestVenvExplains uses fake interpreters that fail as the check says.
func TestVenvExplains(t *testing.T) {
	for code, want := range map[string]string{"3": "install Python " + pythonMin, "4": "python3-venv", "1": "exit status 1"} {
		bin := t.TempDir()
		write(t, filepath.Join(bin, "python3"), "#!/bin/sh\nexit "+code+"\n")
		t.Setenv("PATH", bin)
		err := buildVenv(context.Background(), t.TempDir(), testLog(t), t.TempDir(), "x")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("exit %s: %v, want %q", code, err, want)
		}
	}
	t.Setenv("PATH", t.TempDir())
	if err := buildVenv(context.Background(), "", testLog(t), "", ""); err == nil || !strings.Contains(err.Error(), "not on PATH") {
		t.Errorf("without python3: %v", err)
	}
}

func TestUnzip(t *testing.T) {
	archive := testZip(t, "m@v1/charts/a/Chart.yaml", "m@v1/charts/a/templates/x.yaml", "m@v1/charts/ab/Chart.yaml", "m@v1/charts/a/../../../evil")
	dir := filepath.Join(t.TempDir(), "one", "two")
	if err := unzip(archive, "m@v1/charts/a/", dir); err != nil {
		t.Fatal(err)
	}
	var got []string
	_ = filepath.WalkDir(filepath.Dir(filepath.Dir(dir)), func(path string, d os.DirEntry, _ error) error {
		if !d.IsDir() {
			got = append(got, d.Name())
		}
		return nil
	})
	if strings.Join(got, " ") != "Chart.yaml x.yaml" {
		t.Errorf("unpacked %v", got)
	}
	if err := unzip(archive, "m@v2/", t.TempDir()); err == nil {
		t.Error("nothing to unpack is no error")
	}
}

// testZip makes a zip with files of some names.
func testZip(t *testing.T, names ...string) string {
	t.Helper()
	archive := filepath.Join(t.TempDir(), "m.zip")
	f, err := os.Create(archive)
	if err != nil {
		t.Fatal(err)
	}
	w := zip.NewWriter(f)
	for _, name := range names {
		part, err := w.Create(name)
		if err == nil {
			_, err = io.WriteString(part, name)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	return archive
}
