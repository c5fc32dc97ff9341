package scheduling

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/valohai/pulumi-kubernetes-autoscaling/internal/quantity"
)

// Pod is the part of a pod that a scheduler looks at.
type Pod struct {
	Name     string
	Spec     podSpec
	requests map[string]int64
}

type podSpec struct {
	NodeName       string            `json:"nodeName"`
	NodeSelector   map[string]string `json:"nodeSelector"`
	Tolerations    []Toleration      `json:"tolerations"`
	Containers     []container       `json:"containers"`
	InitContainers []container       `json:"initContainers"`
	Overhead       map[string]amount `json:"overhead"`
	Resources      *resources        `json:"resources"`
	Affinity       struct {
		NodeAffinity struct {
			Required  *nodeSelector `json:"requiredDuringSchedulingIgnoredDuringExecution"`
			Preferred []struct {
				Weight     int      `json:"weight"`
				Preference nodeTerm `json:"preference"`
			} `json:"preferredDuringSchedulingIgnoredDuringExecution"`
		} `json:"nodeAffinity"`
		PodAffinity     otherPods `json:"podAffinity"`
		PodAntiAffinity otherPods `json:"podAntiAffinity"`
	} `json:"affinity"`
	TopologySpreadConstraints []any `json:"topologySpreadConstraints"`
	Volumes                   []struct {
		PersistentVolumeClaim any `json:"persistentVolumeClaim"`
	} `json:"volumes"`
}

type nodeSelector struct {
	NodeSelectorTerms []nodeTerm `json:"nodeSelectorTerms"`
}

type nodeTerm struct {
	MatchExpressions []Requirement `json:"matchExpressions"`
	MatchFields      []any         `json:"matchFields"`
}

type otherPods struct {
	Required  []any `json:"requiredDuringSchedulingIgnoredDuringExecution"`
	Preferred []any `json:"preferredDuringSchedulingIgnoredDuringExecution"`
}

type container struct {
	Name          string    `json:"name"`
	RestartPolicy string    `json:"restartPolicy"`
	Resources     resources `json:"resources"`
}

type resources struct {
	Requests map[string]amount `json:"requests"`
	Limits   map[string]amount `json:"limits"`
}

// amount is a quantity that YAML may hold as a number.
type amount string

// UnmarshalJSON implements json.Unmarshaler.
func (a *amount) UnmarshalJSON(b []byte) error {
	*a = amount(strings.Trim(string(b), `"`))
	return nil
}

// ReadPod reads the pod of a manifest: a Pod, or what makes pods, such as a Job.
func ReadPod(manifest map[string]any) (*Pod, error) {
	kind, _ := manifest["kind"].(string)
	path := map[string][]string{
		"Pod": {}, "Job": {"spec", "template"}, "Deployment": {"spec", "template"}, "StatefulSet": {"spec", "template"},
		"ReplicaSet": {"spec", "template"}, "DaemonSet": {"spec", "template"}, "CronJob": {"spec", "jobTemplate", "spec", "template"},
	}
	steps, known := path[kind]
	if !known {
		return nil, fmt.Errorf("kind: found %q, allowed is %s: take the manifest of one of these", kind, strings.Join(slices.Sorted(maps.Keys(path)), ", "))
	}
	at := manifest
	for _, step := range steps {
		at, _ = at[step].(map[string]any)
	}
	b, err := json.Marshal(at["spec"])
	if err != nil {
		return nil, err
	}
	p := &Pod{}
	if metadata, ok := manifest["metadata"].(map[string]any); ok {
		p.Name, _ = metadata["name"].(string)
	}
	field := strings.Join(append(steps, "spec"), ".")
	if err := json.Unmarshal(b, &p.Spec); err != nil {
		return nil, fmt.Errorf("%s: %w", field, err)
	}
	if len(p.Spec.Containers) == 0 {
		return nil, fmt.Errorf("%s.containers: found none, allowed is at least one: is this the manifest of a %s?", field, kind)
	}
	if p.requests, err = p.Spec.total(field); err != nil {
		return nil, err
	}
	return p, nil
}

// total is what the pod asks of a node, in thousandths: the sum of its containers
// and sidecars, or what its largest init container needs at its time.
func (s podSpec) total(path string) (map[string]int64, error) {
	sum, sidecars, peak := map[string]int64{}, map[string]int64{}, map[string]int64{}
	for i, c := range s.Containers {
		own, err := c.Resources.requests(fmt.Sprintf("%s.containers[%d].resources", path, i))
		if err != nil {
			return nil, err
		}
		plus(sum, own)
	}
	for i, c := range s.InitContainers {
		own, err := c.Resources.requests(fmt.Sprintf("%s.initContainers[%d].resources", path, i))
		if err != nil {
			return nil, err
		}
		if c.RestartPolicy == "Always" {
			plus(sum, own)
			plus(sidecars, own)
			atLeast(peak, sidecars)
			continue
		}
		now := maps.Clone(sidecars)
		plus(now, own)
		atLeast(peak, now)
	}
	atLeast(sum, peak)
	if s.Resources != nil {
		own, err := s.Resources.requests(path + ".resources")
		if err != nil {
			return nil, err
		}
		maps.Copy(sum, own)
	}
	overhead, err := amounts(path+".overhead", s.Overhead)
	if err != nil {
		return nil, err
	}
	plus(sum, overhead)
	sum["pods"] = 1000
	return sum, nil
}

// requests are what is asked for; what is limited only is asked for as well.
func (r resources) requests(path string) (map[string]int64, error) {
	limits, err := amounts(path+".limits", r.Limits)
	if err != nil {
		return nil, err
	}
	own, err := amounts(path+".requests", r.Requests)
	if err != nil {
		return nil, err
	}
	maps.Copy(limits, own)
	return limits, nil
}

func amounts(path string, m map[string]amount) (map[string]int64, error) {
	read := map[string]int64{}
	for resource, text := range m {
		n, ok := quantity.Milli(string(text))
		if !ok {
			return nil, fmt.Errorf("%s[%q]: found %q, allowed is a quantity such as \"2\", \"500m\" or \"8Gi\": write it so", path, resource, text)
		}
		read[resource] = n
	}
	return read, nil
}

func plus(sum, own map[string]int64) {
	for resource, n := range own {
		sum[resource] += n
	}
}

func atLeast(sum, own map[string]int64) {
	for resource, n := range own {
		sum[resource] = max(sum[resource], n)
	}
}

// Admit adds what the API server of EKS adds to a pod: a toleration for each
// extended resource that it asks for.
//
// Source: https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#extendedresourcetoleration
func (p *Pod) Admit() {
	for _, resource := range slices.Sorted(maps.Keys(p.requests)) {
		domain, _, extended := strings.Cut(resource, "/")
		if extended && domain != "kubernetes.io" && !strings.HasSuffix(domain, ".kubernetes.io") {
			p.Spec.Tolerations = append(p.Spec.Tolerations, Toleration{Key: resource, Operator: "Exists", Effect: "NoSchedule"})
		}
	}
}

// Asks says what the pod asks of a node.
func (p *Pod) Asks() string {
	asked := maps.Clone(p.requests)
	delete(asked, "pods")
	if len(asked) == 0 {
		return "nothing"
	}
	return listed(asked)
}
