// Package release is the catalogue of Karpenter releases: what each one needs
// from AWS and Kubernetes, and what it accepts. The rest of the library asks a
// Release for a capability and never compares versions itself.
//
// The package is pure: it imports nothing of Pulumi.
package release

import (
	"fmt"
	"slices"
	"strings"
)

// Newest is the release that is used where none is named.
const Newest = "1.15.2"

// Release is one Karpenter release with its capabilities.
type Release struct {
	// Version is the full version without a leading "v", such as "1.15.2".
	Version string

	Capabilities
}

// Capabilities are the facts of a Karpenter release. Each says what the release
// has or does, not since when.
//
// Source: https://github.com/aws/karpenter-provider-aws, the reference
// template, the charts and the compatibility page of each tag.
type Capabilities struct {
	// MinKubernetes and MaxKubernetes are the Kubernetes minors ("1.34") that
	// the release supports, both included.
	MinKubernetes, MaxKubernetes string

	// ServesV1: NodePool and EC2NodeClass exist as v1.
	ServesV1 bool
	// ChartTagHasV: the tag of the OCI chart starts with "v".
	ChartTagHasV bool

	// ScopesLaunchTemplates: the controller needs the launch templates of its
	// own cluster only.
	ScopesLaunchTemplates bool
	// TagsClusterName: what the controller makes carries the tag
	// eks:eks-cluster-name.
	TagsClusterName bool
	// DescribesZones: the controller calls ec2:DescribeAvailabilityZones.
	DescribesZones bool
	// UsesCapacityReservations: the controller can launch into a capacity
	// reservation.
	UsesCapacityReservations bool
	// TagsCapacityReservations: a launch into a capacity reservation is
	// authorised with the tags of the request as well.
	TagsCapacityReservations bool
	// PullsImagesOnly: AmazonEC2ContainerRegistryPullOnly is enough for the node
	// role, in place of AmazonEC2ContainerRegistryReadOnly.
	PullsImagesOnly bool
	// ListsInstanceProfiles: the controller calls iam:ListInstanceProfiles.
	// Without the permission an EC2NodeClass is never deleted.
	ListsInstanceProfiles bool
	// WatchesCapacityReservations: the interruption of an instance in a capacity
	// reservation is announced by an event of its own.
	WatchesCapacityReservations bool
	// UsesPlacementGroups: the controller can launch into a placement group.
	UsesPlacementGroups bool
	// DescribesInstanceStatus: the controller calls ec2:DescribeInstanceStatus,
	// with or without an interruption queue.
	DescribesInstanceStatus bool
	// SupportsZonalShift: the controller can follow a zonal shift of the cluster
	// (settings.enableZonalShift).
	SupportsZonalShift bool
	// MaxRequirements bounds the requirements of a NodePool.
	MaxRequirements int
	// ChangesRoles: the role of an EC2NodeClass may change, and it may go over to
	// an instance profile. Before, the API server refuses both.
	ChangesRoles bool
	// AllowsKubernetesLabels: nodes may have labels of the domains kubernetes.io
	// and k8s.io that nobody lists.
	AllowsKubernetesLabels bool
	// RebootsInstances: the controller calls ec2:RebootInstances.
	RebootsInstances bool
	// FeatureGates are the gates that the chart of the release has.
	FeatureGates []string
}

// Feature gates that fields of pools and classes need.
const (
	GateReservedCapacity = "reservedCapacity"
	GateStaticCapacity   = "staticCapacity"
)

// Find returns the release of a version, "1.15.2" or "v1.15.2". The empty
// version is Newest. The error says what the catalogue has.
func Find(version string) (Release, error) {
	if version == "" {
		version = Newest
	}
	v, err := parse(version)
	if err != nil {
		return Release{}, err
	}
	var found *entry
	for i := range catalogue {
		if e := &catalogue[i]; v.sameMinor(e.since) && v.compare(e.since) >= 0 {
			found = e
		}
	}
	if found == nil {
		return Release{}, fmt.Errorf("karpenter %s is not in the catalogue, which has %s", version, strings.Join(Minors(), ", "))
	}
	return Release{Version: v.String(), Capabilities: found.Capabilities}, nil
}

// Lacks tells whether the release's API lacks something that a later one has,
// and the first release that has it. field is a path in Karpenter's own words
// below "pool." or "class.", or a value after its kind: "family.al2023",
// "operator.Gte", "policy.Balanced", "reason.Unhealthy", and "key." before the
// name of a label of the domain karpenter.k8s.aws. What the catalogue does not
// list, every release has.
func (r Release) Lacks(field string) (first string, lacks bool) {
	v, err := parse(r.Version)
	if err != nil {
		return "", false
	}
	for _, e := range catalogue {
		if slices.Contains(e.fields, field) {
			return e.since.String(), v.compare(e.since) < 0
		}
	}
	return "", false
}

// Minors returns the catalogued minors ("1.15"), the oldest first.
func Minors() []string {
	var minors []string
	for _, e := range catalogue {
		if m := e.since.minorString(); len(minors) == 0 || minors[len(minors)-1] != m {
			minors = append(minors, m)
		}
	}
	return minors
}

// All returns the first version of every entry of the catalogue, the oldest
// first: one release for each set of capabilities.
func All() []Release {
	releases := make([]Release, len(catalogue))
	for i, e := range catalogue {
		releases[i] = Release{Version: e.since.String(), Capabilities: e.Capabilities}
	}
	return releases
}

// ChartTag returns the tag of the release's charts in their OCI registry.
func (r Release) ChartTag() string {
	if r.ChartTagHasV {
		return "v" + r.Version
	}
	return r.Version
}

// CheckKubernetes returns an error if the release does not support a Kubernetes
// version, written as "1.34" or with more parts as an API server reports it.
// The error says which release to take instead.
func (r Release) CheckKubernetes(version string) error {
	minor, err := kubernetesMinor(version)
	if err != nil {
		return err
	}
	if r.supports(minor) {
		return nil
	}
	remedy := "no catalogued Karpenter supports it"
	for _, e := range catalogue {
		if e.supports(minor) {
			remedy = fmt.Sprintf("use Karpenter %s or a later one that supports it", e.since)
			break
		}
	}
	return fmt.Errorf("karpenter %s supports Kubernetes %s to %s, and the cluster has %s: %s",
		r.Version, r.MinKubernetes, r.MaxKubernetes, version, remedy)
}

func (c Capabilities) supports(minor int) bool {
	low, errLow := kubernetesMinor(c.MinKubernetes)
	high, errHigh := kubernetesMinor(c.MaxKubernetes)
	return errLow == nil && errHigh == nil && low <= minor && minor <= high
}
