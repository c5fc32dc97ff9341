package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// venvCheck exits 3 when Python is too old and 4 when it cannot make virtual
// environments.
const venvCheck = `import sys
if sys.version_info[:2] < (%s): sys.exit(3)
try:
    import ensurepip, venv
except ImportError:
    sys.exit(4)
`

// buildVenv makes the Python environment in tmp, ready to be moved to final.
func buildVenv(ctx context.Context, repo string, log *logFile, tmp, final string) error {
	python, err := exec.LookPath("python3")
	if err != nil {
		return fmt.Errorf("python3 is not on PATH: install Python %s or newer", pythonMin)
	}
	check := fmt.Sprintf(venvCheck, strings.ReplaceAll(pythonMin, ".", ", "))
	if _, err := log.run(ctx, command{argv: []string{python, "-c", check}}); err != nil {
		return explainPython(python, err)
	}
	if _, err := log.run(ctx, command{argv: []string{python, "-m", "venv", tmp}}); err != nil {
		return err
	}
	// PIP_USER: a user's pip.conf may ask for what an environment refuses.
	_, err = log.run(ctx, command{env: []string{"PIP_USER=0", "PIP_DISABLE_PIP_VERSION_CHECK=1", "PIP_NO_INPUT=1"}, argv: []string{
		filepath.Join(tmp, "bin", "python"), "-m", "pip", "install", "--quiet",
		"--require-hashes", "--only-binary", ":all:",
		"-r", filepath.Join(repo, pythonDir, "requirements.txt"),
	}})
	if err != nil {
		return err
	}
	return relocate(tmp, tmp, final)
}

// explainPython turns the exit codes of venvCheck into what to do.
func explainPython(python string, err error) error {
	var code int
	if exit, ok := asExit(err); ok {
		code = exit.ExitCode()
	}
	switch code {
	case 3:
		return fmt.Errorf("%s is too old: install Python %s or newer", python, pythonMin)
	case 4:
		return fmt.Errorf("%s cannot make virtual environments: install its venv package (Debian and Ubuntu: apt-get install python3-venv)", python)
	}
	return err
}

// relocate rewrites the folder that an environment's scripts and settings name.
func relocate(venv, from, to string) error {
	files, err := filepath.Glob(filepath.Join(venv, "bin", "*"))
	if err != nil {
		return err
	}
	for _, path := range append(files, filepath.Join(venv, "pyvenv.cfg")) {
		info, err := os.Lstat(path)
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			continue
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if bytes.IndexByte(data, 0) >= 0 { // a program, not a script
			continue
		}
		moved := bytes.ReplaceAll(data, []byte(from), []byte(to))
		if bytes.Equal(moved, data) {
			continue
		}
		if err := os.WriteFile(path, moved, info.Mode().Perm()); err != nil {
			return err
		}
	}
	return nil
}
