package localcloud

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// tools is the folder of the programs.
type tools string

// required are the programs that a cloud runs, below the folder.
var required = []string{
	"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok",
	"venv/bin/python", "venv/bin/aws",
}

// findTools returns the given folder, or the one that AUTOSCALING_TOOLS names, if it is complete.
func findTools(dir string) (tools, error) {
	if dir == "" {
		dir = os.Getenv(ToolsVariable)
	}
	if dir == "" {
		return "", fmt.Errorf("%s is not set, it names the folder of the programs: run make tools", ToolsVariable)
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	var missing []string
	for _, name := range required {
		if _, err := os.Stat(filepath.Join(dir, name)); errors.Is(err, os.ErrNotExist) {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return "", fmt.Errorf("%s lacks %s: run make tools", dir, strings.Join(missing, ", "))
	}
	return tools(dir), nil
}

func (t tools) program(name string) string { return filepath.Join(string(t), name) }

// path is a PATH that finds the programs before anything else.
func (t tools) path() string {
	dirs := []string{string(t), t.program("venv/bin"), os.Getenv("PATH")}
	return strings.Join(dirs, string(os.PathListSeparator))
}
