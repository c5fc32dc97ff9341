package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/texttheater/golang-levenshtein/levenshtein"
)

// decode fills the struct behind into with a project's configuration values and
// returns every fault at once: keys that no field takes, each with the nearest
// known one, and values of a wrong type.
func decode(project string, values map[string]string, into any) error {
	target := reflect.ValueOf(into).Elem()
	known := fieldsOf(target.Type())
	var errs []error
	for _, full := range slices.Sorted(maps.Keys(values)) {
		key, ours := strings.CutPrefix(full, project+":")
		if !ours {
			continue
		}
		index, ok := known[key]
		if !ok {
			errs = append(errs, unknownKey(full, key, known))
			continue
		}
		if err := decodeField(full, values[full], target.Field(index)); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// decodeField decodes one value. A text is taken as it is; everything else is
// JSON, as Pulumi passes it.
func decodeField(path, value string, field reflect.Value) error {
	if field.Kind() == reflect.String {
		field.SetString(value)
		return nil
	}
	var tree any
	decoder := json.NewDecoder(strings.NewReader(value))
	decoder.UseNumber()
	if err := decoder.Decode(&tree); err != nil {
		return fmt.Errorf("%s: %q is not %s", path, value, describe(field.Type()))
	}
	if errs := unknownKeys(path, tree, field.Type()); len(errs) > 0 {
		return errors.Join(errs...)
	}
	if err := json.NewDecoder(bytes.NewBufferString(value)).Decode(field.Addr().Interface()); err != nil {
		var mismatch *json.UnmarshalTypeError
		if errors.As(err, &mismatch) {
			at := path
			if mismatch.Field != "" {
				at += "." + mismatch.Field
			}
			return fmt.Errorf("%s: found a %s, allowed is %s", at, mismatch.Value, describe(mismatch.Type))
		}
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// unknownKeys compares a decoded value with the type that is to take it, and
// returns a fault for every key without a field.
func unknownKeys(path string, value any, t reflect.Type) []error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	var errs []error
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			at := fmt.Sprintf("%s.%s", path, key)
			switch t.Kind() {
			case reflect.Struct:
				known := fieldsOf(t)
				index, ok := known[key]
				if !ok {
					errs = append(errs, unknownKey(at, key, known))
					continue
				}
				errs = append(errs, unknownKeys(at, v[key], t.Field(index).Type)...)
			case reflect.Map:
				errs = append(errs, unknownKeys(fmt.Sprintf("%s[%q]", path, key), v[key], t.Elem())...)
			}
		}
	case []any:
		if t.Kind() != reflect.Slice || t.Elem().Kind() == reflect.String {
			return nil
		}
		for i, element := range v {
			errs = append(errs, unknownKeys(fmt.Sprintf("%s[%d]", path, i), element, t.Elem())...)
		}
	}
	return errs
}

// fieldsOf returns the JSON names of a struct's fields with their positions.
func fieldsOf(t reflect.Type) map[string]int {
	fields := map[string]int{}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name == "" {
			name = t.Field(i).Name
		}
		fields[name] = i
	}
	return fields
}

// unknownKey names the key that the user may have meant.
func unknownKey(path, key string, known map[string]int) error {
	names := slices.Sorted(maps.Keys(known))
	nearest := slices.MinFunc(names, func(a, b string) int { return distance(key, a) - distance(key, b) })
	if distance(key, nearest) <= len(key)/2 {
		return fmt.Errorf("%s: no such key: did you mean %q?", path, nearest)
	}
	return fmt.Errorf("%s: no such key: the known ones are %s", path, strings.Join(names, ", "))
}

func distance(a, b string) int {
	return levenshtein.DistanceForStrings([]rune(strings.ToLower(a)), []rune(strings.ToLower(b)), levenshtein.DefaultOptions)
}

// describe names a type as a user knows it.
func describe(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int:
		return "a whole number"
	case reflect.Slice:
		return "a list"
	case reflect.Map, reflect.Struct:
		return "a map"
	}
	return "a text"
}
