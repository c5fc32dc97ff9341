package main

import (
	"reflect"
	"slices"
	"testing"

	shim "github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfshim"
	"github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfshim/schema"
)

func attribute(typ shim.ValueType, maxItems int, elem any) shim.Schema {
	return (&schema.Schema{Type: typ, Optional: true, MaxItems: maxItems, Elem: elem}).Shim()
}

func text() shim.Schema { return attribute(shim.TypeString, 0, nil) }

func block(fields schema.SchemaMap) shim.Resource { return (&schema.Resource{Schema: fields}).Shim() }

func fitOne(tf schema.SchemaMap, structs ...reflect.Type) (*fitter, map[string]any) {
	f := &fitter{}
	got := map[string]any{}
	for key, s := range f.object("aws_x", tf, structs) {
		switch {
		case s.Name != "":
			got[key] = s.Name
		case s.MaxItemsOne != nil:
			got[key] = *s.MaxItemsOne
		case s.Elem != nil:
			got[key] = "element"
		}
	}
	return f, got
}

func TestFitNamesAndShapes(t *testing.T) {
	type item struct {
		Value *string `pulumi:"value"`
	}
	type args struct {
		RoleArn  *string  `pulumi:"roleArn"`
		VpcIDs   []string `pulumi:"vpcIds"`
		Config   *item    `pulumi:"config"`
		Timeout  *item    `pulumi:"timeout"`
		Roles    []string `pulumi:"roles"`
		Singular []string `pulumi:"list"`
	}
	type state struct {
		RoleArn *string `pulumi:"roleArn"`
		Arn     *string `pulumi:"arn"`
		ID      *string `pulumi:"id"`
	}
	item1 := block(schema.SchemaMap{"value": text()})
	f, got := fitOne(schema.SchemaMap{
		"id": text(), "timeouts": text(), // implicit
		"role_arn": text(), "arn": text(), // the default, in one or both structs
		"vpc_ids": attribute(shim.TypeList, 0, text()), // a list, plural
		"config":  attribute(shim.TypeList, 1, item1),  // flattened
		"timeout": attribute(shim.TypeList, 0, item1),  // flattened only by an override
		"role":    attribute(shim.TypeList, 1, text()), // a list only by an override
		"list":    attribute(shim.TypeSet, 0, text()),  // not in the plural
	}, reflect.TypeFor[state](), reflect.TypeFor[args]())
	if len(f.problems) > 0 {
		t.Errorf("problems: %q", f.problems)
	}
	want := map[string]any{"timeout": true, "role": false, "list": "list"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("overrides %v, want %v", got, want)
	}
}

func TestFitReportsProblems(t *testing.T) {
	type inner struct {
		Kept  string `pulumi:"kept"`
		Stale string `pulumi:"stale"`
	}
	type args struct {
		Inners []inner `pulumi:"inners"`
		Stale  string  `pulumi:"stale"`
		Shape  string  `pulumi:"shape"`
	}
	f, _ := fitOne(schema.SchemaMap{
		"inner": attribute(shim.TypeList, 0, block(schema.SchemaMap{"kept": text(), "fresh_one": text()})),
		"fresh": text(),
	}, reflect.TypeFor[args](), reflect.TypeFor[args]())
	slices.Sort(f.problems)
	want := []string{
		`aws_x.fresh: no SDK property "fresh" fits`,
		`aws_x.inner.fresh_one: no SDK property "freshOne" fits`,
		`aws_x.inner: the SDK property "stale" has no Terraform attribute`,
		`aws_x: the SDK property "shape" has no Terraform attribute`,
		`aws_x: the SDK property "stale" has no Terraform attribute`,
	}
	if !slices.Equal(f.problems, want) {
		t.Errorf("got %q\nwant %q", f.problems, want)
	}
}
