package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// files are the documents of a stack.
type files struct {
	list []document
	// attached are the ARNs of managed policies by the role that has them.
	attached map[string][]string
}

const (
	indexName = "README.md"
	// indexTitle starts the index, by which a folder is known as one of ours.
	indexTitle = "# What the stack makes\n"
)

// write writes the documents and their index into a folder that is new, empty,
// or of an earlier run, whose files it replaces.
func (f *files) write(dir string) error {
	earlier, err := earlierFiles(dir)
	if err != nil {
		return err
	}
	for _, name := range earlier {
		if err := os.Remove(filepath.Join(dir, filepath.FromSlash(name))); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	slices.SortFunc(f.list, func(a, b document) int { return strings.Compare(a.Name, b.Name) })
	for _, d := range append(slices.Clone(f.list), document{Name: indexName, Content: f.index()}) {
		path := filepath.Join(dir, filepath.FromSlash(d.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(d.Content), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// earlierFiles returns what an earlier run wrote into a folder, and refuses a
// folder with anything of somebody else's.
func earlierFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	index, err := os.ReadFile(filepath.Join(dir, indexName))
	if err != nil || !strings.HasPrefix(string(index), indexTitle) {
		return nil, fmt.Errorf("--out: found %s with files that render did not write, allowed is a new folder or one of an earlier run: choose another", dir)
	}
	var names []string
	for line := range strings.Lines(string(index)) {
		if row, ok := strings.CutPrefix(line, "| `"); ok {
			name, _, _ := strings.Cut(row, "`")
			if filepath.IsLocal(filepath.FromSlash(name)) {
				names = append(names, name)
			}
		}
	}
	return names, nil
}

// index lists the documents.
func (f *files) index() string {
	var b strings.Builder
	b.WriteString(indexTitle + `
Every document that the stack's configuration leads to, for review before
anything is made. Sizes are in characters as IAM counts them, beside the most
that it takes. Check a file with ` + "`sha256sum`" + `.

| file | what it is | size | limit | SHA-256 |
| --- | --- | ---: | ---: | --- |
`)
	number := func(n int) string {
		if n == 0 {
			return ""
		}
		return fmt.Sprint(n)
	}
	for _, d := range f.list {
		sum := sha256.Sum256([]byte(d.Content))
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | `%s` |\n", d.Name, d.What, number(d.Size), number(d.Limit), hex.EncodeToString(sum[:]))
	}
	return b.String()
}
