package main

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfbridge/info"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

// untypedInputs lists the inputs that the SDK types as any: a policy document,
// as JSON or as an object, or the name of a resource, or the resource.
func untypedInputs(args reflect.Type) []string {
	var names []string
	for i := range args.NumField() {
		if args.Field(i).Type.Kind() == reflect.Interface {
			names = append(names, args.Field(i).Tag.Get("pulumi"))
		}
	}
	return names
}

// flattenInputs turns these inputs into the strings that Terraform takes.
func flattenInputs(names []string) info.PreCheckCallback {
	return func(_ context.Context, props, _ resource.PropertyMap) (resource.PropertyMap, error) {
		props = props.Copy()
		for _, name := range names {
			key := resource.PropertyKey(name)
			value, ok := props[key]
			if !ok {
				continue
			}
			flat, err := flatten(value)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			props[key] = flat
		}
		return props, nil
	}
}

// flatten turns an object into JSON and a resource into its id. A secret stays
// a secret, and what is not known yet stays unknown. It leaves other values.
func flatten(v resource.PropertyValue) (resource.PropertyValue, error) {
	switch {
	case v.IsSecret():
		inner, err := flatten(v.SecretValue().Element)
		return resource.MakeSecret(inner), err
	case v.IsOutput() && v.OutputValue().Known:
		out := v.OutputValue()
		inner, err := flatten(out.Element)
		out.Element = inner
		return resource.NewOutputProperty(out), err
	case v.IsResourceReference():
		return v.ResourceReferenceValue().ID, nil
	case v.IsObject() && v.ContainsUnknowns():
		return resource.MakeComputed(resource.NewStringProperty("")), nil
	case v.IsObject() && v.ContainsSecrets():
		inner, err := toJSON(revealed(v))
		return resource.MakeSecret(inner), err
	case v.IsObject():
		return toJSON(revealed(v))
	}
	return v, nil
}

func toJSON(v any) (resource.PropertyValue, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return resource.PropertyValue{}, fmt.Errorf("as JSON: %w", err)
	}
	return resource.NewStringProperty(string(text)), nil
}

// revealed returns plain Go values, with the values inside secrets and outputs.
func revealed(v resource.PropertyValue) any {
	switch {
	case v.IsSecret():
		return revealed(v.SecretValue().Element)
	case v.IsOutput():
		return revealed(v.OutputValue().Element)
	case v.IsArray():
		list := make([]any, len(v.ArrayValue()))
		for i, e := range v.ArrayValue() {
			list[i] = revealed(e)
		}
		return list
	case v.IsObject():
		object := map[string]any{}
		for k, e := range v.ObjectValue() {
			object[string(k)] = revealed(e)
		}
		return object
	}
	return v.Mappable()
}
