package main

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// nullComputed makes null the attributes that a configuration of this type
// cannot hold: the bridge writes an absent flattened list as an empty one, and
// Terraform refuses it. It looks at the top level only.
func nullComputed(schemas map[string]*tfprotov5.Schema, tfType string, config **tfprotov5.DynamicValue) error {
	schema := schemas[tfType]
	if schema == nil || schema.Block == nil {
		return fmt.Errorf("%s is not mapped", tfType)
	}
	attrs, err := attributes(schema, *config)
	if err != nil {
		return fmt.Errorf("%s: configuration: %w", tfType, err)
	}
	if attrs == nil {
		return nil
	}
	for _, a := range schema.Block.Attributes {
		if a.Computed && !a.Optional {
			attrs[a.Name] = tftypes.NewValue(a.Type, nil)
		}
	}
	typ := schema.ValueType()
	if err := tftypes.ValidateValue(typ, attrs); err != nil {
		return fmt.Errorf("%s: configuration: %w", tfType, err)
	}
	value, err := tfprotov5.NewDynamicValue(typ, tftypes.NewValue(typ, attrs))
	if err != nil {
		return fmt.Errorf("%s: configuration: %w", tfType, err)
	}
	*config = &value
	return nil
}

// attributes decodes a configuration. A null or unknown one has no attributes.
func attributes(schema *tfprotov5.Schema, config *tfprotov5.DynamicValue) (map[string]tftypes.Value, error) {
	if config == nil {
		return nil, nil
	}
	value, err := config.Unmarshal(schema.ValueType())
	if err != nil {
		return nil, err
	}
	if value.IsNull() || !value.IsKnown() {
		return nil, nil
	}
	var attrs map[string]tftypes.Value
	err = value.As(&attrs)
	return attrs, err
}
