package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// found is an installed program that is used instead of ours.
type found struct {
	Path    string
	Version string
	// With holds programs that come with it, by name.
	With map[string]string
}

// machine is where installed programs are looked for.
type machine struct {
	Path       string // a PATH
	PulumiHome string
	// Ours is the cache: a link into it on PATH is not an installed program.
	Ours string
	// VersionOf asks a program for its version.
	VersionOf func(ctx context.Context, path string) (string, error)
}

// thisMachine reads the environment.
func thisMachine(s store) machine {
	home := os.Getenv("PULUMI_HOME")
	if home == "" {
		if user, err := os.UserHomeDir(); err == nil {
			home = filepath.Join(user, ".pulumi")
		}
	}
	return machine{Path: os.Getenv("PATH"), PulumiHome: home, Ours: s.root, VersionOf: askVersion}
}

// askVersion runs `PROGRAM version`.
func askVersion(ctx context.Context, path string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "version")
	cmd.Env = append(os.Environ(), "PULUMI_SKIP_UPDATE_CHECK=true")
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("asking %s for its version: %w", path, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// lookUp finds an executable file on PATH that is not one of ours.
func (m machine) lookUp(name string, first ...string) string {
	for _, dir := range append(first, filepath.SplitList(m.Path)...) {
		if !filepath.IsAbs(dir) {
			continue // a relative entry means another program in each folder
		}
		path := filepath.Join(dir, name)
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
			continue
		}
		if real, err := filepath.EvalSymlinks(path); err != nil || within(m.Ours, real) {
			continue
		}
		return path
	}
	return ""
}

// within says whether a path lies in a folder, links resolved.
func within(dir, path string) bool {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// find looks for an installed program that is as good as the artefact. The
// note says why one that is there is not used.
func (m machine) find(ctx context.Context, a *artefact) (f *found, note string) {
	switch {
	case a.Program == nil:
		return nil, ""
	case a.Program.Plugin != "":
		return m.findPlugin(a), ""
	case a.Program.Found != nil:
		return m.findProgram(ctx, a)
	}
	return nil, ""
}

// findPlugin looks into Pulumi's plugin folder for exactly the pinned version.
func (m machine) findPlugin(a *artefact) *found {
	path := filepath.Join(m.PulumiHome, "plugins", a.Program.Plugin+"-v"+a.Version, a.Name)
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
		return nil
	}
	return &found{Path: path, Version: a.Version}
}

// findProgram applies the rule of a program to the one on PATH.
func (m machine) findProgram(ctx context.Context, a *artefact) (*found, string) {
	rule := a.Program.Found
	path := m.lookUp(a.Name)
	if path == "" {
		return nil, ""
	}
	ver, err := m.VersionOf(ctx, path)
	if err != nil {
		return nil, fmt.Sprintf("%s is not used: %v", path, err)
	}
	ver = strings.TrimPrefix(ver, "v")
	ok, err := rule.allows(ver)
	if err != nil {
		return nil, fmt.Sprintf("%s is not used: %v", path, err)
	}
	if !ok {
		return nil, fmt.Sprintf("%s is not used: it is %s, outside >= %s and < %s (%s)", path, ver, rule.Min, rule.Below, rule.Why)
	}
	f := &found{Path: path, Version: ver, With: map[string]string{}}
	if rule.Beside != "" {
		beside := m.lookUp(rule.Beside, filepath.Dir(path))
		if beside == "" {
			return nil, fmt.Sprintf("%s is not used: %s is neither beside it nor on PATH", path, rule.Beside)
		}
		f.With[rule.Beside] = beside
	}
	return f, ""
}

// findAll maps the names of chosen artefacts to installed programs.
func (m machine) findAll(ctx context.Context, chosen []*artefact, note func(string)) map[string]*found {
	all := map[string]*found{}
	for _, a := range chosen {
		f, why := m.find(ctx, a)
		if why != "" {
			note(why)
		}
		if f == nil {
			continue
		}
		all[a.Name] = f
		for name, path := range f.With {
			all[name] = &found{Path: path, Version: "of " + a.Name}
		}
	}
	return all
}
