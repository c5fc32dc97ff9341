package main

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

func message(t *testing.T, name, json string) protoreflect.Message {
	t.Helper()
	m, err := newMessage(name)
	if err != nil {
		t.Fatal(err)
	}
	if json != "" {
		if err := protojson.Unmarshal([]byte(json), m.Interface()); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func TestEncode(t *testing.T) {
	tests := map[string]struct {
		request any
		message string
		want    string
	}{
		"scalars, bytes and a nested struct": {
			&tfprotov5.PlanResourceChangeRequest{
				TypeName:           "aws_x",
				Config:             &tfprotov5.DynamicValue{MsgPack: []byte("m"), JSON: []byte("j")},
				PriorPrivate:       []byte("p"),
				ClientCapabilities: &tfprotov5.PlanResourceChangeClientCapabilities{DeferralAllowed: true},
			},
			"PlanResourceChange.Request",
			`{"typeName":"aws_x","config":{"msgpack":"bQ==","json":"ag=="},"priorPrivate":"cA==",
			  "clientCapabilities":{"deferralAllowed":true}}`,
		},
		"an integer and a map": {
			&tfprotov5.UpgradeResourceStateRequest{
				Version: 3, RawState: &tfprotov5.RawState{JSON: []byte("{}"), Flatmap: map[string]string{"a": "b"}},
			},
			"UpgradeResourceState.Request",
			`{"version":"3","rawState":{"json":"e30=","flatmap":{"a":"b"}}}`,
		},
		"an id": {
			&tfprotov5.ImportResourceStateRequest{TypeName: "aws_x", ID: "i-1"},
			"ImportResourceState.Request", `{"typeName":"aws_x","id":"i-1"}`,
		},
		"nothing": {&tfprotov5.StopProviderRequest{}, "Stop.Request", `{}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := message(t, "tfplugin5."+test.message, "")
			if err := encode(test.request, got); err != nil {
				t.Fatal(err)
			}
			if want := message(t, "tfplugin5."+test.message, test.want); !proto.Equal(got.Interface(), want.Interface()) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

// TestEncodeErrors holds that input of a wrong shape gives an error, no panic.
func TestEncodeErrors(t *testing.T) {
	type unknownField struct{ Elsewhere string }
	type wrongKind struct{ TypeName int64 }
	type wrongStruct struct{ TypeName *unknownField }
	tests := map[string]struct {
		request any
		want    string
	}{
		"not a pointer":     {tfprotov5.StopProviderRequest{}, "not a pointer"},
		"nil":               {(*tfprotov5.StopProviderRequest)(nil), "not a pointer"},
		"unknown field":     {&unknownField{"x"}, "no field for Elsewhere"},
		"another kind":      {&wrongKind{1}, "TypeName: cannot encode int64 as string"},
		"struct for scalar": {&wrongStruct{&unknownField{"x"}}, "TypeName: cannot encode"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			err := encode(test.request, message(t, "tfplugin5.ReadResource.Request", ""))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error that says %q", err, test.want)
			}
		})
	}
}

const schemaJSON = `{
  "provider": {"version": "1", "block": {"attributes": [{"name": "region", "type": "InN0cmluZyI=", "optional": true}]}},
  "resourceSchemas": {
    "aws_kept": {"block": {
      "attributes": [{"name": "ids", "type": "WyJsaXN0Iiwic3RyaW5nIl0=", "computed": true, "descriptionKind": "MARKDOWN"}],
      "blockTypes": [{"typeName": "b", "nesting": "SET", "maxItems": "2", "block": {}}]}},
    "aws_left": {"block": {"attributes": [{"name": "x", "type": "InN0cmluZyI="}]}}
  },
  "functions": {"f": {"summary": "left out"}}
}`

func TestDecodeSchema(t *testing.T) {
	m := message(t, "tfplugin5.GetProviderSchema.Response", schemaJSON)
	var got tfprotov5.GetProviderSchemaResponse
	if err := decode(m, &got, func(key string) bool { return key == "aws_kept" }); err != nil {
		t.Fatal(err)
	}
	want := tfprotov5.GetProviderSchemaResponse{
		Provider: &tfprotov5.Schema{Version: 1, Block: &tfprotov5.SchemaBlock{
			Attributes: []*tfprotov5.SchemaAttribute{{Name: "region", Type: tftypes.String, Optional: true}},
		}},
		ResourceSchemas: map[string]*tfprotov5.Schema{"aws_kept": {Block: &tfprotov5.SchemaBlock{
			Attributes: []*tfprotov5.SchemaAttribute{{
				Name: "ids", Type: tftypes.List{ElementType: tftypes.String}, Computed: true,
				DescriptionKind: tfprotov5.StringKindMarkdown,
			}},
			BlockTypes: []*tfprotov5.SchemaNestedBlock{{
				TypeName: "b", Nesting: tfprotov5.SchemaNestedBlockNestingModeSet, MaxItems: 2,
				Block: &tfprotov5.SchemaBlock{},
			}},
		}}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestDecodePlan(t *testing.T) {
	m := message(t, "tfplugin5.PlanResourceChange.Response", `{
	  "plannedState": {"msgpack": "bQ=="}, "plannedPrivate": "cA==", "legacyTypeSystem": true,
	  "requiresReplace": [{"steps": [{"attributeName": "a"}, {"elementKeyInt": "1"}, {"elementKeyString": "k"}]}],
	  "diagnostics": [{"severity": "WARNING", "summary": "s", "attribute": {"steps": [{"attributeName": "a"}]}}]}`)
	var got tfprotov5.PlanResourceChangeResponse
	if err := decode(m, &got, nil); err != nil {
		t.Fatal(err)
	}
	a := tftypes.NewAttributePath().WithAttributeName("a")
	want := tfprotov5.PlanResourceChangeResponse{
		PlannedState: &tfprotov5.DynamicValue{MsgPack: []byte("m")}, PlannedPrivate: []byte("p"),
		RequiresReplace: []*tftypes.AttributePath{a.WithElementKeyInt(1).WithElementKeyString("k")},
		Diagnostics: []*tfprotov5.Diagnostic{
			{Severity: tfprotov5.DiagnosticSeverityWarning, Summary: "s", Attribute: a},
		},
		UnsafeToUseLegacyTypeSystem: true, //nolint:staticcheck // deprecated, but providers still send it
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestDecodeErrors holds that input of a wrong shape gives an error, no panic.
func TestDecodeErrors(t *testing.T) {
	type wrongKind struct{ PlannedPrivate string }
	type wrongStruct struct{ PlannedState string }
	type wrongList struct{ Diagnostics map[string]string }
	m := message(t, "tfplugin5.PlanResourceChange.Response",
		`{"plannedState": {"msgpack": "bQ=="}, "plannedPrivate": "cA==", "diagnostics": [{"summary": "s"}]}`)
	for _, response := range []any{
		tfprotov5.PlanResourceChangeResponse{}, (*wrongKind)(nil), &wrongKind{}, &wrongStruct{}, &wrongList{},
	} {
		if err := decode(m, response, nil); err == nil {
			t.Errorf("%T: no error", response)
		}
	}
	bad := message(t, "tfplugin5.GetProviderSchema.Response",
		`{"provider": {"block": {"attributes": [{"name": "a", "type": "bm90IGpzb24="}]}}}`)
	if err := decode(bad, &tfprotov5.GetProviderSchemaResponse{}, nil); err == nil {
		t.Error("a type that is no JSON: no error")
	}
}

// failingConn is a connection to a Terraform provider that is gone.
type failingConn struct{ grpc.ClientConnInterface }

func (failingConn) Invoke(context.Context, string, any, any, ...grpc.CallOption) error {
	return errors.New("connection lost")
}

func TestCallErrorsNameTheCall(t *testing.T) {
	s := &server{conn: failingConn{}}
	_, err := s.ReadResource(t.Context(), &tfprotov5.ReadResourceRequest{TypeName: "aws_x"})
	if err == nil || !strings.Contains(err.Error(), "ReadResource: connection lost") {
		t.Errorf("got %v", err)
	}
	if _, err := newServer(t.Context(), failingConn{}, isMapped); err == nil {
		t.Error("a server without a schema")
	}
	if _, err := s.GetFunctions(t.Context(), nil); err == nil {
		t.Error("an unsupported call gives no error")
	}
}

// TestEveryRequestEncodes fills each request of the calls that are forwarded.
func TestEveryRequestEncodes(t *testing.T) {
	for name, request := range map[string]any{
		"PrepareProviderConfig":      &tfprotov5.PrepareProviderConfigRequest{},
		"Configure":                  &tfprotov5.ConfigureProviderRequest{},
		"ValidateResourceTypeConfig": &tfprotov5.ValidateResourceTypeConfigRequest{},
		"UpgradeResourceState":       &tfprotov5.UpgradeResourceStateRequest{},
		"ReadResource":               &tfprotov5.ReadResourceRequest{},
		"PlanResourceChange":         &tfprotov5.PlanResourceChangeRequest{},
		"ApplyResourceChange":        &tfprotov5.ApplyResourceChangeRequest{},
		"ImportResourceState":        &tfprotov5.ImportResourceStateRequest{},
		"ValidateDataSourceConfig":   &tfprotov5.ValidateDataSourceConfigRequest{},
		"ReadDataSource":             &tfprotov5.ReadDataSourceRequest{},
	} {
		fill(reflect.ValueOf(request).Elem())
		if err := encode(request, message(t, "tfplugin5."+name+".Request", "")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// fill gives every field a value that is not zero.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int64:
		v.SetInt(1)
	case reflect.Slice:
		v.SetBytes([]byte("x"))
	case reflect.Map:
		v.Set(reflect.ValueOf(map[string]string{"k": "v"}))
	}
}
