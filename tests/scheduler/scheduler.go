// Package scheduler says where Karpenter's own scheduler would put a pod, with
// no API server and no cloud. It is an oracle for tests: whatever it answers
// comes from the code of Karpenter and of its provider for AWS, of the versions
// that go.mod pins. Only what the API server and EC2 would have answered is
// made up here, see cloud.go and objects.go.
package scheduler

import (
	"cmp"
	"context"
	"errors"
	"slices"

	awsoptions "github.com/aws/karpenter-provider-aws/pkg/operator/options"
	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning/scheduling"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/events"
	coreoptions "sigs.k8s.io/karpenter/pkg/operator/options"
)

// Options are what the scheduler sees: one region's instance types, and the
// objects of Karpenter.
type Options struct {
	// Region is such as us-east-1.
	Region string
	// Zones are such as us-east-1a. Every instance type is offered in all of them.
	Zones []string
	// InstanceTypes is a JSON object of the names of instance types to elements
	// of EC2's DescribeInstanceTypes, as LoadInstanceTypes returns it.
	InstanceTypes []byte
	// Pools and Classes are objects of the kinds NodePool (karpenter.sh/v1) and
	// EC2NodeClass (karpenter.k8s.aws/v1). Their status is not looked at: every
	// class has a subnet in each zone and is ready, and so is every pool whose
	// class exists. They must be such as the API server accepts. That is not
	// checked here, and the code of Karpenter relies on it: it ends the process
	// for an AMI alias of no known family.
	Pools, Classes []map[string]any
}

// Verdict says where one pod would land.
type Verdict struct {
	// Pool is the name of the NodePool, and empty if none takes the pod.
	Pool string
	// InstanceTypes are those that the new NodeClaim could be, the cheapest
	// first and at most scheduling.MaxInstanceTypes. Types of equal price, which
	// Karpenter leaves in no particular order, are ordered by name.
	InstanceTypes []string
	// Reason is the scheduler's own text, if the pod lands nowhere.
	Reason string
}

// Place says for each pod where it would land, alone on an empty cluster that
// has no daemon sets and no volumes. The verdicts are in the order of the pods.
// An error means that the options are wrong, or that this package cannot
// simulate them.
func Place(ctx context.Context, o Options, pods ...*corev1.Pod) ([]Verdict, error) {
	ctx = withDefaults(ctx)
	p, err := newProvisioner(ctx, o, pods)
	if err != nil {
		return nil, err
	}
	verdicts := make([]Verdict, 0, len(pods))
	for _, pod := range pods {
		v, err := place(ctx, p, admitted(pod))
		if err != nil {
			return nil, err
		}
		verdicts = append(verdicts, v)
	}
	return verdicts, nil
}

// withDefaults adds the options that the controller's code takes from its
// context, as they are when no flag is set, and a logger that says nothing.
func withDefaults(ctx context.Context) context.Context {
	ctx = log.IntoContext(ctx, logr.Discard())
	ctx = coreoptions.ToContext(ctx, &coreoptions.Options{
		CPURequests:       1000,
		PreferencePolicy:  coreoptions.PreferencePolicyRespect,
		MinValuesPolicy:   coreoptions.MinValuesPolicyStrict,
		IgnoreDRARequests: true,
		FeatureGates:      coreoptions.DefaultFeatureGates(),
	})
	return awsoptions.ToContext(ctx, &awsoptions.Options{
		IsolatedVPC:             true,
		VMMemoryOverheadPercent: 0.075,
	})
}

// newProvisioner returns Karpenter's provisioner of an empty cluster.
func newProvisioner(ctx context.Context, o Options, pods []*corev1.Pod) (*provisioning.Provisioner, error) {
	kube, err := newKubeClient(ctx, o, pods)
	if err != nil {
		return nil, err
	}
	cloud, err := newCloudProvider(ctx, o, kube)
	if err != nil {
		return nil, err
	}
	realClock := clock.RealClock{}
	cluster := state.NewCluster(realClock, kube, cloud)
	return provisioning.NewProvisioner(kube, silence{}, cloud, cluster, realClock, nil, nil), nil
}

// place does for one pod what provisioning.Provisioner.Schedule does for all
// that are pending.
func place(ctx context.Context, p *provisioning.Provisioner, pod *corev1.Pod) (Verdict, error) {
	if err := p.Validate(ctx, pod); err != nil {
		return Verdict{Reason: "ignoring pod, " + err.Error()}, nil
	}
	pods := []*corev1.Pod{pod}
	s, err := p.NewScheduler(
		ctx, pods, nil, nil,
		scheduling.DisableReservedCapacityFallback,
		scheduling.NumConcurrentReconciles(1),
		scheduling.MinValuesPolicy(coreoptions.FromContext(ctx).MinValuesPolicy),
	)
	if errors.Is(err, provisioning.ErrNodePoolsNotFound) {
		return Verdict{Reason: "no dynamic nodepools found"}, nil
	}
	if err != nil {
		return Verdict{}, err
	}
	results, err := s.Solve(ctx, pods)
	if err != nil {
		return Verdict{}, err
	}
	for _, claim := range results.NewNodeClaims {
		order(claim)
	}
	results = results.TruncateInstanceTypes(ctx, scheduling.MaxInstanceTypes)
	if err := results.PodErrors[pod]; err != nil {
		return Verdict{Reason: err.Error()}, nil
	}
	if len(results.NewNodeClaims) != 1 {
		return Verdict{}, errors.New("the scheduler gave neither a node claim nor an error")
	}
	claim := results.NewNodeClaims[0]
	v := Verdict{Pool: claim.NodePoolName}
	for _, it := range claim.InstanceTypeOptions {
		v.InstanceTypes = append(v.InstanceTypes, it.Name)
	}
	return v, nil
}

// order sorts a claim's instance types by price and then by name. Karpenter's
// own sort by price, which follows, is not stable in general, but it leaves
// alone what is sorted already.
func order(claim *scheduling.NodeClaim) {
	price := func(it *cloudprovider.InstanceType) float64 {
		return it.Offerings.Available().Compatible(claim.Requirements).Cheapest().Price
	}
	slices.SortFunc(claim.InstanceTypeOptions, func(a, b *cloudprovider.InstanceType) int {
		return cmp.Or(cmp.Compare(price(a), price(b)), cmp.Compare(a.Name, b.Name))
	})
}

// silence drops the events of the scheduler.
type silence struct{}

// Publish implements events.Recorder.
func (silence) Publish(...events.Event) {}
