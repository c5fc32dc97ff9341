package components

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/internal/pulumitest"
	"github.com/valohai/pulumi-kubernetes-autoscaling/components/nodepool"
)

// A static pool and a capacity reservation need gates of the controller, which
// are on without a word of the user.
func TestFeatureGatesFollowPools(t *testing.T) {
	replicas := 2
	for version, want := range map[string]string{"1.15.2": "map[reservedCapacity:true staticCapacity:true]", "1.8.2": "map[reservedCapacity:true staticCapacity:true]"} {
		r := runKarpenter(t, func(a *KarpenterArgs) {
			a.Version = version
			a.NodePools = map[string]nodepool.Pool{"static": {Preset: "cpu", Replicas: &replicas, Limits: map[string]nodepool.Scalar{"nodes": "3"}}}
			a.NodeClasses = map[string]nodepool.NodeClass{"default": {CapacityReservationSelectorTerms: []nodepool.CapacityReservationSelectorTerm{{ID: "cr-1"}}}}
		})
		if got := fmt.Sprint(chartValues(t, r)["settings"].ObjectValue().Mappable()["featureGates"]); got != want {
			t.Errorf("%s: %s", version, got)
		}
	}
	if settings := chartValues(t, runKarpenter(t, nil))["settings"].ObjectValue(); settings.HasValue("featureGates") {
		t.Errorf("gates without need: %v", settings)
	}
}

func TestChartRefusesWhatTheReleaseLacks(t *testing.T) {
	_, err := pulumitest.Run(t, func(ctx *pulumi.Context) error {
		_, err := NewKarpenterChart(ctx, "k", &KarpenterChartArgs{
			Cluster: exampleCluster(), ControllerRoleArn: pulumi.String("arn:aws:iam::111122223333:role/r"), Version: "1.9.3",
			EnableZonalShift: true, FeatureGates: []string{"capacityBuffer"},
			Values: map[string]any{"settings": map[string]any{"featureGates": map[string]any{"drift": true}}},
		})
		return err
	}, nil)
	for _, want := range []string{"EnableZonalShift", `FeatureGates: found "capacityBuffer"`, `["featureGates"]["drift"]`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s is not refused: %v", want, err)
		}
	}
}
