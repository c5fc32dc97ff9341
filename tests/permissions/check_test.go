package permissions

import (
	"slices"
	"strings"
	"testing"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/policy"
	"github.com/valohai/pulumi-kubernetes-autoscaling/tests/localcloud"
)

// TestDenied has documents that allow too little in each way: in the action, the resource, the
// conditions.
func TestDenied(t *testing.T) {
	owned := policy.Conditions{"StringEquals": {"aws:ResourceTag/owner": {"ml"}}}
	allow := func(action, resource string, c policy.Conditions) policy.Document {
		return policy.Document{Statement: []policy.Statement{{
			Effect: policy.Allow, Action: policy.List{action}, Resource: policy.List{resource}, Condition: c,
		}}}
	}
	needs, _, err := Needs(account, []localcloud.Call{recorded("ec2:TerminateInstances", object{"InstanceIds": objects{"i-1"}}, node)})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		document policy.Document
		want     int
	}{
		"enough":             {allow("ec2:TerminateInstances", ec2Arn+"instance/*", owned), 0},
		"another action":     {allow("ec2:StopInstances", ec2Arn+"instance/*", owned), 1},
		"another resource":   {allow("ec2:TerminateInstances", ec2Arn+"volume/*", owned), 1},
		"another owner":      {allow("ec2:TerminateInstances", ec2Arn+"instance/*", policy.Conditions{"StringEquals": {"aws:ResourceTag/owner": {"web"}}}), 1},
		"without the action": {Without([]policy.Document{allow("ec2:TerminateInstances", "*", nil)}, "ec2:TerminateInstances")[0], 1},
	} {
		if got := denied(t, []policy.Document{c.document}, needs); len(got) != c.want {
			t.Errorf("%s: denied are %v, want %d", name, got, c.want)
		}
	}
	said := needs[0].String()
	for _, part := range []string{"ec2:TerminateInstances on " + node.ARN, "aws:ResourceTag/owner=ml"} {
		if !strings.Contains(said, part) {
			t.Errorf("%q does not say %q", said, part)
		}
	}
	unknown := allow("ec2:TerminateInstances", "*", policy.Conditions{"DateLessThan": {"aws:CurrentTime": {"2026"}}})
	if _, err := Denied([]policy.Document{unknown}, needs); err == nil {
		t.Error("a condition that cannot be evaluated is no error")
	}
}

func TestGrantedAndWithout(t *testing.T) {
	documents := []policy.Document{
		{Statement: []policy.Statement{{Effect: policy.Allow, Action: policy.List{"b", "a"}}, {Effect: policy.Deny, Action: policy.List{"c"}}}},
		{Statement: []policy.Statement{{Effect: policy.Allow, Action: policy.List{"a"}}}},
	}
	if got := Granted(documents); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("granted are %v", got)
	}
	if got := Granted(Without(documents, "a")); !slices.Equal(got, []string{"b"}) {
		t.Errorf("without a are granted %v", got)
	}
	if got := Granted(documents); len(got) != 2 {
		t.Errorf("Without changed the documents: %v", got)
	}
}
