package release

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// version is a Karpenter version.
type version struct{ major, minor, patch int }

func parse(s string) (version, error) {
	var v version
	parts := strings.Split(strings.TrimPrefix(s, "v"), ".")
	fields := []*int{&v.major, &v.minor, &v.patch}
	if len(parts) != len(fields) {
		return v, notAVersion(s)
	}
	for i, p := range parts {
		n, err := strconv.ParseUint(p, 10, 16)
		if err != nil {
			return v, notAVersion(s)
		}
		*fields[i] = int(n)
	}
	return v, nil
}

func notAVersion(s string) error {
	return fmt.Errorf("%q is not a Karpenter version: write all three numbers, such as %q", s, Newest)
}

func (v version) compare(w version) int {
	return cmp.Or(cmp.Compare(v.major, w.major), cmp.Compare(v.minor, w.minor), cmp.Compare(v.patch, w.patch))
}

func (v version) sameMinor(w version) bool { return v.major == w.major && v.minor == w.minor }

func (v version) String() string { return fmt.Sprintf("%d.%d.%d", v.major, v.minor, v.patch) }

func (v version) minorString() string { return fmt.Sprintf("%d.%d", v.major, v.minor) }

// kubernetesMinor returns 34 for "1.34", "v1.34.4" and "1.34+".
func kubernetesMinor(s string) (int, error) {
	parts := strings.Split(strings.TrimPrefix(s, "v"), ".")
	if len(parts) >= 2 && parts[0] == "1" {
		if n, err := strconv.Atoi(strings.TrimSuffix(parts[1], "+")); err == nil && n >= 0 {
			return n, nil
		}
	}
	return 0, fmt.Errorf("%q is not a Kubernetes version: write it as \"1.34\"", s)
}
