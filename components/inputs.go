package components

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/policy"
)

// stringOf applies a pure function to an input.
func stringOf(f func(string) string, in pulumi.StringInput) pulumi.StringOutput {
	return in.ToStringOutput().ApplyT(f).(pulumi.StringOutput)
}

// documentOf renders a document that depends on one input.
func documentOf(f func(string) policy.Document, in pulumi.StringInput) pulumi.StringOutput {
	return stringOf(func(s string) string { return f(s).JSON() }, in)
}

// nameOr returns a user's name for something, or the one that is made.
func nameOr(given string, made pulumi.StringOutput) pulumi.StringPtrInput {
	if given != "" {
		return pulumi.String(given)
	}
	return made
}

// orEmpty returns an input, or the empty text for none.
func orEmpty(in pulumi.StringInput) pulumi.StringInput {
	if in == nil {
		return pulumi.String("")
	}
	return in
}

func defaulted(value, otherwise string) string {
	if value == "" {
		return otherwise
	}
	return value
}
