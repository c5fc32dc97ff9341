// Package pulumicli runs Pulumi projects with the real command line, as users
// do, in a folder of their own: home, plugins, state and configuration.
package pulumicli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// Stack is the name of the stack of every project.
const Stack = "ml-prod"

// Options describe a project.
type Options struct {
	// Work is the folder for everything that the runs write. Required.
	Work string
	// Tools is the folder of the programs and plugins. Required.
	Tools string
	// Env is the whole environment of the runs, without Pulumi's own variables.
	Env []string
	// Folder is the project's folder below the repository, "" for the stack
	// itself. The repository's product is copied, so that nothing is written
	// into the checkout.
	Folder string
	// Config is the stack's configuration, by full keys such as "aws:region".
	Config map[string]any
	// Output gets everything that the runs print. Default: nothing.
	Output io.Writer
}

// Project is a project with one stack.
type Project struct {
	options Options
	dir     string
	env     []string
}

// plugins are the programs in the folder of the tools that the engine looks for
// as installed plugins: the providers with the versions that the product's SDKs
// ask for, and the language host with any.
var plugins = map[string]string{
	"pulumi-resource-kubernetes": "resource-kubernetes-v4.25.0",
	"pulumi-resource-aws":        "resource-aws-v6.83.4",
	"pulumi-language-go":         "language-go-v3.62.0",
}

// New prepares a project, or takes up the one that the work folder holds.
func New(o Options) (*Project, error) {
	if o.Output == nil {
		o.Output = io.Discard
	}
	p := &Project{options: o, dir: filepath.Join(o.Work, "project")}
	home, state := filepath.Join(o.Work, "home"), filepath.Join(o.Work, "state")
	for _, dir := range []string{p.dir, home, state} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
	}
	if err := linkPlugins(o.Tools, home); err != nil {
		return nil, err
	}
	if err := p.writeProject(); err != nil {
		return nil, err
	}
	p.env = append(slices.DeleteFunc(slices.Clone(o.Env), isPulumi),
		"PULUMI_HOME="+home,
		"PULUMI_BACKEND_URL=file://"+state,
		"PULUMI_CONFIG_PASSPHRASE=local",
		"PULUMI_SKIP_UPDATE_CHECK=true",
		"PULUMI_IGNORE_AMBIENT_PLUGINS=true",
		"PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION=true",
		"PULUMI_DEBUG_COMMANDS=true", // has the flag --event-log
		// The language host compiles the program in the folder of the copy. Without
		// the folder in what is compiled, every copy but the first is in Go's cache.
		"GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -trimpath"),
	)
	return p, p.WriteConfig(o.Config)
}

// PluginVersion is the version of a provider plugin, "" if there is none.
func PluginVersion(name string) string {
	_, version, _ := strings.Cut(plugins["pulumi-resource-"+name], "-v")
	return version
}

func isPulumi(variable string) bool { return strings.HasPrefix(variable, "PULUMI_") }

// linkPlugins puts the plugins where the engine looks for installed ones.
func linkPlugins(tools, home string) error {
	for program, plugin := range plugins {
		source := filepath.Join(tools, program)
		if _, err := os.Stat(source); err != nil {
			return fmt.Errorf("the tools have no %s: run make tools: %w", program, err)
		}
		dir := filepath.Join(home, "plugins", plugin)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		if err := os.Symlink(source, filepath.Join(dir, program)); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
	}
	return nil
}

// writeProject copies the product and goes to the project's folder in it.
func (p *Project) writeProject() error {
	root, err := Root()
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(p.dir, "Pulumi.yaml")); errors.Is(err, os.ErrNotExist) {
		err = copyProduct(root, p.dir)
		if err != nil {
			return err
		}
	}
	p.dir = filepath.Join(p.dir, filepath.FromSlash(p.options.Folder))
	return nil
}

// Dir is the project's folder.
func (p *Project) Dir() string { return p.dir }

// ConfigFile is the path of the stack's configuration.
func (p *Project) ConfigFile() string { return filepath.Join(p.dir, "Pulumi."+Stack+".yaml") }

// WriteConfig replaces the stack's configuration and keeps what Pulumi itself
// put into the file.
func (p *Project) WriteConfig(config map[string]any) error {
	content := map[string]any{}
	if b, err := os.ReadFile(p.ConfigFile()); err == nil {
		if err := yaml.Unmarshal(b, &content); err != nil {
			return err
		}
	}
	content["config"] = config
	return writeYAML(p.ConfigFile(), content)
}

func writeYAML(path string, v any) error {
	b, err := yaml.Marshal(v)
	if err != nil {
		return err
	}
	return os.WriteFile(path, b, 0o600)
}

// Root is the folder of the repository.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "Pulumi.yaml")); err == nil {
			if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
				return dir, nil
			}
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("not inside the repository: no Pulumi.yaml beside a go.mod in any folder above")
		}
		dir = parent
	}
}

// copyProduct copies what a user's clone needs to run: the product, and no rig.
func copyProduct(root, into string) error {
	for _, name := range []string{"go.mod", "go.sum", "Pulumi.yaml"} {
		b, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(into, name), b, 0o600); err != nil {
			return err
		}
	}
	for _, name := range []string{"components", "internal", "stacks", "examples"} {
		if err := os.CopyFS(filepath.Join(into, name), os.DirFS(filepath.Join(root, name))); err != nil {
			return err
		}
	}
	return nil
}
