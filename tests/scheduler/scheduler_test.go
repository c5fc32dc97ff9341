package scheduler

import (
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	category     = "karpenter.k8s.aws/instance-category"
	family       = "karpenter.k8s.aws/instance-family"
	manufacturer = "karpenter.k8s.aws/instance-gpu-manufacturer"
	arch         = "kubernetes.io/arch"
	capacityType = "karpenter.sh/capacity-type"
	gpu          = "nvidia.com/gpu"
)

var instanceTypes = sync.OnceValues(func() ([]byte, error) {
	tools := os.Getenv("AUTOSCALING_TOOLS")
	if tools == "" {
		return nil, errors.New("AUTOSCALING_TOOLS is not set")
	}
	return LoadInstanceTypes(tools)
})

func options(t *testing.T, pools ...map[string]any) Options {
	t.Helper()
	data, err := instanceTypes()
	if err != nil {
		t.Fatal(err)
	}
	return Options{
		Region: "us-east-1", Zones: []string{"us-east-1a", "us-east-1b"}, InstanceTypes: data, Pools: pools,
		Classes: []map[string]any{{
			"apiVersion": "karpenter.k8s.aws/v1", "kind": "EC2NodeClass", "metadata": map[string]any{"name": "default"},
			"spec": map[string]any{
				"amiSelectorTerms": []any{map[string]any{"alias": "al2023@latest"}},
				"blockDeviceMappings": []any{map[string]any{
					"deviceName": "/dev/xvda", "ebs": map[string]any{"volumeSize": "100Gi", "volumeType": "gp3"},
				}},
			},
		}},
	}
}

// in is a requirement that a label has one of the values.
func in(key string, values ...string) map[string]any {
	return map[string]any{"key": key, "operator": "In", "values": values}
}

// pool returns a NodePool of the class default.
func pool(name string, requirements ...map[string]any) map[string]any {
	return map[string]any{
		"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": map[string]any{"name": name},
		"spec": map[string]any{"template": map[string]any{"spec": map[string]any{
			"nodeClassRef": map[string]any{"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"},
			"requirements": requirements,
		}}},
	}
}

func cpuPool(name string) map[string]any {
	return pool(name, in(category, "c", "m", "r"), in(capacityType, "on-demand"), in(arch, "amd64"))
}

func gpuPool() map[string]any {
	p := pool("gpu", in(category, "g", "p"), in(manufacturer, "nvidia"), in(capacityType, "on-demand"), in(arch, "amd64"))
	return tainted(p, "taints", gpu, "NoSchedule")
}

// set changes a field of an object, and returns the object.
func set(object map[string]any, value any, path ...string) map[string]any {
	parent := object
	for _, name := range path[:len(path)-1] {
		next, ok := parent[name].(map[string]any)
		if !ok {
			next = map[string]any{}
			parent[name] = next
		}
		parent = next
	}
	parent[path[len(path)-1]] = value
	return object
}

// weighing sets the weight of a pool, and returns the pool.
func weighing(pool map[string]any, weight int) map[string]any {
	return set(pool, weight, "spec", "weight")
}

// tainted gives a pool one taint, in its taints or startupTaints, and returns the pool.
func tainted(pool map[string]any, field, key, effect string) map[string]any {
	taint := map[string]any{"key": key, "value": "true", "effect": effect}
	return set(pool, []any{taint}, "spec", "template", "spec", field)
}

// pod returns a pod that requests a number of CPUs.
func pod(cpu string, change ...func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "pod"},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)},
			Limits:   corev1.ResourceList{},
		}}}},
	}
	for _, f := range change {
		f(p)
	}
	return p
}

func limited(name, quantity string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.Containers[0].Resources.Limits[corev1.ResourceName(name)] = resource.MustParse(quantity)
	}
}

func selecting(key, value string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Spec.NodeSelector = map[string]string{key: value} }
}

func tolerating(key string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.Tolerations = append(p.Spec.Tolerations, corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists})
	}
}

func placeOne(t *testing.T, o Options, p *corev1.Pod) Verdict {
	t.Helper()
	verdicts, err := Place(t.Context(), o, p)
	if err != nil {
		t.Fatal(err)
	}
	return verdicts[0]
}

