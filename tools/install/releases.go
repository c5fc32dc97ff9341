package main

import (
	"archive/zip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// downloads are the tasks that download releases of Karpenter, by version.
type downloads map[string]*task

// planReleases has the task of an artefact wait for some releases. Each is
// downloaded once, whatever is made of it.
func (in *installer) planReleases(a *artefact, t *task, releases []karpenterRelease, have downloads, tasks *[]*task) {
	for _, r := range releases {
		if have[r.Version] == nil {
			fetch := &task{name: "files of Karpenter " + r.Version, lane: laneFetch, helper: true}
			fetch.run = func(ctx context.Context) (outcome, error) {
				log, err := openLog(in.store.log(a) + "." + r.Version)
				if err != nil {
					return built, err
				}
				defer log.close()
				fetch.result, err = fetchRelease(ctx, r, log)
				return built, err
			}
			have[r.Version] = fetch
			*tasks = append(*tasks, fetch)
		}
		t.needs = append(t.needs, have[r.Version])
	}
}

// zip is the downloaded file of a release, once the task has run.
func (d downloads) zip(r karpenterRelease) string { return d[r.Version].result }

// fetchRelease downloads the module of one Karpenter release and returns its
// zip. Newer releases ask for a newer Go; the command then fails after it has
// downloaded and verified the zip, and only its files are wanted here.
func fetchRelease(ctx context.Context, r karpenterRelease, log *logFile) (string, error) {
	dir, err := os.MkdirTemp("", "karpenter-module-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module karpenter\n\ngo 1.24\n"), 0o600); err != nil {
		return "", err
	}
	out, runErr := log.run(ctx, command{
		dir: dir, env: append([]string{"GOFLAGS=-mod=mod", "GOTOOLCHAIN=local"}, goEnv...),
		argv: []string{"go", "mod", "download", "-json", karpenterModule + "@v" + r.Version},
	})
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	var module struct{ Zip, Sum, Error string }
	if err := json.Unmarshal(out, &module); err != nil || module.Zip == "" {
		if runErr != nil {
			return "", runErr
		}
		return "", fmt.Errorf("go mod download printed no zip of %s %s: %w", karpenterModule, r.Version, err)
	}
	if module.Sum != r.Sum {
		return "", fmt.Errorf("%s %s has the checksum %s, the pin is %s", karpenterModule, r.Version, module.Sum, r.Sum)
	}
	return module.Zip, nil
}

// unzip writes the files below a prefix of a zip into a folder.
func unzip(archive, prefix, dir string) error {
	r, err := zip.OpenReader(archive)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	n := 0
	for _, f := range r.File {
		rel, ok := strings.CutPrefix(f.Name, prefix)
		if !ok || !filepath.IsLocal(rel) {
			continue
		}
		if err := unzipFile(f, filepath.Join(dir, filepath.FromSlash(rel))); err != nil {
			return err
		}
		n++
	}
	if n == 0 {
		return fmt.Errorf("%s has no files below %s", filepath.Base(archive), prefix)
	}
	return nil
}

func unzipFile(f *zip.File, path string) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	in, err := f.Open()
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	_, err = io.Copy(out, in)
	return err
}
