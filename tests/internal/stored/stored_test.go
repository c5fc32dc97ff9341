package stored

import (
	"slices"
	"testing"
)

func TestMissing(t *testing.T) {
	sent := map[string]any{"a": 1, "b": map[string]any{"c": []any{"x"}, "d": true}}
	kept := map[string]any{"a": int64(1), "b": map[string]any{"c": []any{"x", "y"}}, "default": "z"}
	got, err := Missing("spec", sent, kept)
	want := []string{"spec.b.c was sent as [x] and is stored as [x y]", "spec.b.d was sent as true and is stored as <nil>"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
}
