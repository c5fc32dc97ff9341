package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// artefact is one thing in the cache: a program, the Python environment, the
// charts, or the definitions.
type artefact struct {
	Name    string
	Version string // empty when it has none of its own
	Key     string
	Groups  []group
	Proof   string // a path in its folder that shows that it is complete
	Link    string // what the link in the bin folder points at, "." for the folder

	Program *program // nil for the venv, the charts and the definitions
}

const (
	venvName   = "venv"
	chartsName = "charts"
	crdsName   = "crds"
	helmName   = "helm"
)

// String is what progress lines call it.
func (a *artefact) String() string {
	if a.Version == "" {
		return a.Name
	}
	return a.Name + " " + a.Version
}

// folder is its name in the cache.
func (a *artefact) folder() string {
	parts := []string{a.Name, a.Version, a.Key}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "-")
}

// pins are all artefacts at the versions of one checkout, and the key of their
// bin folder.
type pins struct {
	all []*artefact
	key string
}

// readPins reads the versions and hashes the pins of everything in the table.
func readPins(repo string) (*pins, error) {
	p := &pins{}
	helmKey := ""
	for i := range programs {
		prog := &programs[i]
		version, err := required(filepath.Join(repo, prog.Dir, "go.mod"), prog.Module)
		if err != nil {
			return nil, fmt.Errorf("reading the version of %s: %w", prog.Name, err)
		}
		key, err := programKey(repo, *prog)
		if err != nil {
			return nil, err
		}
		if prog.Name == helmName {
			helmKey = key
		}
		p.all = append(p.all, &artefact{
			Name: prog.Name, Version: version, Key: key, Groups: []group{prog.Group},
			Proof: prog.Name, Link: prog.Name, Program: prog,
		})
	}
	key, err := venvKey(repo, pythonPath())
	if err != nil {
		return nil, err
	}
	chartPins := []string{chartsName, helmKey}
	for _, c := range charts {
		chartPins = append(chartPins, c.Name, c.Dir)
	}
	last := karpenterReleases[len(karpenterReleases)-1].Version
	p.all = append(
		p.all,
		&artefact{Name: venvName, Key: key, Groups: []group{groupRun, groupLint}, Proof: "bin/python", Link: "."},
		&artefact{
			Name: chartsName, Groups: []group{groupRun},
			Key:   modulesKey(modulesOf(charts), chartPins...),
			Proof: charts[len(charts)-1].file(), Link: ".",
		},
		&artefact{
			Name: crdsName, Groups: []group{groupRun},
			Key:   modulesKey(karpenterReleases, crdsName, crdsDir),
			Proof: filepath.Join(last, crdFiles[len(crdFiles)-1]), Link: ".",
		},
	)
	k := newHasher()
	for _, a := range p.all {
		k.add(a.Name, a.Version, a.Key)
	}
	p.key = k.key()
	return p, nil
}

// folders names the folders of the cache that the pins need.
func (p *pins) folders(s store) map[string]bool {
	keep := map[string]bool{filepath.Base(s.bin(p.key)): true}
	for _, a := range p.all {
		keep[a.folder()] = true
	}
	return keep
}

// pythonPath is the interpreter that makes the environment, or "" without one:
// printing the bin folder must work before Python is there.
func pythonPath() string {
	path, err := exec.LookPath("python3")
	if err != nil {
		return ""
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// named finds an artefact.
func (p *pins) named(name string) *artefact {
	for _, a := range p.all {
		if a.Name == name {
			return a
		}
	}
	return nil
}

// choose returns the artefacts that the names ask for: names of artefacts or
// of groups, none for all. What a chosen one needs comes along.
func (p *pins) choose(names []string) ([]*artefact, error) {
	if len(names) == 0 {
		return p.all, nil
	}
	want := map[string]bool{}
	for _, name := range names {
		known := false
		for _, a := range p.all {
			if a.Name == name || slices.Contains(a.Groups, group(name)) {
				want[a.Name] = true
				known = true
			}
		}
		if !known {
			return nil, fmt.Errorf("nothing is called %q; there are %s, and the groups %s and %s", name, p.names(), groupRun, groupLint)
		}
	}
	p.addNeeds(want)
	var chosen []*artefact
	for _, a := range p.all {
		if want[a.Name] {
			chosen = append(chosen, a)
		}
	}
	return chosen, nil
}

// addNeeds adds helm for the charts, and what a program must have beside it.
func (p *pins) addNeeds(want map[string]bool) {
	if want[chartsName] {
		want[helmName] = true
	}
	for _, a := range p.all {
		if want[a.Name] && a.Program != nil && a.Program.Found != nil {
			want[a.Program.Found.Beside] = true
		}
	}
}

func (p *pins) names() string {
	names := make([]string, 0, len(p.all))
	for _, a := range p.all {
		names = append(names, a.Name)
	}
	return strings.Join(names, ", ")
}
