package main

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// version is MAJOR.MINOR.PATCH. What follows a "-" or "+" is not compared: a
// development build of a release counts as that release.
type version [3]int

var versionForm = regexp.MustCompile(`^v?(\d+)\.(\d+)(?:\.(\d+))?(?:[-+].*)?$`)

// parseVersion reads a version with or without a leading v; a missing patch is 0.
func parseVersion(s string) (version, error) {
	m := versionForm.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return version{}, fmt.Errorf("%q is not a version", strings.TrimSpace(s))
	}
	var v version
	for i, part := range m[1:] {
		if part == "" {
			continue
		}
		n, err := strconv.Atoi(part)
		if err != nil {
			return version{}, fmt.Errorf("%q is not a version: %w", s, err)
		}
		v[i] = n
	}
	return v, nil
}

// less orders versions.
func (v version) less(o version) bool {
	for i := range v {
		if v[i] != o[i] {
			return v[i] < o[i]
		}
	}
	return false
}

// allows says whether the rule takes a version: Min <= s < Below.
func (r *foundRule) allows(s string) (bool, error) {
	v, err := parseVersion(s)
	if err != nil {
		return false, err
	}
	low, err := parseVersion(r.Min)
	if err != nil {
		return false, err
	}
	high, err := parseVersion(r.Below)
	if err != nil {
		return false, err
	}
	return !v.less(low) && v.less(high), nil
}

// required returns the version, without its v, that a go.mod requires of a
// module.
func required(goMod, module string) (string, error) {
	data, err := os.ReadFile(goMod)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(data)) {
		line, _, _ = strings.Cut(line, "//")
		fields := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "require "))
		// A replacement has four or five fields, so that it never matches.
		if len(fields) == 2 && fields[0] == module && strings.HasPrefix(fields[1], "v") {
			return fields[1][1:], nil
		}
	}
	return "", fmt.Errorf("%s does not require %s", goMod, module)
}

// expand fills the version into linker flags.
func expand(flags, ver string) string {
	if flags == "" {
		return ""
	}
	parts := strings.SplitN(ver, ".", 3)
	return os.Expand(flags, func(name string) string {
		switch {
		case name == "version":
			return ver
		case name == "major":
			return parts[0]
		case name == "minor" && len(parts) > 1:
			return parts[1]
		}
		return ""
	})
}
