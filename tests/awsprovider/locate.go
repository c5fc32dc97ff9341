package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

const (
	// tfVersion is the Terraform AWS provider that pulumi-aws v6.83 bridges.
	tfVersion = "5.100.0"

	// tfBinary is the name that Terraform's releases give to its binary.
	tfBinary = "terraform-provider-aws_v" + tfVersion + "_x5"

	// binaryVariable names the environment variable that overrides the search.
	binaryVariable = "AWSPROVIDER_TF_BINARY"

	// maxDepth bounds the search below locator.roots.
	maxDepth = 4
)

// errNotFound is the error of a search without result. A wrong value of
// AWSPROVIDER_TF_BINARY is another error.
var errNotFound = errors.New("no Terraform AWS provider " + tfVersion + " on this machine")

// locator searches for the binary of the Terraform AWS provider.
type locator struct {
	getenv func(string) string
	home   string
	target string   // operating system and architecture, as in linux_amd64
	system []string // the default of XDG_DATA_DIRS
	roots  []string // searched to maxDepth levels when no known place has it
}

func newLocator() locator {
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // The places below it are left out.
	}
	return locator{
		getenv: os.Getenv,
		home:   home,
		target: runtime.GOOS + "_" + runtime.GOARCH,
		system: []string{"/usr/local/share", "/usr/share"},
		roots:  []string{"/opt", "/usr"},
	}
}

// locate returns the path of the binary. It looks at AWSPROVIDER_TF_BINARY,
// then at the folders where Terraform itself looks, then below the roots.
func (l locator) locate() (string, error) {
	if path := l.getenv(binaryVariable); path != "" {
		if err := checkExecutable(path); err != nil {
			return "", fmt.Errorf("%s: %w", binaryVariable, err)
		}
		return path, nil
	}
	folders := l.mirrors()
	for _, folder := range folders {
		if path, ok := l.inMirror(folder); ok {
			return path, nil
		}
	}
	for _, root := range l.roots {
		if path, ok := l.below(root, maxDepth); ok {
			return path, nil
		}
	}
	return "", l.notFound(folders)
}

// mirrors lists Terraform's implied mirror folders and its plugin cache.
// https://developer.hashicorp.com/terraform/cli/config/config-file#implied-local-mirror-directories
func (l locator) mirrors() []string {
	var folders []string
	if l.home != "" {
		folders = append(folders, filepath.Join(l.home, ".terraform.d", "plugins"))
	}
	data := l.getenv("XDG_DATA_HOME")
	if data == "" && l.home != "" {
		data = filepath.Join(l.home, ".local", "share")
	}
	system := l.system
	if dirs := l.getenv("XDG_DATA_DIRS"); dirs != "" {
		system = filepath.SplitList(dirs)
	}
	for _, dir := range append([]string{data}, system...) {
		if dir != "" {
			folders = append(folders, filepath.Join(dir, "terraform", "plugins"))
		}
	}
	if cache := l.getenv("TF_PLUGIN_CACHE_DIR"); cache != "" {
		folders = append(folders, cache)
	}
	return folders
}

// relative is the place of the binary in a Terraform filesystem mirror.
func (l locator) relative() string {
	return filepath.Join("registry.terraform.io", "hashicorp", "aws", tfVersion, l.target, tfBinary)
}

func (l locator) inMirror(folder string) (string, bool) {
	path := filepath.Join(folder, l.relative())
	return path, checkExecutable(path) == nil
}

// below searches for a mirror in dir and in the folders up to depth levels
// under it, the upper levels first. It follows no symbolic link.
func (l locator) below(dir string, depth int) (string, bool) {
	level := []string{dir}
	for ; depth >= 0; depth-- {
		for _, folder := range level {
			if path, ok := l.inMirror(folder); ok {
				return path, true
			}
		}
		if depth > 0 {
			level = slices.Concat(mapEach(level, subfolders)...)
		}
	}
	return "", false
}

func mapEach[A, B any](in []A, f func(A) B) []B {
	out := make([]B, len(in))
	for i, a := range in {
		out[i] = f(a)
	}
	return out
}

// subfolders lists the folders in dir. A folder that cannot be read has none.
func subfolders(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var folders []string
	for _, e := range entries {
		if e.IsDir() {
			folders = append(folders, filepath.Join(dir, e.Name()))
		}
	}
	return folders
}

func checkExecutable(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a file", path)
	case info.Mode().Perm()&0o111 == 0:
		return fmt.Errorf("%s is not executable", path)
	}
	return nil
}

func (l locator) notFound(folders []string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "\nlooked for: %s", l.relative())
	for _, folder := range folders {
		fmt.Fprintf(&b, "\nin:         %s", folder)
	}
	for _, root := range l.roots {
		fmt.Fprintf(&b, "\nin:         %s and %d levels of folders below it", root, maxDepth)
	}
	fmt.Fprintf(&b, `
To get it, do one of these:
- Install the official Pulumi plugin, and this stand-in is not needed at all:
    pulumi plugin install resource aws v%s
- Fill a mirror with Terraform, from a configuration that requires hashicorp/aws %s:
    terraform providers mirror ~/.terraform.d/plugins
  and unpack the archive there into <version>/<os>_<arch>/.
- Set %s to the path of the binary (%s).`, sdkVersion, tfVersion, binaryVariable, tfBinary)
	return fmt.Errorf("%w%s", errNotFound, b.String())
}
