package components

import (
	"path/filepath"
	"strings"
)

// chartTimeout bounds the wait for what a chart installs to become ready, in
// seconds.
const chartTimeout = 600

// chartReference returns where a chart is: its OCI reference, its name in a
// repository of Helm, or the archive in a local folder.
func chartReference(registry, chart, tag string) string {
	switch {
	case strings.HasPrefix(registry, "oci://"):
		return strings.TrimSuffix(registry, "/") + "/" + chart
	case isRepository(registry):
		return chart
	}
	return filepath.Join(registry, chart+"-"+tag+".tgz")
}

// isRepository tells whether charts are in a repository of Helm.
func isRepository(registry string) bool { return strings.HasPrefix(registry, "https://") }
