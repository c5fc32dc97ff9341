package components

import (
	"errors"
	"fmt"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/internal/names"
	"github.com/valohai/pulumi-kubernetes-autoscaling/components/release"
)

// faults collects everything that is wrong with the arguments of a component,
// so that a user reads it all at once.
type faults []error

// add records a fault of a field: what was found, and what to do about it.
func (f *faults) add(field, found, remedy string) {
	*f = append(*f, fmt.Errorf("%s: %s: %s", field, found, remedy))
}

// require records a fault if a required argument is missing.
func (f *faults) require(field string, present bool) {
	if !present {
		f.add(field, "missing", "it is required")
	}
}

// wrap records the fault of a field that another check found.
func (f *faults) wrap(field string, err error) {
	if err != nil {
		*f = append(*f, fmt.Errorf("%s: %w", field, err))
	}
}

// optional records the fault of a text that is set and does not pass a check.
func (f *faults) optional(field, value string, check func(string) error) {
	if value != "" {
		f.wrap(field, check(value))
	}
}

// keyArn records a fault if a key's ARN is known and is none.
func (f *faults) keyArn(field string, in pulumi.StringInput) {
	if arn, known := in.(pulumi.String); known {
		f.wrap(field, names.CheckKeyArn(string(arn)))
	}
}

// include adds the faults that another check found.
func (f *faults) include(err error) {
	if err != nil {
		*f = append(*f, err)
	}
}

// common checks the two arguments that nearly every component takes, and
// returns the release.
func (f *faults) common(cluster *Cluster, version string) release.Release {
	rel, err := release.Find(version)
	if err != nil {
		f.add("Version", err.Error(), "choose a catalogued release")
	}
	f.include(cluster.check())
	return rel
}

// zonalShift records a fault if the release cannot follow a zonal shift.
func (f *faults) zonalShift(rel release.Release, enabled bool) {
	if enabled && rel.Version != "" && !rel.SupportsZonalShift {
		f.add("EnableZonalShift", "Karpenter "+rel.Version+" cannot follow a zonal shift", "leave it out, or use 1.12.0 or later")
	}
}

// of returns the faults as one error that names the component, or nil. A fault
// that two parts of a component found is reported once.
func (f faults) of(component, name string) error {
	var once faults
	for _, fault := range f {
		if !slices.ContainsFunc(once, func(e error) bool { return e.Error() == fault.Error() }) {
			once = append(once, fault)
		}
	}
	if len(once) == 0 {
		return nil
	}
	return fmt.Errorf("%s %q: %w", component, name, errors.Join(once...))
}
