// Package policy renders the IAM documents of the library: what the Karpenter
// controller and its nodes may do, who may become them, and who may write to
// the interruption queue.
//
// Each document is a pure function of plain values and always renders to the
// same bytes, so that a change of a permission is a change of a golden file.
// The package imports nothing of Pulumi.
package policy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"unicode"
)

// Document is an IAM policy document.
type Document struct {
	Version   string
	Statement []Statement
}

// Statement is one statement of a Document. Lists are rendered sorted.
type Statement struct {
	Sid       string `json:",omitempty"`
	Effect    Effect
	Principal Principal  `json:",omitempty"`
	Action    List       `json:",omitempty"`
	Resource  List       `json:",omitempty"`
	Condition Conditions `json:",omitempty"`
}

// Effect is Allow or Deny.
type Effect string

// The effects of IAM.
const (
	Allow Effect = "Allow"
	Deny  Effect = "Deny"
)

// Principal is a map from a kind of principal ("Service", "AWS", "Federated")
// to its names.
type Principal map[string]List

// Conditions is a map from a condition operator to its keys, and from each key
// to the values that it accepts.
type Conditions map[string]map[string]List

// List is a list of strings. It renders sorted, and a single string renders
// without brackets, which is the form that AWS returns.
type List []string

// MarshalJSON implements json.Marshaler.
func (l List) MarshalJSON() ([]byte, error) {
	if len(l) == 1 {
		return marshal(l[0])
	}
	return marshal(slices.Sorted(slices.Values(l)))
}

// UnmarshalJSON implements json.Unmarshaler. AWS and people write a single
// string without brackets, and a boolean of a condition without quotes.
func (l *List) UnmarshalJSON(b []byte) error {
	switch b[0] {
	case '[':
		return json.Unmarshal(b, (*[]string)(l))
	case '"':
		*l = List{""}
		return json.Unmarshal(b, &(*l)[0])
	case '{', 'n':
		return fmt.Errorf("%s is not a string or a list of strings", b)
	}
	*l = List{string(b)}
	return nil
}

// newDocument returns a document of the current IAM version.
func newDocument(statements ...Statement) Document {
	return Document{Version: "2012-10-17", Statement: statements}
}

// JSON renders the document. The result is the same at every run.
func (d Document) JSON() string {
	b, err := marshal(d)
	if err != nil {
		panic(err) // maps and lists of strings always encode
	}
	return string(b)
}

// Size returns the number of characters that AWS counts: white space is free.
func (d Document) Size() int {
	n := 0
	for _, r := range d.JSON() {
		if !unicode.IsSpace(r) {
			n++
		}
	}
	return n
}

// marshal is json.Marshal that leaves "<", ">" and "&" as they are.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// only is a statement's conditions where each key accepts one value.
func only(operator string, pairs map[string]string) Conditions {
	keys := make(map[string]List, len(pairs))
	for k, v := range pairs {
		keys[k] = List{v}
	}
	return Conditions{operator: keys}
}

// and adds conditions that must hold as well.
func (c Conditions) and(others ...Conditions) Conditions {
	all := Conditions{}
	for _, o := range append([]Conditions{c}, others...) {
		for operator, keys := range o {
			if all[operator] == nil {
				all[operator] = map[string]List{}
			}
			for k, v := range keys {
				all[operator][k] = v
			}
		}
	}
	return all
}
