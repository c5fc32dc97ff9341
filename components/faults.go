package components

import (
	"errors"
	"fmt"

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

// of returns the faults as one error that names the component, or nil.
func (f faults) of(component, name string) error {
	if len(f) == 0 {
		return nil
	}
	return fmt.Errorf("%s %q: %w", component, name, errors.Join(f...))
}
