// Package crds checks objects against the definitions of one release of
// Karpenter, as an API server that has them installed would, without one.
package crds

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

// Set is the definitions of one release, in every version that they serve. It
// may be used by several goroutines at once.
type Set struct {
	versions map[schema.GroupVersionKind]*version
}

// Open reads the definitions in a folder: those of one release lie in crds and
// its version, below the folder of the tools.
func Open(dir string) (*Set, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		return nil, err
	}
	s := &Set{versions: map[schema.GroupVersionKind]*version{}}
	for _, file := range files {
		if err := s.add(file); err != nil {
			return nil, fmt.Errorf("reading the definition %s: %w", file, err)
		}
	}
	if len(s.versions) == 0 {
		return nil, fmt.Errorf("there are no definitions in %s", dir)
	}
	return s, nil
}

// add takes every served version of one file's definition.
func (s *Set) add(file string) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var crd apiextensions.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(b, &crd); err != nil {
		return err
	}
	if crd.Kind != "CustomResourceDefinition" || len(crd.Spec.Versions) == 0 {
		return errors.New("it is no CustomResourceDefinition")
	}
	for _, v := range crd.Spec.Versions {
		if !v.Served {
			continue
		}
		made, err := newVersion(&crd.Spec, v)
		if err != nil {
			return fmt.Errorf("version %s: %w", v.Name, err)
		}
		s.versions[schema.GroupVersionKind{Group: crd.Spec.Group, Version: v.Name, Kind: crd.Spec.Names.Kind}] = made
	}
	return nil
}

// Serves tells whether objects of this kind can be written in this version, as
// in "karpenter.sh/v1" and "NodePool".
func (s *Set) Serves(apiVersion, kind string) bool {
	return s.versions[schema.FromAPIVersionAndKind(apiVersion, kind)] != nil
}
