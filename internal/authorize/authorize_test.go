package authorize

import (
	"testing"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/policy"
)

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		pattern, s string
		want       bool
	}{
		{"*", "", true},
		{"*", "anything", true},
		{"a*c", "abbbc", true},
		{"a*c", "abbb", false},
		{"a?c", "abc", true},
		{"a?c", "ac", false},
		{"abc", "abc", true},
		{"abc", "abcd", false},
		{"a*b*c", "a1b2c", true},
		{"a*b*c", "a1c2b", false},
		{"arn:aws:ec2:r:*:instance/*", "arn:aws:ec2:r:1:instance/i-1", true},
		{"arn:aws:ec2:r::image/*", "arn:aws:ec2:r:1:image/ami-1", false},
	} {
		if got := matches(c.pattern, c.s); got != c.want {
			t.Errorf("matches(%q, %q) is %v", c.pattern, c.s, got)
		}
	}
}

type request struct {
	action, resource string
	context          map[string][]string
}

func TestPrincipals(t *testing.T) {
	trust := []policy.Document{policy.NodeTrust("aws")}
	for principal, want := range map[string]bool{"ec2.amazonaws.com": true, "lambda.amazonaws.com": false, "": false} {
		got, err := Allowed(trust, Request{Principal: principal, Action: "sts:AssumeRole", Resource: "any"})
		if err != nil || got != want {
			t.Errorf("%q: %v, %v", principal, got, err)
		}
	}
}

func TestEvaluation(t *testing.T) {
	document := policy.Document{Statement: []policy.Statement{
		{
			Effect: policy.Allow, Action: policy.List{"s3:Get*"}, Resource: policy.List{"*"},
			Condition: policy.Conditions{"StringEquals": {"k": {"v"}}},
		},
		{Effect: policy.Deny, Action: policy.List{"s3:GetSecret"}, Resource: policy.List{"*"}},
		{
			Effect: policy.Allow, Action: policy.List{"tag"}, Resource: policy.List{"*"},
			Condition: policy.Conditions{"ForAllValues:StringEquals": {"keys": {"a", "b"}}, "StringEqualsIfExists": {"x": {"y"}}},
		},
	}}
	v := map[string][]string{"k": {"v"}}
	for name, c := range map[string]struct {
		request request
		want    bool
	}{
		"condition holds":         {request{"s3:GetObject", "r", v}, true},
		"condition fails":         {request{"s3:GetObject", "r", map[string][]string{"k": {"w"}}}, false},
		"key is absent":           {request{"s3:GetObject", "r", nil}, false},
		"deny wins":               {request{"s3:GetSecret", "r", v}, false},
		"nothing allows it":       {request{"s3:PutObject", "r", v}, false},
		"all values are accepted": {request{"tag", "r", map[string][]string{"keys": {"a", "b"}}}, true},
		"one value is not":        {request{"tag", "r", map[string][]string{"keys": {"a", "c"}}}, false},
		"absent keys hold":        {request{"tag", "r", nil}, true},
		"if it exists it counts":  {request{"tag", "r", map[string][]string{"x": {"z"}}}, false},
	} {
		if got, err := Allowed([]policy.Document{document}, Request{Action: c.request.action, Resource: c.request.resource, Context: c.request.context}); err != nil || got != c.want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

func TestUnknownOperator(t *testing.T) {
	document := policy.Document{Statement: []policy.Statement{{
		Effect: policy.Allow, Action: policy.List{"a"}, Resource: policy.List{"r"}, Condition: policy.Conditions{"DateLessThan": {"k": {"v"}}},
	}}}
	if _, err := Allowed([]policy.Document{document}, Request{Action: "a", Resource: "r"}); err == nil {
		t.Error("an operator that nobody evaluates passed")
	}
}
