package policy

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestCheckStatements(t *testing.T) {
	good := []Statement{
		{Sid: "Mine", Effect: Allow, Action: List{"s3:GetObject"}, Resource: List{"*"}},
		{Effect: Deny, Action: List{"ec2:RunInstances"}, Resource: List{"*"}},
		{Effect: Deny, Action: List{"ec2:RunInstances"}, Resource: List{"*"}},
	}
	if err := CheckStatements("statements", good); err != nil {
		t.Error(err)
	}
	bad := []Statement{
		{Sid: "a-b", Effect: "allow", Action: List{""}},
		{Sid: "Twice", Effect: Allow, Action: List{"a:B"}, Resource: List{strings.Repeat("r", MaxManagedSize)}},
		{Sid: "Twice", Effect: Allow, Action: List{"a:B"}, Resource: List{"*"}, Principal: Principal{"AWS": {"*"}}},
		{Sid: "AllowPassingInstanceRole", Effect: Allow, Action: List{"a:B"}, Resource: List{"*"}},
	}
	err := CheckStatements("statements", bad)
	for _, want := range []string{
		"statements[0].Sid: found \"a-b\"", "statements[0].Effect: found \"allow\", allowed is Allow or Deny",
		"statements[0].Action", "statements[0].Resource", "statements[2].Sid: found \"Twice\"", "statements[2].Principal",
		"statements[3].Sid: found \"AllowPassingInstanceRole\"", "allowed are 6144",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s is not reported: %v", want, err)
		}
	}
}

// A statement is read as AWS and people write it.
func TestStatementFromJSON(t *testing.T) {
	var s Statement
	text := `{"Sid":"A","Effect":"Allow","Action":"a:B","Resource":["r","q"],"Condition":{"Bool":{"k":true},"StringEquals":{"l":["x"]}}}`
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatal(err)
	}
	got := newDocument(s).JSON()
	want := `{"Version":"2012-10-17","Statement":[{"Sid":"A","Effect":"Allow","Action":"a:B","Resource":["q","r"],` +
		`"Condition":{"Bool":{"k":"true"},"StringEquals":{"l":"x"}}}]}`
	if got != want {
		t.Errorf("%s and not %s", got, want)
	}
	if json.Unmarshal([]byte(`{"Action":{"a":1}}`), &s) == nil {
		t.Error("a map passes for a list")
	}
}
