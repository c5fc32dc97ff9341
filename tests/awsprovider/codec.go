package main

import (
	"fmt"
	"reflect"
	"strings"
	"unicode"

	_ "github.com/hashicorp/terraform-plugin-go/tfprotov5/tf5server" // registers the messages of tfplugin5
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// The structs of tfprotov5 have the same fields as the messages of Terraform's
// plugin protocol, but terraform-plugin-go converts between them in internal
// packages. So one codec by reflection serves every call.

var (
	attributePathType = reflect.TypeFor[*tftypes.AttributePath]()
	tfTypeType        = reflect.TypeFor[tftypes.Type]()
)

// notDecoded are the fields of the schema that the bridge does not use.
var notDecoded = map[string]bool{
	"Functions": true, "EphemeralResourceSchemas": true, "ListResourceSchemas": true, "ActionSchemas": true,
}

// scalarTypes are the Go types of the scalars in requests.
var scalarTypes = map[protoreflect.Kind]reflect.Type{
	protoreflect.StringKind: reflect.TypeFor[string](),
	protoreflect.BoolKind:   reflect.TypeFor[bool](),
	protoreflect.Int64Kind:  reflect.TypeFor[int64](),
	protoreflect.BytesKind:  reflect.TypeFor[[]byte](),
}

// newMessage returns an empty message of that full name.
func newMessage(name string) (protoreflect.Message, error) {
	t, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName(name))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t.New(), nil
}

// protoField finds the message's field for a Go field: TypeName is type_name,
// and MsgPack is msgpack.
func protoField(m protoreflect.Message, goName string) protoreflect.FieldDescriptor {
	if goName == "UnsafeToUseLegacyTypeSystem" {
		goName = "LegacyTypeSystem"
	}
	fields := m.Descriptor().Fields()
	if f := fields.ByName(protoreflect.Name(strings.ToLower(goName))); f != nil {
		return f
	}
	var snake strings.Builder
	for i, r := range goName {
		if unicode.IsUpper(r) && i > 0 {
			snake.WriteByte('_')
		}
		snake.WriteRune(unicode.ToLower(r))
	}
	return fields.ByName(protoreflect.Name(snake.String()))
}

// encode writes the request, a pointer to a struct, into the message. Requests
// hold scalars, bytes, maps of strings and nested structs, and no lists.
func encode(request any, m protoreflect.Message) error {
	v := reflect.ValueOf(request)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return fmt.Errorf("%T is not a pointer to a struct", request)
	}
	return encodeStruct(v.Elem(), m)
}

func encodeStruct(v reflect.Value, m protoreflect.Message) error {
	for i := range v.NumField() {
		sf := v.Type().Field(i)
		if !sf.IsExported() || v.Field(i).IsZero() {
			continue
		}
		fd := protoField(m, sf.Name)
		if fd == nil {
			return fmt.Errorf("%s has no field for %s", m.Descriptor().FullName(), sf.Name)
		}
		if err := encodeField(v.Field(i), m, fd); err != nil {
			return fmt.Errorf("%s: %w", sf.Name, err)
		}
	}
	return nil
}

func encodeField(v reflect.Value, m protoreflect.Message, fd protoreflect.FieldDescriptor) error {
	isStruct := v.Kind() == reflect.Pointer && v.Elem().Kind() == reflect.Struct
	switch {
	case isStruct && fd.Kind() == protoreflect.MessageKind && fd.Cardinality() != protoreflect.Repeated:
		return encodeStruct(v.Elem(), m.Mutable(fd).Message())
	case v.Type() == reflect.TypeFor[map[string]string]() && fd.IsMap():
		dst := m.Mutable(fd).Map()
		for it := v.MapRange(); it.Next(); {
			dst.Set(protoreflect.ValueOfString(it.Key().String()).MapKey(), protoreflect.ValueOfString(it.Value().String()))
		}
		return nil
	case v.Type() == scalarTypes[fd.Kind()]:
		m.Set(fd, protoreflect.ValueOf(v.Interface()))
		return nil
	}
	return fmt.Errorf("cannot encode %s as %s", v.Type(), fd.Kind())
}

