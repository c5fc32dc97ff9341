package bench

import (
	"fmt"
	"testing"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/nodepool"
	"github.com/valohai/pulumi-kubernetes-autoscaling/components/release"
)

// BenchmarkPools validates and renders many pools, each preset in turn. The time
// and the memory of 1,000 against those of 100 say whether they grow with the
// number of pools.
func BenchmarkPools(b *testing.B) {
	rel, err := release.Find(release.Newest)
	if err != nil {
		b.Fatal(err)
	}
	presets := nodepool.PresetNames()
	classes := map[string]nodepool.NodeClass{nodepool.DefaultNodeClass: {}}
	for _, n := range []int{100, 1000} {
		pools := map[string]nodepool.Pool{}
		for i := range n {
			pools[fmt.Sprintf("pool-%d", i)] = nodepool.Pool{Preset: presets[i%len(presets)]}
		}
		b.Run(fmt.Sprintf("%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := nodepool.Validate(nodepool.Target{Release: rel}, pools, classes); err != nil {
					b.Fatal(err)
				}
				for _, p := range pools {
					p.Spec(rel, nodepool.NodeClass{})
				}
			}
		})
	}
}
