package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// keyLen is how much of a hash a folder's name shows.
const keyLen = 12

// hasher makes the key of an artefact from its pins. Every value goes in with
// its length, so that no two lists of values run into the same bytes.
type hasher struct{ h hash.Hash }

func newHasher() hasher { return hasher{sha256.New()} }

func (k hasher) add(values ...string) {
	for _, v := range values {
		fmt.Fprintf(k.h, "%d:%s,", len(v), v)
	}
}

// key is the short form of what was added.
func (k hasher) key() string { return hex.EncodeToString(k.h.Sum(nil))[:keyLen] }

// tree adds every file below a module's folder that its build can depend on:
// go.mod, go.sum, sources and embedded files, by name and content. Tests,
// pages, hidden files and nested modules do not count.
func (k hasher) tree(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if path != dir && (name == "testdata" || strings.HasPrefix(name, ".") || exists(filepath.Join(path, "go.mod"))) {
				return filepath.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() || irrelevant(name) {
			return nil
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		k.add(filepath.ToSlash(rel), string(data))
		return nil
	})
}

// irrelevant says that a build cannot depend on a file of this name.
func irrelevant(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, ".md")
}

// programKey hashes the pins of one program: the Go version and platform, its
// row of the table, and its module's folder.
func programKey(repo string, p program) (string, error) {
	k := newHasher()
	k.add("program", runtime.Version(), runtime.GOOS, runtime.GOARCH, p.Name, p.Pkg, p.Ldflags)
	k.add(p.flags()...)
	k.add(p.Embedded...)
	if err := k.tree(filepath.Join(repo, p.Dir)); err != nil {
		return "", fmt.Errorf("hashing %s: %w", p.Dir, err)
	}
	return k.key(), nil
}

// venvKey hashes the pins of the virtual environment, which is tied to the
// interpreter that it was made by.
func venvKey(repo, python string) (string, error) {
	data, err := os.ReadFile(filepath.Join(repo, pythonDir, "requirements.txt"))
	if err != nil {
		return "", fmt.Errorf("hashing the Python requirements: %w", err)
	}
	k := newHasher()
	k.add("venv", runtime.GOOS, runtime.GOARCH, python, string(data))
	return k.key(), nil
}

// modulesKey hashes the pins of what is made of modules: what it is and what else
// it is made of, and the modules.
func modulesKey(modules []module, pins ...string) string {
	k := newHasher()
	k.add(pins...)
	for _, m := range modules {
		k.add(m.String(), m.Sum)
	}
	return k.key()
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
