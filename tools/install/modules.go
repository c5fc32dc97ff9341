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

// downloads are the tasks that download modules.
type downloads map[module]*task

// planModules has the task of an artefact wait for some modules. Each is
// downloaded once, whatever is made of it.
func (in *installer) planModules(a *artefact, t *task, modules []module, have downloads, tasks *[]*task) {
	for _, m := range modules {
		if have[m] == nil {
			name := filepath.Base(m.Path) + " " + m.Version
			fetch := &task{name: "files of " + name, lane: laneFetch, helper: true}
			fetch.run = func(ctx context.Context) (outcome, error) {
				log, err := openLog(in.store.log(a) + "." + strings.ReplaceAll(name, " ", "-"))
				if err != nil {
					return built, err
				}
				defer log.close()
				fetch.result, err = fetchZip(ctx, m, log)
				return built, err
			}
			have[m] = fetch
			*tasks = append(*tasks, fetch)
		}
		t.needs = append(t.needs, have[m])
	}
}

// zip is the downloaded file of a module, once the task has run.
func (d downloads) zip(m module) string { return d[m].result }

// fetchZip downloads a module and returns its zip. Some ask for a newer Go; the
// command then fails after it has downloaded and verified the zip, and only its
// files are wanted here.
func fetchZip(ctx context.Context, m module, log *logFile) (string, error) {
	dir, err := os.MkdirTemp("", "module-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module files\n\ngo 1.24\n"), 0o600); err != nil {
		return "", err
	}
	out, runErr := log.run(ctx, command{
		dir: dir, env: append([]string{"GOFLAGS=-mod=mod", "GOTOOLCHAIN=local"}, goEnv...),
		argv: []string{"go", "mod", "download", "-json", m.String()},
	})
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	var got struct{ Zip, Sum, Error string }
	if err := json.Unmarshal(out, &got); err != nil || got.Zip == "" {
		if runErr != nil {
			return "", runErr
		}
		return "", fmt.Errorf("go mod download printed no zip of %s: %w", m, err)
	}
	if got.Sum != m.Sum {
		return "", fmt.Errorf("%s has the checksum %s, the pin is %s", m, got.Sum, m.Sum)
	}
	return got.Zip, nil
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