func TestPlace(t *testing.T) {
	small := set(cpuPool("small"), map[string]any{"cpu": "500m"}, "spec", "limits")
	limited8 := set(cpuPool("limited"), map[string]any{"cpu": 8}, "spec", "limits")
	labelled := set(cpuPool("labelled"), map[string]any{"team": "blue"}, "spec", "template", "metadata", "labels")
	varied := pool("varied", map[string]any{"key": family, "operator": "In", "values": []any{"c5", "m5"}, "minValues": 2})
	soft := tainted(weighing(cpuPool("soft"), 5), "taints", "soft", "PreferNoSchedule")
	starting := tainted(cpuPool("starting"), "startupTaints", "start", "NoSchedule")
	noClass := set(cpuPool("no-class"), "missing", "spec", "template", "spec", "nodeClassRef", "name")

	tests := []struct {
		name   string
		pools  []map[string]any
		pod    *corev1.Pod
		pool   string
		first  string // the cheapest instance type, not looked at if empty
		reason string // a part of it
	}{
		{name: "the cheapest that fits", pools: []map[string]any{cpuPool("cpu")}, pod: pod("2"), pool: "cpu", first: "c6a.xlarge"},
		{name: "GPU", pools: []map[string]any{gpuPool(), cpuPool("cpu")}, pod: pod("1", limited(gpu, "1"), tolerating(gpu)), pool: "gpu", first: "g4dn.xlarge"},
		{name: "GPU without toleration", pools: []map[string]any{gpuPool(), cpuPool("cpu")}, pod: pod("1", limited(gpu, "1")), reason: "did not tolerate taint"},
		{name: "no GPU with toleration", pools: []map[string]any{gpuPool()}, pod: pod("1", tolerating(gpu)), pool: "gpu", first: "g6f.large"},
		{name: "too large", pools: []map[string]any{cpuPool("cpu")}, pod: pod("1000"), reason: "no instance type has enough resources"},
		{name: "other architecture", pools: []map[string]any{cpuPool("cpu")}, pod: pod("1", selecting(arch, "arm64")), reason: "key kubernetes.io/arch"},
		{name: "architecture of the pool", pools: []map[string]any{cpuPool("cpu")}, pod: pod("1", selecting(arch, "amd64")), pool: "cpu"},
		{name: "limits too small for any type", pools: []map[string]any{small}, pod: pod("500m"), reason: "all available instance types exceed limits for nodepool"},
		{name: "too large for the limits", pools: []map[string]any{limited8}, pod: pod("8"), reason: "no instance type has enough resources"},
		{name: "within the limits", pools: []map[string]any{limited8}, pod: pod("7"), pool: "limited"},
		{name: "weight", pools: []map[string]any{cpuPool("z-light"), weighing(cpuPool("a-heavy"), 10)}, pod: pod("1"), pool: "a-heavy"},
		{name: "last name of equal weights", pools: []map[string]any{cpuPool("a"), cpuPool("c"), cpuPool("b")}, pod: pod("1"), pool: "c"},
		{name: "unknown label", pools: []map[string]any{cpuPool("cpu")}, pod: pod("1", selecting("team", "blue")), reason: `label "team" does not have known values`},
		{name: "label of the pool", pools: []map[string]any{labelled}, pod: pod("1", selecting("team", "blue")), pool: "labelled"},
		{name: "restricted label", pools: []map[string]any{cpuPool("cpu")}, pod: pod("1", selecting("karpenter.sh/other", "x")), reason: "using label karpenter.sh/other is not allowed"},
		{name: "well-known label the pool is silent on", pools: []map[string]any{cpuPool("cpu")}, pod: pod("1", selecting(family, "m5")), pool: "cpu", first: "m5.large"},
		{name: "minValues", pools: []map[string]any{varied}, pod: pod("1"), pool: "varied", first: "c5.large"},
		{name: "minValues not met", pools: []map[string]any{varied}, pod: pod("1", selecting(family, "m5")), reason: "minValues requirement is not met"},
		{name: "PreferNoSchedule gives way to a lighter pool", pools: []map[string]any{soft, cpuPool("cpu")}, pod: pod("1"), pool: "cpu"},
		{name: "PreferNoSchedule alone", pools: []map[string]any{soft}, pod: pod("1"), pool: "soft"},
		{name: "startup taints need no toleration", pools: []map[string]any{starting}, pod: pod("1"), pool: "starting"},
		{name: "no pool", pod: pod("1"), reason: "no dynamic nodepools found"},
		{name: "pool without its class", pools: []map[string]any{noClass}, pod: pod("1"), reason: "no dynamic nodepools found"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			v := placeOne(t, options(t, test.pools...), test.pod)
			if v.Pool != test.pool || !strings.Contains(v.Reason, test.reason) || (v.Pool == "") != (v.Reason != "") {
				t.Fatalf("pool %q, reason %q, want pool %q, reason %q", v.Pool, v.Reason, test.pool, test.reason)
			}
			if test.first != "" && v.InstanceTypes[0] != test.first {
				t.Errorf("the cheapest is %s of %d, want %s", v.InstanceTypes[0], len(v.InstanceTypes), test.first)
			}
		})
	}
}

func TestPlaceEachAlone(t *testing.T) {
	o := options(t, weighing(gpuPool(), 20), cpuPool("cpu"))
	pods := []*corev1.Pod{pod("1000"), pod("1"), pod("1", limited(gpu, "4"), tolerating(gpu)), pod("1")}
	verdicts, err := Place(t.Context(), o, pods...)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Place(t.Context(), o, pods...)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"", "cpu", "gpu", "cpu"} {
		if verdicts[i].Pool != want {
			t.Errorf("pod %d lands in %q (%s), want %q", i, verdicts[i].Pool, verdicts[i].Reason, want)
		}
		if !slices.Equal(verdicts[i].InstanceTypes, again[i].InstanceTypes) {
			t.Errorf("pod %d has other instance types the second time", i)
		}
	}
	if len(pods[2].Spec.Containers[0].Resources.Requests) != 1 {
		t.Error("the caller's pod was changed")
	}
}

func TestZoneID(t *testing.T) {
	for zone, want := range map[string]string{
		"us-east-1a": "use1-az1", "eu-west-3c": "euw3-az3", "ap-southeast-2b": "apse2-az2",
		"us-gov-west-1a": "usgw1-az1", "eu-north-1b": "eun1-az2", "": "", "us-east-1": "",
	} {
		if got, err := zoneID(zone); got != want || (err != nil) != (want == "") {
			t.Errorf("zoneID(%q) = %q, %v, want %q", zone, got, err, want)
		}
	}
}
