package main

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfbridge"
	"github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfbridge/info"
	shim "github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfshim"
)

// fitter finds, for each Terraform attribute, the name and the shape under
// which the structs of the Go SDK know it. So no table of names is needed, and
// what fits nowhere is a problem that the conformance test reports.
type fitter struct{ problems []string }

func (f *fitter) report(path, format string, args ...any) {
	problem := path + ": " + fmt.Sprintf(format, args...)
	if !slices.Contains(f.problems, problem) {
		f.problems = append(f.problems, problem)
	}
}

// object fits the attributes of one resource, or of one object in it, to the
// SDK's structs for it: its arguments and its state. It returns the schema
// overrides that the bridge needs.
func (f *fitter) object(path string, tf shim.SchemaMap, structs []reflect.Type) map[string]*info.Schema {
	overrides := map[string]*info.Schema{}
	used := map[string]bool{}
	for _, key := range attributeNames(tf) {
		if isImplicit(path, key) {
			continue
		}
		override, name, ok := shape(key, tf, structs)
		if !ok {
			f.report(path+"."+key, "no SDK property %q fits", tfbridge.TerraformToPulumiNameV2(key, tf, nil))
			continue
		}
		used[name] = true
		override = f.nested(path+"."+key, tf.Get(key), propertyTypes(structs, name), override)
		if override != nil {
			overrides[key] = override
		}
	}
	for _, t := range structs {
		for i := range t.NumField() {
			if tag := t.Field(i).Tag.Get("pulumi"); tag != "" && tag != "id" && !used[tag] {
				f.report(path, "the SDK property %q has no Terraform attribute", tag)
			}
		}
	}
	return overrides
}

// isImplicit knows what every resource has and no SDK struct names.
func isImplicit(path, key string) bool {
	return !strings.Contains(path, ".") && (key == "id" || key == "timeouts")
}

// shape finds the property for an attribute: under the bridge's default name
// and shape, with the flattening of a one-element list forced on or off, or as
// a list under its singular name. It returns the override for the bridge, nil
// for the default, and the property's name.
func shape(key string, tf shim.SchemaMap, structs []reflect.Type) (*info.Schema, string, bool) {
	s := tf.Get(key)
	candidates := []*info.Schema{nil}
	isList := s.Type() == shim.TypeList || s.Type() == shim.TypeSet
	if isList {
		yes, no := true, false
		singular := tfbridge.TerraformToPulumiNameV2(key, tf, map[string]*info.Schema{key: {MaxItemsOne: &yes}})
		candidates = append(candidates, &info.Schema{MaxItemsOne: &yes}, &info.Schema{MaxItemsOne: &no},
			&info.Schema{Name: singular})
	}
	for _, c := range candidates {
		name := tfbridge.TerraformToPulumiNameV2(key, tf, map[string]*info.Schema{key: c})
		types := propertyTypes(structs, name)
		if len(types) == 0 {
			continue
		}
		flat := s.MaxItems() == 1
		if c != nil && c.MaxItemsOne != nil {
			flat = *c.MaxItemsOne
		}
		isSlice := indirect(types[0]).Kind() == reflect.Slice
		if !isList || isSlice != flat {
			return c, name, true
		}
	}
	return nil, "", false
}

// nested fits the attributes of a block or of an object, and adds what they
// need to the override of the attribute that holds them.
func (f *fitter) nested(path string, s shim.Schema, types []reflect.Type, override *info.Schema) *info.Schema {
	tf, isElement := nestedObject(s)
	if tf == nil {
		return override
	}
	fields := f.object(path, tf, elementStructs(types))
	if len(fields) == 0 {
		return override
	}
	if override == nil {
		override = &info.Schema{}
	}
	if isElement {
		override.Elem = &info.Schema{Fields: fields}
	} else {
		override.Fields = fields
	}
	return override
}

// nestedObject returns the schema of a block or of an object attribute, and
// whether it is the element of a collection.
func nestedObject(s shim.Schema) (shim.SchemaMap, bool) {
	switch e := s.Elem().(type) {
	case shim.Resource:
		return e.Schema(), s.Type() != shim.TypeMap
	case shim.Schema:
		if r, ok := e.Elem().(shim.Resource); ok && e.Type() == shim.TypeMap {
			return r.Schema(), true
		}
	}
	return nil, false
}

func attributeNames(tf shim.SchemaMap) []string {
	var names []string
	tf.Range(func(key string, _ shim.Schema) bool {
		names = append(names, key)
		return true
	})
	slices.Sort(names)
	return names
}

// propertyTypes returns the type of the named property in each of the structs
// that have it.
func propertyTypes(structs []reflect.Type, name string) []reflect.Type {
	var found []reflect.Type
	for _, t := range structs {
		for i := range t.NumField() {
			if t.Field(i).Tag.Get("pulumi") == name {
				found = append(found, t.Field(i).Type)
			}
		}
	}
	return found
}

func indirect(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// elementStructs returns the structs inside pointers, slices and maps.
func elementStructs(types []reflect.Type) []reflect.Type {
	var structs []reflect.Type
	for _, t := range types {
		for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
			t = t.Elem()
		}
		if t.Kind() == reflect.Struct {
			structs = append(structs, t)
		}
	}
	return structs
}
