package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"gopkg.in/yaml.v3"
)

// Project is the name of the Pulumi project, which starts every key.
const Project = "kubernetes-autoscaling"

// ReadStack reads the configuration of a stack from its file,
// Pulumi.STACK.yaml, without an engine. It also returns the stack's name.
func ReadStack(path string) (*Config, string, error) {
	stack := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), "Pulumi."), ".yaml")
	var file struct {
		Config map[string]any `yaml:"config"`
	}
	if err := readYAML(path, &file); err != nil {
		return nil, "", err
	}
	values := map[string]string{}
	var errs []error
	for key, value := range file.Config {
		text, err := asEngine(value)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", key, err))
		}
		values[key] = text
	}
	if err := errors.Join(errs...); err != nil {
		return nil, "", fmt.Errorf("%s: %w", path, err)
	}
	c, err := parse(Project, values)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", path, err)
	}
	return c, stack, nil
}

// ReadRegion reads aws:region from a stack's file, empty if it is not there.
func ReadRegion(path string) (string, error) {
	var file struct {
		Config struct {
			Region string `yaml:"aws:region"`
		} `yaml:"config"`
	}
	err := readYAML(path, &file)
	return file.Config.Region, err
}

// asEngine writes a value as the engine passes it to a program: a text as it
// is, everything else as JSON.
func asEngine(value any) (string, error) {
	if m, ok := value.(map[string]any); ok && len(m) == 1 && m["secure"] != nil {
		return "", errors.New("found a secret, which only the engine can read: write it in the clear in a copy of the file")
	}
	if s, ok := value.(string); ok {
		return s, nil
	}
	b, err := json.Marshal(value)
	return string(b), err
}

// ReadFile decodes a file of YAML or JSON into the struct behind into, by its
// JSON names. A key that is no field is an error with the nearest known one.
func ReadFile(path string, into any) error {
	var tree any
	if err := readYAML(path, &tree); err != nil {
		return err
	}
	b, err := json.Marshal(tree)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := decodeField(path, string(b), reflect.ValueOf(into).Elem()); err != nil {
		return err
	}
	return nil
}

func readYAML(path string, into any) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := yaml.Unmarshal(b, into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
