package crds

import (
	"encoding/json"
	"fmt"
	"slices"

	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kjson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Result is what an API server makes of an object.
type Result struct {
	// Refused is why it does not take the object, in its words. Empty if it does.
	Refused []string
	// Pruned are the paths of fields that it drops without a word, sorted.
	Pruned []string
	// Stored is what it keeps of the object, with defaults; nil if it is refused.
	Stored map[string]any
}

// Check returns what becomes of an object that is created, or written in place
// of an old one if there is one. Both stay as they are.
func (s *Set) Check(object, old map[string]any) Result {
	plain, v, err := s.find(object)
	if err != nil {
		return refused(err)
	}
	stored, meta, pruned, err := v.decode(plain)
	if err != nil {
		return refused(err)
	}
	if old == nil {
		pruned = append(pruned, v.keepStatus(stored, nil)...)
		return result(stored, pruned, v.validate(stored, meta))
	}
	before, w, err := s.find(old)
	if err != nil {
		return refused(fmt.Errorf("the old object: %w", err))
	}
	if w != v {
		return refused(fmt.Errorf("the old object is another kind or version: %v %v", old["apiVersion"], old["kind"]))
	}
	before, _, _, err = v.decode(before)
	if err != nil {
		return refused(fmt.Errorf("the old object: %w", err))
	}
	pruned = append(pruned, v.keepStatus(stored, before)...)
	return result(stored, pruned, v.validateUpdate(stored, before, meta))
}

// find returns an object as it comes out of JSON, and the version that it is
// written in.
func (s *Set) find(object map[string]any) (map[string]any, *version, error) {
	b, err := json.Marshal(object)
	if err != nil {
		return nil, nil, err
	}
	var plain map[string]any
	if err := kjson.Unmarshal(b, &plain); err != nil {
		return nil, nil, err
	}
	apiVersion, _ := plain["apiVersion"].(string)
	kind, _ := plain["kind"].(string)
	v := s.versions[schema.FromAPIVersionAndKind(apiVersion, kind)]
	if v == nil {
		return nil, nil, fmt.Errorf("no matches for kind %q in version %q", kind, apiVersion)
	}
	return plain, v, nil
}

// decode sets defaults and drops unknown fields, and returns their paths.
func (v *version) decode(object map[string]any) (map[string]any, *metav1.ObjectMeta, []string, error) {
	defaulting.Default(object, v.schema)
	meta, found, pruned, err := objectmeta.GetObjectMetaWithOptions(object, objectmeta.ObjectMetaOptions{ReturnUnknownFieldPaths: true})
	if err != nil {
		return nil, nil, nil, fmt.Errorf("metadata: %w", err)
	}
	if !found {
		meta = &metav1.ObjectMeta{}
	}
	options := structural.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}
	pruned = append(pruned, pruning.PruneWithOptions(object, v.schema, true, options)...)
	defaulting.PruneNonNullableNullsWithoutDefaults(object, v.schema)
	if err := objectmeta.SetObjectMeta(object, meta); err != nil {
		return nil, nil, nil, fmt.Errorf("metadata: %w", err)
	}
	return object, meta, pruned, nil
}

// keepStatus leaves the status as it was before: users cannot write it. It
// returns the path if there was one to write.
func (v *version) keepStatus(object, old map[string]any) []string {
	_, written := object["status"]
	if !v.hasStatus || !written && old["status"] == nil {
		return nil
	}
	delete(object, "status")
	if old["status"] != nil {
		object["status"] = old["status"]
	}
	if written {
		return []string{"status"}
	}
	return nil
}

func result(stored map[string]any, pruned []string, errs field.ErrorList) Result {
	slices.Sort(pruned)
	if len(errs) == 0 {
		return Result{Pruned: pruned, Stored: stored}
	}
	r := Result{Pruned: pruned}
	for _, err := range errs {
		r.Refused = append(r.Refused, err.Error())
	}
	return r
}

func refused(err error) Result { return Result{Refused: []string{err.Error()}} }
