package main

import (
	"fmt"
	"path/filepath"
)

// crdsDir is where the module of Karpenter has its definitions.
const crdsDir = "pkg/apis/crds/"

// extractCRDs writes the definitions of every release in the table into a
// folder of its version.
func extractCRDs(have downloads, out string) error {
	for _, r := range karpenterReleases {
		dir := filepath.Join(out, r.Version)
		if err := unzip(have.zip(r), r.String()+"/"+crdsDir, dir); err != nil {
			return fmt.Errorf("unpacking the definitions of %s: %w", r.Version, err)
		}
		for _, name := range crdFiles {
			if !exists(filepath.Join(dir, name)) {
				return fmt.Errorf("release %s has no %s", r.Version, name)
			}
		}
	}
	return nil
}
