package main

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

var stringList = tftypes.List{ElementType: tftypes.String}

var computedSchemas = map[string]*tfprotov5.Schema{"aws_x": {Block: &tfprotov5.SchemaBlock{
	Attributes: []*tfprotov5.SchemaAttribute{
		{Name: "name", Type: tftypes.String, Optional: true, Computed: true},
		{Name: "authorities", Type: stringList, Computed: true},
		{Name: "size", Type: tftypes.Number, Required: true},
	},
}}}

func dynamic(t *testing.T, schema *tfprotov5.Schema, value any) *tfprotov5.DynamicValue {
	t.Helper()
	v, err := tfprotov5.NewDynamicValue(schema.ValueType(), tftypes.NewValue(schema.ValueType(), value))
	if err != nil {
		t.Fatal(err)
	}
	return &v
}

func TestNullComputed(t *testing.T) {
	schema := computedSchemas["aws_x"]
	config := dynamic(t, schema, map[string]tftypes.Value{
		"name":        tftypes.NewValue(tftypes.String, "n"),
		"authorities": tftypes.NewValue(stringList, []tftypes.Value{}),
		"size":        tftypes.NewValue(tftypes.Number, tftypes.UnknownValue),
	})
	if err := nullComputed(computedSchemas, "aws_x", &config); err != nil {
		t.Fatal(err)
	}
	got, err := attributes(schema, config)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]tftypes.Value{
		"name":        tftypes.NewValue(tftypes.String, "n"),
		"authorities": tftypes.NewValue(stringList, nil),
		"size":        tftypes.NewValue(tftypes.Number, tftypes.UnknownValue),
	}
	for name, value := range want {
		if !got[name].Equal(value) {
			t.Errorf("%s is %v, want %v", name, got[name], value)
		}
	}
}

func TestNullComputedLeavesNull(t *testing.T) {
	config := dynamic(t, computedSchemas["aws_x"], nil)
	before := config
	if err := nullComputed(computedSchemas, "aws_x", &config); err != nil || config != before {
		t.Errorf("got %v, %v; want the same null", config, err)
	}
	config = nil
	if err := nullComputed(computedSchemas, "aws_x", &config); err != nil || config != nil {
		t.Errorf("got %v, %v; want nil", config, err)
	}
}

func TestNullComputedErrors(t *testing.T) {
	config := &tfprotov5.DynamicValue{MsgPack: []byte{0xc1}}
	if err := nullComputed(computedSchemas, "aws_x", &config); err == nil {
		t.Error("broken bytes: no error")
	}
	if err := nullComputed(computedSchemas, "aws_y", &config); err == nil {
		t.Error("a type that is not mapped: no error")
	}
}
