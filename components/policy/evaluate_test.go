package policy

import (
	"slices"
	"strings"
	"testing"
)

// request is a call that AWS is asked to authorise.
type request struct {
	action, resource string
	// context holds the condition keys of the request with their values.
	context map[string][]string
}

// allowed evaluates identity-based policies as IAM does: an explicit deny wins,
// then any allow, and nothing is allowed by default.
//
// Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
func allowed(t *testing.T, documents []Document, r request) bool {
	t.Helper()
	allow := false
	for _, d := range documents {
		for _, s := range d.Statement {
			if !matchesAny(s.Action, r.action) || !matchesAny(s.Resource, r.resource) || !holds(t, s.Condition, r.context) {
				continue
			}
			if s.Effect == Deny {
				return false
			}
			allow = true
		}
	}
	return allow
}

// holds evaluates a statement's conditions: all operators and all keys of each
// must hold.
func holds(t *testing.T, conditions Conditions, context map[string][]string) bool {
	t.Helper()
	for operator, keys := range conditions {
		for key, accepted := range keys {
			values, present := context[key]
			if !holdsOne(t, operator, accepted, values, present) {
				return false
			}
		}
	}
	return true
}

func holdsOne(t *testing.T, operator string, accepted, values []string, present bool) bool {
	t.Helper()
	equal := func(v string) bool { return slices.Contains(accepted, v) }
	switch operator {
	case "StringEquals", "Bool":
		return present && slices.ContainsFunc(values, equal)
	case "StringEqualsIfExists":
		return !present || slices.ContainsFunc(values, equal)
	case "StringLike":
		return present && slices.ContainsFunc(values, func(v string) bool { return matchesAny(accepted, v) })
	case "ForAllValues:StringEquals":
		// Also holds for a request without the key.
		return !slices.ContainsFunc(values, func(v string) bool { return !equal(v) })
	}
	t.Fatalf("no evaluation of condition operator %s", operator)
	return false
}

func matchesAny(patterns []string, s string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return matches(p, s) })
}

// matches is IAM's wildcard match: * is any text, ? any one character.
func matches(pattern, s string) bool {
	head, rest, star := strings.Cut(pattern, "*")
	if !star {
		return len(head) == len(s) && samePrefix(head, s)
	}
	if len(s) < len(head) || !samePrefix(head, s) {
		return false
	}
	for i := len(head); i <= len(s); i++ {
		if matches(rest, s[i:]) {
			return true
		}
	}
	return false
}

func samePrefix(pattern, s string) bool {
	for i := range pattern {
		if pattern[i] != '?' && pattern[i] != s[i] {
			return false
		}
	}
	return true
}

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

func TestEvaluation(t *testing.T) {
	document := newDocument(
		Statement{Effect: Allow, Action: List{"s3:Get*"}, Resource: List{"*"}, Condition: only("StringEquals", map[string]string{"k": "v"})},
		Statement{Effect: Deny, Action: List{"s3:GetSecret"}, Resource: List{"*"}},
		Statement{
			Effect: Allow, Action: List{"tag"}, Resource: List{"*"},
			Condition: Conditions{"ForAllValues:StringEquals": {"keys": {"a", "b"}}, "StringEqualsIfExists": {"x": {"y"}}},
		},
	)
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
		if got := allowed(t, []Document{document}, c.request); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
