package main

import (
	"reflect"
	"slices"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

func TestUntypedInputs(t *testing.T) {
	got := untypedInputs(reflect.TypeFor[struct {
		Name   *string `pulumi:"name"`
		Policy any     `pulumi:"policy"`
		Role   any     `pulumi:"role"`
	}]())
	if want := []string{"policy", "role"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFlattenInputs(t *testing.T) {
	str := resource.NewStringProperty
	object := func(v resource.PropertyValue) resource.PropertyValue {
		return resource.NewObjectProperty(resource.PropertyMap{
			"Version":   str("2012-10-17"),
			"Statement": resource.NewArrayProperty([]resource.PropertyValue{v}),
		})
	}
	unknown := resource.MakeComputed(str(""))
	json := str(`{"Statement":["a"],"Version":"2012-10-17"}`)
	tests := map[string]struct{ in, want resource.PropertyValue }{
		"text":                {str("{}"), str("{}")},
		"object":              {object(str("a")), json},
		"unknown":             {unknown, unknown},
		"object with unknown": {object(unknown), unknown},
		"secret object":       {resource.MakeSecret(object(str("a"))), resource.MakeSecret(json)},
		"secret in an object": {object(resource.MakeSecret(str("a"))), resource.MakeSecret(json)},
		"output": {
			resource.NewOutputProperty(resource.Output{Known: true, Element: object(str("a"))}),
			resource.NewOutputProperty(resource.Output{Known: true, Element: json}),
		},
		"resource": {
			resource.NewResourceReferenceProperty(resource.ResourceReference{URN: "u", ID: str("role-1")}), str("role-1"),
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			props := resource.PropertyMap{"policy": test.in, "other": str("o")}
			got, err := flattenInputs([]string{"policy", "absent"})(t.Context(), props, nil)
			if err != nil {
				t.Fatal(err)
			}
			if want := (resource.PropertyMap{"policy": test.want, "other": str("o")}); !got.DeepEquals(want) {
				t.Errorf("got %v, want %v", got, want)
			}
			if !props["policy"].DeepEquals(test.in) {
				t.Error("the caller's properties changed")
			}
		})
	}
}
