package conformance

import (
	"fmt"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/nodepool"
	"github.com/valohai/pulumi-kubernetes-autoscaling/components/release"
)

const devicePlugin = release.DevicePluginChart + "-" + release.DevicePluginVersion + ".tgz"

// gpuPools are pools of every kind that the plugin has to know.
func gpuPools(t *testing.T, extra map[string]any) release.DevicePlugin {
	t.Helper()
	plugin, needed := nodepool.DevicePlugin(find(t, release.Newest), map[string]nodepool.Pool{
		"gpu":    {Preset: "gpu", Taints: []nodepool.Taint{{Key: "nvidia.com/gpu", Value: "true", Effect: "NoSchedule"}, {Key: "team", Value: "ml", Effect: "NoExecute"}}},
		"shared": {Preset: "gpu", GPUSharing: &nodepool.GPUSharing{TimeSlicing: 4}},
		"rocket": {Preset: "gpu", NodeClass: "rocket"},
	}, map[string]nodepool.NodeClass{"default": {}, "rocket": {AMIAlias: "bottlerocket@latest"}})
	if !needed {
		t.Fatal("no pool needs the plugin")
	}
	plugin.Extra = extra
	return plugin
}

func TestDevicePluginKnowsOurValues(t *testing.T) {
	mustKnow(t, devicePlugin, gpuPools(t, nil).Chart())
}

// runsOn tells whether a DaemonSet has a pod on a node with labels and taints, by
// the code of Kubernetes.
func runsOn(t *testing.T, pod corev1.PodSpec, labels map[string]string, taints ...corev1.Taint) bool {
	t.Helper()
	matches, err := nodeaffinity.GetRequiredNodeAffinity(&corev1.Pod{Spec: pod}).Match(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Labels: labels}})
	if err != nil {
		t.Fatal(err)
	}
	for _, taint := range taints {
		tolerated := false
		for _, toleration := range pod.Tolerations {
			tolerated = tolerated || toleration.ToleratesTaint(&taint)
		}
		matches = matches && tolerated
	}
	return matches
}

// The rendered plugin runs where it must and nowhere else, and so does what
// discovers features, if a user switches it on.
func TestDevicePluginRuns(t *testing.T) {
	sets := render[appsv1.DaemonSet](t, devicePlugin, "nvidia-device-plugin", "DaemonSet", gpuPools(t, map[string]any{"gfd": map[string]any{"enabled": true}}).Chart())
	linux := func(labels ...string) map[string]string {
		m := map[string]string{"kubernetes.io/os": "linux"}
		for i := 0; i < len(labels); i += 2 {
			m[labels[i]] = labels[i+1]
		}
		return m
	}
	const present, pool = "nvidia.com/gpu.present", "karpenter.sh/nodepool"
	gpu := corev1.Taint{Key: "nvidia.com/gpu", Value: "true", Effect: corev1.TaintEffectNoSchedule}
	team := corev1.Taint{Key: "team", Value: "ml", Effect: corev1.TaintEffectNoExecute}
	for name, c := range map[string]struct {
		labels map[string]string
		taints []corev1.Taint
		want   bool
	}{
		"a node of the pool":          {linux(present, "true", pool, "gpu"), []corev1.Taint{gpu, team}, true},
		"Karpenter's own label":       {linux("karpenter.k8s.aws/instance-gpu-manufacturer", "nvidia", pool, "other"), []corev1.Taint{gpu}, true},
		"a node group":                {linux("feature.node.kubernetes.io/pci-10de.present", "true"), nil, true},
		"no GPU":                      {linux(pool, "cpu"), nil, false},
		"an AMD GPU":                  {linux("karpenter.k8s.aws/instance-gpu-manufacturer", "amd"), nil, false},
		"Bottlerocket":                {linux(present, "true", pool, "rocket"), []corev1.Taint{gpu}, false},
		"a node of the GPU operator":  {linux(present, "true", "nvidia.com/gpu.deploy.device-plugin", "true"), nil, false},
		"a taint of another pool":     {linux(present, "true"), []corev1.Taint{{Key: "other", Effect: corev1.TaintEffectNoSchedule}}, false},
		"a GPU on a node of Windows ": {map[string]string{"kubernetes.io/os": "windows", present: "true"}, nil, false},
	} {
		if got := runsOn(t, sets["nvidia-device-plugin"].Spec.Template.Spec, c.labels, c.taints...); got != c.want {
			t.Errorf("%s: the plugin runs there: %t", name, got)
		}
	}
	for name, set := range sets {
		tolerated := fmt.Sprint(set.Spec.Template.Spec.Tolerations)
		if !strings.Contains(tolerated, "team") || !strings.Contains(tolerated, "nvidia.com/gpu") {
			t.Errorf("%s does not tolerate the pools' taints: %s", name, tolerated)
		}
	}
	if len(sets) < 3 {
		t.Errorf("with feature discovery there are %d DaemonSets only", len(sets))
	}
}

// Pools that share GPUs find their configuration, by the name that their label
// has, and the others the default.
func TestDevicePluginSharing(t *testing.T) {
	values := gpuPools(t, nil).Chart()
	var data map[string]string
	for _, m := range render[corev1.ConfigMap](t, devicePlugin, "nvidia-device-plugin", "ConfigMap", values) {
		data = m.Data
	}
	if !strings.Contains(data["time-slicing-4"], "replicas: 4") || !strings.Contains(data["default"], "migStrategy: none") {
		t.Errorf("configurations: %v", data)
	}
	set := render[appsv1.DaemonSet](t, devicePlugin, "nvidia-device-plugin", "DaemonSet", values)["nvidia-device-plugin"]
	env := fmt.Sprint(set.Spec.Template.Spec.InitContainers[0].Env)
	if !strings.Contains(env, release.DevicePluginConfigLabel) || !strings.Contains(env, "{DEFAULT_CONFIG default") {
		t.Errorf("the plugin chooses a configuration by %s", env)
	}
}
