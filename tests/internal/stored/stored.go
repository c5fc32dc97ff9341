// Package stored compares an object that was sent to an API server with what it
// keeps.
package stored

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// Missing returns a line for each value that was sent and is not kept as it was,
// by its path. What is kept beside them are defaults.
func Missing(path string, sent, kept any) ([]string, error) {
	var pair [2]any
	for i, v := range []any{sent, kept} { // as JSON has it: numbers are of many types otherwise
		b, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(b, &pair[i]); err != nil {
			return nil, err
		}
	}
	return missing(path, pair[0], pair[1]), nil
}

func missing(path string, sent, kept any) []string {
	m, isMap := sent.(map[string]any)
	if !isMap {
		if !reflect.DeepEqual(sent, kept) {
			return []string{fmt.Sprintf("%s was sent as %v and is stored as %v", path, sent, kept)}
		}
		return nil
	}
	found, _ := kept.(map[string]any)
	var lines []string
	for _, key := range slices.Sorted(maps.Keys(m)) {
		lines = append(lines, missing(path+"."+key, m[key], found[key])...)
	}
	return lines
}
