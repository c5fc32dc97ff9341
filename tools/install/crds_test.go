package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestExtractCRDs takes the definitions out of made-up modules.
func TestExtractCRDs(t *testing.T) {
	have := downloads{}
	for _, r := range karpenterReleases {
		root := r.String() + "/"
		files := []string{root + "go.mod", root + crdsDir + "more.yaml"}
		for _, name := range crdFiles {
			files = append(files, root+crdsDir+name)
		}
		have[r] = &task{result: testZip(t, files...)}
	}
	out := t.TempDir()
	if err := extractCRDs(have, out); err != nil {
		t.Fatal(err)
	}
	for _, r := range karpenterReleases {
		for _, name := range append([]string{"more.yaml"}, crdFiles...) {
			if !exists(filepath.Join(out, r.Version, name)) {
				t.Errorf("%s of %s is not there", name, r.Version)
			}
		}
	}

	first := karpenterReleases[0]
	have[first].result = testZip(t, first.String()+"/"+crdsDir+crdFiles[0])
	if err := extractCRDs(have, t.TempDir()); err == nil || !strings.Contains(err.Error(), first.Version+" has no "+crdFiles[1]) {
		t.Errorf("a release without a definition gives %v", err)
	}
}

// TestModulesOnce: charts and definitions share the downloads.
func TestModulesOnce(t *testing.T) {
	repo, err := findRepo()
	if err != nil {
		t.Fatal(err)
	}
	p, err := readPins(repo)
	if err != nil {
		t.Fatal(err)
	}
	in := &installer{repo: repo, store: testStore(t), pins: p}
	tasks, n := in.plan([]*artefact{p.named(chartsName), p.named(crdsName)})
	if want := len(modulesOf(charts)) + 2; n != 2 || len(tasks) != want {
		t.Errorf("%d artefacts and %d tasks, want 2 and %d", n, len(tasks), want)
	}
	for _, task := range tasks {
		want := map[string]int{chartsName: len(modulesOf(charts)), crdsName: len(karpenterReleases)}[task.name]
		if len(task.needs) != want {
			t.Errorf("%s waits for %d tasks, want %d", task.name, len(task.needs), want)
		}
	}
}
