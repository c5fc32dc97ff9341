package localcloud

import (
	"fmt"
	"os"
	"path/filepath"
)

// Program is a program that uses the cloud and lives as long as it does.
type Program struct {
	// Name is that of its log, and of its part in Status.
	Name string
	// Path of the program. Default: the program of that name in the folder of the programs.
	Path string
	Args []string
	// Env is added to Env of the cloud, and wins over it.
	Env []string
}

// Run starts a program as a further part of the cloud: Stop ends it, also when this process is
// killed, and its own end is reported by Done and Err. It does not wait for the program to work.
func (c *Cloud) Run(p Program) error {
	if p.Path == "" {
		p.Path = c.tools.program(p.Name)
	}
	path, err := filepath.Abs(p.Path)
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		return fmt.Errorf("the program %s is missing, run make tools: %w", p.Name, err)
	}
	return c.startPart(part{
		name:    p.Name,
		program: path,
		args:    func(int) []string { return p.Args },
		env:     append(c.Env(), p.Env...),
	}, 0)
}
