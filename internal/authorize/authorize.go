// Package authorize evaluates IAM policy documents as IAM does, for tests: what
// a role may do is a question to its documents, and denials matter more than
// grants.
package authorize

import (
	"fmt"
	"slices"
	"strings"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/policy"
)

// Request is a call that AWS is asked to authorise.
type Request struct {
	// Principal is who calls: a service such as "ec2.amazonaws.com" or an ARN. It
	// counts only for documents that name principals, as trust policies and
	// queue policies do.
	Principal string
	// Action, such as "ec2:RunInstances".
	Action string
	// Resource is one ARN that the call touches, or "*" for a call that has no
	// resource to name. A call that touches several needs a request for each.
	Resource string
	// Context holds the condition keys of the request with their values.
	Context map[string][]string
}

// Allowed evaluates documents: an explicit deny wins, then any allow, and
// nothing is allowed by default. It returns an error for a condition
// operator that it cannot evaluate.
//
// Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
func Allowed(documents []policy.Document, r Request) (bool, error) {
	allow := false
	for _, d := range documents {
		for _, s := range d.Statement {
			if !matchesAny(s.Action, r.Action) || !isFor(s, r) {
				continue
			}
			holds, err := conditionsHold(s.Condition, r.Context)
			if err != nil {
				return false, fmt.Errorf("statement %s: %w", s.Sid, err)
			}
			if !holds {
				continue
			}
			if s.Effect == policy.Deny {
				return false, nil
			}
			allow = true
		}
	}
	return allow, nil
}

// isFor tells whether a statement is about the caller and the resource of a
// request. A trust policy names no resource: it is the role's own.
func isFor(s policy.Statement, r Request) bool {
	if len(s.Resource) > 0 && !matchesAny(s.Resource, r.Resource) {
		return false
	}
	for _, names := range s.Principal {
		if slices.Contains(names, "*") || slices.Contains(names, r.Principal) {
			return true
		}
	}
	return len(s.Principal) == 0
}

// conditionsHold evaluates a statement's conditions: all operators and all keys
// of each must hold.
func conditionsHold(conditions policy.Conditions, context map[string][]string) (bool, error) {
	for operator, keys := range conditions {
		for key, accepted := range keys {
			values, present := context[key]
			holds, err := operatorHolds(operator, accepted, values, present)
			if err != nil || !holds {
				return false, err
			}
		}
	}
	return true, nil
}

func operatorHolds(operator string, accepted, values []string, present bool) (bool, error) {
	equal := func(v string) bool { return slices.Contains(accepted, v) }
	like := func(v string) bool { return matchesAny(accepted, v) }
	switch operator {
	case "StringEquals", "Bool":
		return present && slices.ContainsFunc(values, equal), nil
	case "StringEqualsIfExists":
		return !present || slices.ContainsFunc(values, equal), nil
	case "StringLike", "ArnLike", "ArnEquals":
		return present && slices.ContainsFunc(values, like), nil
	case "ForAllValues:StringEquals":
		// Also holds for a request without the key.
		return !slices.ContainsFunc(values, func(v string) bool { return !equal(v) }), nil
	}
	return false, fmt.Errorf("no evaluation of condition operator %s", operator)
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