// decode reads the message into the response, a pointer to a struct. keep
// chooses the entries of maps; nil keeps all.
func decode(m protoreflect.Message, response any, keep func(key string) bool) error {
	v := reflect.ValueOf(response)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return fmt.Errorf("%T is not a pointer to a struct", response)
	}
	if keep == nil {
		keep = func(string) bool { return true }
	}
	return decoder{keep: keep}.message(m, v.Elem())
}

type decoder struct{ keep func(key string) bool }

func (d decoder) message(m protoreflect.Message, dst reflect.Value) error {
	for i := range dst.NumField() {
		sf := dst.Type().Field(i)
		if !sf.IsExported() || notDecoded[sf.Name] {
			continue
		}
		fd := protoField(m, sf.Name)
		if fd == nil || !m.Has(fd) {
			continue
		}
		if err := d.field(fd, m.Get(fd), dst.Field(i)); err != nil {
			return fmt.Errorf("%s: %w", sf.Name, err)
		}
	}
	return nil
}

func (d decoder) field(fd protoreflect.FieldDescriptor, src protoreflect.Value, dst reflect.Value) error {
	switch {
	case fd.IsMap() && dst.Kind() == reflect.Map:
		return d.entries(src.Map(), dst)
	case fd.IsList() && dst.Kind() == reflect.Slice:
		list := src.List()
		dst.Set(reflect.MakeSlice(dst.Type(), list.Len(), list.Len()))
		for i := range list.Len() {
			if err := d.value(list.Get(i), dst.Index(i)); err != nil {
				return fmt.Errorf("%d: %w", i, err)
			}
		}
		return nil
	}
	return d.value(src, dst)
}

func (d decoder) entries(src protoreflect.Map, dst reflect.Value) error {
	dst.Set(reflect.MakeMap(dst.Type()))
	var err error
	src.Range(func(k protoreflect.MapKey, e protoreflect.Value) bool {
		if !d.keep(k.String()) {
			return true
		}
		elem := reflect.New(dst.Type().Elem()).Elem()
		if err = d.value(e, elem); err != nil {
			err = fmt.Errorf("%s: %w", k, err)
			return false
		}
		dst.SetMapIndex(reflect.ValueOf(k.String()), elem)
		return true
	})
	return err
}

// value reads one value that is neither a list nor a map.
func (d decoder) value(src protoreflect.Value, dst reflect.Value) error {
	switch v := src.Interface().(type) {
	case protoreflect.Message:
		if dst.Type() == attributePathType {
			dst.Set(reflect.ValueOf(decodePath(v)))
			return nil
		}
		if dst.Kind() == reflect.Pointer && dst.Type().Elem().Kind() == reflect.Struct {
			dst.Set(reflect.New(dst.Type().Elem()))
			return d.message(v, dst.Elem())
		}
	case []byte:
		if dst.Type() == tfTypeType {
			return decodeType(v, dst)
		}
		if dst.Type() == reflect.TypeFor[[]byte]() {
			dst.SetBytes(v)
			return nil
		}
	case protoreflect.EnumNumber:
		if dst.CanInt() {
			dst.SetInt(int64(v))
			return nil
		}
	case string, bool, int64:
		if from := reflect.ValueOf(v); from.Kind() == dst.Kind() {
			dst.Set(from.Convert(dst.Type()))
			return nil
		}
	}
	return fmt.Errorf("cannot decode %T into %s", src.Interface(), dst.Type())
}

func decodeType(src []byte, dst reflect.Value) error {
	t, err := tftypes.ParseJSONType(src) //nolint:staticcheck // deprecated, but the only public parser of the wire form
	if err != nil {
		return err
	}
	dst.Set(reflect.ValueOf(t))
	return nil
}

func decodePath(m protoreflect.Message) *tftypes.AttributePath {
	path := tftypes.NewAttributePath()
	steps := m.Descriptor().Fields().ByName("steps")
	if steps == nil {
		return path
	}
	list := m.Get(steps).List()
	for i := range list.Len() {
		list.Get(i).Message().Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
			switch fd.Name() {
			case "attribute_name":
				path = path.WithAttributeName(v.String())
			case "element_key_string":
				path = path.WithElementKeyString(v.String())
			case "element_key_int":
				path = path.WithElementKeyInt(int(v.Int()))
			}
			return true
		})
	}
	return path
}
