package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/nodepool"
	"github.com/valohai/pulumi-kubernetes-autoscaling/components/release"
	"github.com/valohai/pulumi-kubernetes-autoscaling/internal/instancetype"
	"github.com/valohai/pulumi-kubernetes-autoscaling/internal/scheduling"
	"github.com/valohai/pulumi-kubernetes-autoscaling/stacks/karpenter/internal/config"
)

// report is what explain says of all pods.
type report struct {
	// Source says of what the catalogue of instance types is made.
	Source string   `json:"source"`
	Region string   `json:"region"`
	Pods   []answer `json:"pods"`
}

// answer is what explain says of one pod.
type answer struct {
	Name string `json:"name"`
	// Asks is what the pod asks for.
	Asks string `json:"asks"`
	// Pool is where it lands, empty for nowhere, and Refused why no pool is
	// looked at.
	Pool    string    `json:"pool"`
	Refused []string  `json:"refused,omitempty"`
	Pools   []verdict `json:"pools"`
	// NotLookedAt are parts of the pod on which nothing here has an opinion.
	NotLookedAt []string `json:"notLookedAt,omitempty"`
}

// verdict is what one pool says.
type verdict struct {
	Pool    string   `json:"pool"`
	Reasons []string `json:"reasons,omitempty"`
	// Count is the number of instance types that would do, and Types the cheapest
	// of them.
	Count int     `json:"count"`
	Types []offer `json:"types,omitempty"`
}

// offer is an instance type with its on-demand price an hour.
type offer struct {
	Type   string  `json:"type"`
	VCPUs  int     `json:"vcpus"`
	Memory int     `json:"memoryMiB"`
	GPUs   string  `json:"gpus,omitempty"`
	Price  float64 `json:"price"`
	// Elsewhere tells that the price is that of another region.
	Elsewhere bool `json:"elsewhere,omitempty"`
}

// explain answers for every pod of the manifests.
func explain(o options, in io.Reader) (*report, error) {
	c, _, err := config.ReadStack(o.config)
	if err != nil {
		return nil, err
	}
	pools, err := poolsOf(c)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.config, err)
	}
	pods, err := readPods(o.pod, in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.pod, err)
	}
	cluster := scheduling.Cluster{Region: o.region}
	if o.region == "" {
		if cluster.Region, err = config.ReadRegion(o.config); err != nil {
			return nil, err
		}
	}
	if o.zones != "" {
		cluster.Zones = strings.Split(o.zones, ",")
	}
	if cluster.Daemons, err = amounts(o.daemons); err != nil {
		return nil, err
	}
	r := &report{Source: instancetype.Source(), Region: cluster.Region}
	for _, pod := range pods {
		if o.admit {
			pod.Admit()
		}
		r.Pods = append(r.Pods, newAnswer(pod, scheduling.Place(cluster, pools, pod), o.types))
	}
	return r, nil
}

// poolsOf are the pools of a stack, as they would be sent.
func poolsOf(c *config.Config) ([]*scheduling.Pool, error) {
	rel, err := release.Find(c.KarpenterVersion)
	if err != nil {
		return nil, err
	}
	pools, classes := nodepool.OrDefaults(c.NodePools, c.NodeClasses)
	if err := nodepool.Validate(nodepool.Target{Release: rel}, pools, classes); err != nil {
		return nil, err
	}
	var list []*scheduling.Pool
	for _, name := range slices.Sorted(maps.Keys(pools)) {
		class := classes[pools[name].NodeClassName()]
		p, err := scheduling.NewPool(name, pools[name].Spec(rel, class), class.Spec(rel, nodepool.Placement{}))
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

// readPods reads every pod of a file with manifests.
func readPods(path string, in io.Reader) ([]*scheduling.Pod, error) {
	b, err := readAll(path, in)
	if err != nil {
		return nil, err
	}
	var pods []*scheduling.Pod
	decoder := yaml.NewDecoder(bytes.NewReader(b))
	for document := 1; ; document++ {
		var manifest map[string]any
		if err := decoder.Decode(&manifest); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		if len(manifest) == 0 {
			continue
		}
		pod, err := scheduling.ReadPod(manifest)
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", document, err)
		}
		pods = append(pods, pod)
	}
	if len(pods) == 0 {
		return nil, errors.New("found no manifest: is it the right file?")
	}
	return pods, nil
}

func readAll(path string, in io.Reader) ([]byte, error) {
	if path == "-" {
		return io.ReadAll(in)
	}
	return os.ReadFile(path)
}

func newAnswer(pod *scheduling.Pod, p scheduling.Placement, limit int) answer {
	a := answer{Name: pod.Name, Asks: pod.Asks(), Pool: p.Pool, Refused: p.Refused, NotLookedAt: pod.Unseen()}
	for _, v := range p.Verdicts {
		one := verdict{Pool: v.Pool, Reasons: v.Reasons, Count: len(v.Offers)}
		for _, o := range v.Offers[:min(limit, len(v.Offers))] {
			one.Types = append(one.Types, newOffer(o))
		}
		a.Pools = append(a.Pools, one)
	}
	return a
}

func newOffer(o scheduling.Offer) offer {
	made := offer{Type: o.Type.Name, VCPUs: o.Type.VCPUs, Memory: o.Type.MemoryMiB, Price: o.Price, Elsewhere: !o.Exact}
	for _, d := range append(slices.Clone(o.Type.GPUs), o.Type.Neuron...) {
		made.GPUs = fmt.Sprintf("%d x %s", d.Count, d.Name)
	}
	return made
}
