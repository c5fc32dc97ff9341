package policy

import (
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/release"
)

// Limits of IAM, in characters without white space.
//
// Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
const (
	// MaxManagedSize bounds one managed policy.
	MaxManagedSize = 6144
	// MaxInlineSize bounds all inline policies of a role together.
	MaxInlineSize = 10240
	// MaxTrustSize bounds a trust policy.
	MaxTrustSize = 2048
)

// CheckSize returns an error if a document is larger than IAM takes.
func (d Document) CheckSize(limit int) error {
	if size := d.Size(); size > limit {
		return fmt.Errorf("the policy has %d characters, allowed are %d: use fewer or shorter additional statements, or managed policies "+
			"instead of an inline one", size, limit)
	}
	return nil
}

var sidForm = regexp.MustCompile(`^[A-Za-z0-9]*$`)

// CheckStatements returns every fault of statements that a user adds to the
// permissions of the controller role. path is how the user calls the list.
func CheckStatements(path string, statements []Statement) error {
	var errs []error
	add := func(i int, field, found, allowed string) {
		errs = append(errs, fmt.Errorf("%s[%d].%s: found %s, allowed is %s", path, i, field, found, allowed))
	}
	taken := ownSids()
	for i, s := range statements {
		if s.Effect != Allow && s.Effect != Deny {
			add(i, "Effect", fmt.Sprintf("%q", s.Effect), "Allow or Deny: write one of these")
		}
		if len(s.Action) == 0 || slices.Contains(s.Action, "") {
			add(i, "Action", fmt.Sprintf("%q", []string(s.Action)), `at least one action: write it as "service:Action"`)
		}
		if len(s.Resource) == 0 || slices.Contains(s.Resource, "") {
			add(i, "Resource", fmt.Sprintf("%q", []string(s.Resource)), `at least one ARN, or "*": say what the actions are for`)
		}
		if len(s.Principal) > 0 {
			add(i, "Principal", "one", "none in the permissions of a role: leave it out")
		}
		if !sidForm.MatchString(s.Sid) {
			add(i, "Sid", fmt.Sprintf("%q", s.Sid), "letters and digits: rename it")
		} else if s.Sid != "" && slices.Contains(taken, s.Sid) {
			add(i, "Sid", fmt.Sprintf("%q", s.Sid), "a name that no other statement has: rename it")
		}
		taken = append(taken, s.Sid)
	}
	if err := newDocument(statements...).CheckSize(MaxManagedSize); err != nil {
		errs = append(errs, fmt.Errorf("%s: %w", path, err))
	}
	return errors.Join(errs...)
}

// ownSids are the names of the statements of all releases.
func ownSids() []string {
	var sids []string
	for _, r := range release.All() {
		groups := Groups(r, Features{InterruptionQueue: true, ZonalShift: true, VolumeEncryption: true})
		for _, s := range ControllerInline(r, groups, ControllerInput{Partition: "aws", QueueKmsKeyArn: "any"}).Statement {
			sids = append(sids, s.Sid)
		}
	}
	return sids
}
