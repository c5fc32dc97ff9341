package scheduling

import (
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// That the package answers as Karpenter does is held in tests/scheduler, on pools
// and pods of every kind. Here are the words that a user reads.

const class = `{amiSelectorTerms: [{alias: al2023@latest}], blockDeviceMappings: [{deviceName: /dev/xvda, ebs: {volumeSize: 100Gi}}]}`

var pools = map[string]string{
	"cpu": `{limits: {cpu: 100}, template: {spec: {requirements: [
		{key: karpenter.k8s.aws/instance-category, operator: In, values: [c, m, r]}, {key: kubernetes.io/arch, operator: In, values: [amd64]},
		{key: karpenter.sh/capacity-type, operator: In, values: [spot, on-demand]}]}}}`,
	"gpu": `{weight: 10, limits: {nvidia.com/gpu: 4}, template: {metadata: {labels: {team: red}}, spec: {taints: [{key: nvidia.com/gpu, value: "true", effect: NoSchedule}],
		requirements: [{key: karpenter.k8s.aws/instance-gpu-manufacturer, operator: In, values: [nvidia]}, {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}]}}}`,
	"tiny":   `{limits: {cpu: 0}, template: {spec: {taints: [{key: tiny, effect: NoSchedule}], requirements: []}}}`,
	"absurd": `{limits: {cpu: 10}, template: {spec: {taints: [{key: absurd, effect: NoSchedule}], requirements: [{key: node.kubernetes.io/instance-type, operator: In, values: [m5.tiny]}]}}}`,
	"varied": `{limits: {cpu: 100}, template: {spec: {taints: [{key: varied, effect: NoSchedule}], requirements: [
		{key: karpenter.k8s.aws/instance-family, operator: In, values: [m5, c5], minValues: 2}]}}}`,
	"either": `{limits: {cpu: 100}, template: {spec: {taints: [{key: either, effect: NoSchedule}],
		requirements: [{key: node.kubernetes.io/instance-type, operator: In, values: [c5.18xlarge, r5.8xlarge]}]}}}`,
	"fixed": `{replicas: 2, template: {spec: {requirements: []}}}`,
}

func read(t *testing.T, text string) map[string]any {
	t.Helper()
	var m map[string]any
	if err := yaml.Unmarshal([]byte(strings.ReplaceAll(text, "\t", " ")), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func all(t *testing.T) []*Pool {
	t.Helper()
	var list []*Pool
	for name, spec := range pools {
		p, err := NewPool(name, read(t, spec), read(t, class))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	return list
}

func pod(t *testing.T, spec string) *Pod {
	t.Helper()
	p, err := ReadPod(map[string]any{"kind": "Job", "metadata": map[string]any{"name": "job"}, "spec": map[string]any{"template": map[string]any{"spec": read(t, spec)}}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPlaceSaysWhy(t *testing.T) {
	const gpuPod = `containers: [{name: a, resources: {limits: {nvidia.com/gpu: 1}}}]`
	tolerating := func(key string) string { return `tolerations: [{key: ` + key + `, operator: Exists}]` }
	for _, c := range []struct {
		name, spec, pool string
		of, reason       string // what a pool says, or with no pool named, what is refused
	}{
		{
			name: "lands", spec: `{containers: [{name: a, resources: {requests: {cpu: 2}}}]}`, pool: "cpu", of: "gpu",
			reason: "the pod does not tolerate the taint nvidia.com/gpu=true:NoSchedule: add the toleration {key: nvidia.com/gpu, operator: Exists}",
		},
		{
			name: "GPU", spec: `{` + gpuPod + `, ` + tolerating("nvidia.com/gpu") + `}`, pool: "gpu", of: "cpu",
			reason: "nvidia.com/gpu: 1 is needed, with what the DaemonSets take, and no node of the pool offers more than 0",
		},
		{
			name: "too many GPUs", spec: `{containers: [{name: a, resources: {limits: {nvidia.com/gpu: 8}}}], ` + tolerating("nvidia.com/gpu") + `}`, of: "gpu",
			reason: "nvidia.com/gpu: 8 is needed, with what the DaemonSets take, and no node of the pool offers more than 4",
		},
		{
			name: "label of nobody", spec: `{containers: [{name: a}], nodeSelector: {disk: fast}}`, of: "cpu",
			reason: "the pod wants disk In [fast], and the pool's nodes have no such label",
		},
		{
			name: "another value", spec: `{containers: [{name: a}], nodeSelector: {kubernetes.io/arch: arm64}}`, of: "cpu",
			reason: "the pod wants kubernetes.io/arch In [arm64], and the pool has In [amd64]",
		},
		{
			name: "no type", spec: `{containers: [{name: a}], nodeSelector: {karpenter.k8s.aws/instance-family: m99}}`, of: "cpu",
			reason: "no instance type of the pool meets the pod's node selector and affinity",
		},
		{
			name: "limits", spec: `{containers: [{name: a}], nodeSelector: {karpenter.sh/nodepool: tiny}, ` + tolerating("tiny") + `}`, of: "tiny",
			reason: "every instance type of the pool exceeds its limits: cpu 0",
		},
		{
			name: "requirements", spec: `{containers: [{name: a}], nodeSelector: {karpenter.sh/nodepool: absurd}, ` + tolerating("absurd") + `}`, of: "absurd",
			reason: "no instance type meets the pool's own requirements",
		},
		{
			name: "minValues", spec: `{containers: [{name: a}], nodeSelector: {karpenter.k8s.aws/instance-family: m5, karpenter.sh/nodepool: varied}, ` + tolerating("varied") + `}`, of: "varied",
			reason: "only 1 values of karpenter.k8s.aws/instance-family are left, and the pool wants 2 (minValues)",
		},
		{
			name: "fixed", spec: `{containers: [{name: a}], nodeSelector: {karpenter.sh/nodepool: fixed}}`, of: "fixed",
			reason: "the pool has a fixed number of nodes (replicas): it makes none for a pod",
		},
		{
			name: "all at once", spec: `{containers: [{name: a, resources: {requests: {cpu: 60, memory: 200Gi}}}], nodeSelector: {karpenter.sh/nodepool: either}, ` + tolerating("either") + `}`, of: "either",
			reason: "no instance type of the pool has all that the pod asks for at once: cpu 60, memory 200Gi, pods 1",
		},
		{
			name: "restricted label", spec: `{containers: [{name: a}], nodeSelector: {karpenter.sh/registered: "true"}}`,
			reason: `spec.nodeSelector: found "karpenter.sh/registered", which Karpenter lets no pod select by`,
		},
		{name: "bound", spec: `{containers: [{name: a}], nodeName: ip-10-0-0-1}`, reason: `spec.nodeName: found "ip-10-0-0-1": the pod is bound to that node`},
	} {
		p := Place(Cluster{Region: "us-east-1"}, all(t), pod(t, c.spec))
		reasons := p.Refused
		for _, v := range p.Verdicts {
			if c.of != "" && v.Pool == c.of {
				reasons = v.Reasons
			}
		}
		if p.Pool != c.pool || !strings.Contains(strings.Join(reasons, "\n"), c.reason) {
			t.Errorf("%s: lands in %q, want %q; %s says %q, want %q", c.name, p.Pool, c.pool, c.of, reasons, c.reason)
		}
	}
}

func TestReadPod(t *testing.T) {
	for _, c := range []struct{ manifest, want string }{
		{`{kind: Service}`, `kind: found "Service", allowed is CronJob, DaemonSet`},
		{`{kind: CronJob, spec: {jobTemplate: {spec: {template: {spec: {}}}}}}`, "spec.jobTemplate.spec.template.spec.containers: found none"},
		{`{kind: Pod, spec: {containers: [{resources: {requests: {cpu: many}}}]}}`, `["cpu"]: found "many", allowed is a quantity`},
		{`{kind: Pod, spec: {containers: none}}`, "spec: json:"},
	} {
		if _, err := ReadPod(read(t, c.manifest)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.manifest, err, c.want)
		}
	}
}

func TestRequests(t *testing.T) {
	p := pod(t, `{overhead: {cpu: 100m}, containers: [{resources: {requests: {cpu: 1}, limits: {cpu: 2, memory: 1Gi}}}, {resources: {requests: {cpu: 500m}}}],
		initContainers: [{resources: {requests: {cpu: 4}}}, {restartPolicy: Always, resources: {requests: {cpu: 250m}}}]}`)
	if got := p.Asks(); got != "cpu 4.1, memory 1Gi" {
		t.Errorf("asks for %s", got)
	}
	if got := pod(t, `{containers: [{}]}`).Asks(); got != "nothing" {
		t.Errorf("asks for %s", got)
	}
}

func TestAdmit(t *testing.T) {
	p := pod(t, `{containers: [{resources: {requests: {cpu: 1}, limits: {nvidia.com/gpu: 1, snapshot.kubernetes.io/x: 1}}}]}`)
	p.Admit()
	want := Toleration{Key: "nvidia.com/gpu", Operator: "Exists", Effect: "NoSchedule"}
	if len(p.Spec.Tolerations) != 1 || p.Spec.Tolerations[0] != want {
		t.Errorf("tolerates %v", p.Spec.Tolerations)
	}
}
