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
	if len(statements) == 0 {
		return nil
	}
	var errs []error
	taken := ownSids()
	for i, s := range statements {
		at := fmt.Sprintf("%s[%d]", path, i)
		errs = append(errs, s.check(at), checkSid(at, s.Sid, taken))
		taken = append(taken, s.Sid)
	}
	if err := newDocument(statements...).CheckSize(MaxManagedSize); err != nil {
		errs = append(errs, fmt.Errorf("%s: %w", path, err))
	}
	return errors.Join(errs...)
}

// check returns the faults of a statement that IAM would refuse in the
// permissions of a role.
func (s Statement) check(at string) error {
	var errs []error
	add := func(field, found, allowed string) {
		errs = append(errs, fmt.Errorf("%s.%s: found %s, allowed is %s", at, field, found, allowed))
	}
	if s.Effect != Allow && s.Effect != Deny {
		add("Effect", fmt.Sprintf("%q", s.Effect), "Allow or Deny: write one of these")
	}
	if len(s.Action) == 0 || slices.Contains(s.Action, "") {
		add("Action", fmt.Sprintf("%q", []string(s.Action)), `at least one action: write it as "service:Action"`)
	}
	if len(s.Resource) == 0 || slices.Contains(s.Resource, "") {
		add("Resource", fmt.Sprintf("%q", []string(s.Resource)), `at least one ARN, or "*": say what the actions are for`)
	}
	if len(s.Principal) > 0 {
		add("Principal", "one", "none in the permissions of a role: leave it out")
	}
	return errors.Join(errs...)
}

// checkSid returns an error if the name of a statement has a wrong form or is
// taken.
func checkSid(at, sid string, taken []string) error {
	allowed := ""
	switch {
	case !sidForm.MatchString(sid):
		allowed = "letters and digits"
	case sid != "" && slices.Contains(taken, sid):
		allowed = "a name that no other statement has"
	default:
		return nil
	}
	return fmt.Errorf("%s.Sid: found %q, allowed is %s: rename it", at, sid, allowed)
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
