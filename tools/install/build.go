package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
)

// flags are those of a program's build. Version control and, where possible,
// folders stay out of it: a binary depends on its pins and on nothing else.
func (p *program) flags() []string {
	flags := []string{"-buildvcs=false"}
	if !p.SharesCache {
		flags = append(flags, "-trimpath")
	}
	return flags
}

// goEnv keeps a go.work file of a folder above from changing the pins.
var goEnv = []string{"GOWORK=off"}

// buildProgram compiles a program into a folder.
func buildProgram(ctx context.Context, repo string, a *artefact, log *logFile, out string) error {
	p := a.Program
	dir := filepath.Join(repo, p.Dir)
	argv := append([]string{"go", "build"}, p.flags()...)
	if len(p.Embedded) > 0 {
		overlay, clean, err := makeOverlay(ctx, p, a.Version, dir, log)
		if err != nil {
			return err
		}
		defer clean()
		argv = append(argv, "-overlay", overlay)
	}
	ldflags := "-s -w"
	if more := expand(p.Ldflags, a.Version); more != "" {
		ldflags += " " + more
	}
	argv = append(argv, "-ldflags", ldflags, "-o", filepath.Join(out, a.Name), p.Pkg)
	_, err := log.run(ctx, command{dir: dir, env: goEnv, argv: argv})
	return err
}

// makeOverlay has a module's ./embed command write the files that its main
// package embeds, and lays them over the module's folder for one build.
func makeOverlay(ctx context.Context, p *program, ver, dir string, log *logFile) (file string, clean func(), err error) {
	tmp, err := os.MkdirTemp("", "embed-")
	if err != nil {
		return "", nil, err
	}
	clean = func() { _ = os.RemoveAll(tmp) }
	if _, err := log.run(ctx, command{dir: dir, env: goEnv, argv: []string{"go", "run", "./embed", ver, tmp}}); err != nil {
		clean()
		return "", nil, err
	}
	replace := map[string]string{}
	for _, name := range p.Embedded {
		replace[filepath.Join(dir, name)] = filepath.Join(tmp, name)
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err == nil {
		file = filepath.Join(tmp, "overlay.json")
		err = os.WriteFile(file, data, 0o600)
	}
	if err != nil {
		clean()
		return "", nil, err
	}
	return file, clean, nil
}

// fetchModules downloads what some packages of a module need and nothing more,
// as `go mod download` would. Whatever goes wrong, the build says better (-e).
func fetchModules(ctx context.Context, dir string, pkgs []string, log *logFile) error {
	argv := append([]string{"go", "list", "-e", "-deps", "-f", "{{.ImportPath}}"}, pkgs...)
	_, err := log.run(ctx, command{dir: dir, env: goEnv, argv: argv})
	return err
}
