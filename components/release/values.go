package release

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Fixed names of the Helm installation. The service account's name is part of
// the controller role's trust, so it never follows a release name.
const (
	DefaultNamespace      = "kube-system"
	DefaultServiceAccount = "karpenter"
	// ChartRegistry is where the Karpenter project publishes its charts.
	ChartRegistry = "oci://public.ecr.aws/karpenter"
)

// regionVariable tells the controller its region.
const regionVariable = "AWS_REGION"

// nodePoolLabel is on every node that Karpenter made, and on no other.
const nodePoolLabel = "karpenter.sh/nodepool"

// Values are the facts from which the values of the karpenter chart are made.
type Values struct {
	// ClusterName and ClusterEndpoint are those of the EKS cluster.
	ClusterName, ClusterEndpoint string
	// Region is the controller's AWS region. It is given to the controller, so
	// that it needs no instance metadata.
	Region string
	// InterruptionQueue is the NAME of the queue. Empty: no interruption handling.
	InterruptionQueue string
	// IsolatedVPC tells the controller to call no service that has no endpoint
	// in a VPC: it then reads no prices.
	IsolatedVPC bool
	// ZonalShift lets the controller follow zonal shifts of the cluster.
	ZonalShift bool
	// ServiceAccount is the name of the controller's service account.
	ServiceAccount string
	// RoleArn is the controller role for IRSA. Empty: no annotation.
	RoleArn string
	// NodeGroups are the managed node groups on which the controller may run.
	// Empty: any node that Karpenter did not make.
	NodeGroups []string
	// Replicas is the number of controller pods. Two need two such nodes.
	Replicas int
	// FeatureGates are switched on: see Release.FeatureGates.
	FeatureGates []string
	// Extra is merged over the values; its maps deeply, its lists in place of
	// ours. See CheckExtra.
	Extra map[string]any
}

// Chart returns the values for the karpenter chart.
//
// Source: https://github.com/aws/karpenter-provider-aws/tree/main/charts/karpenter
func (v Values) Chart() map[string]any {
	serviceAccount := map[string]any{"name": v.ServiceAccount}
	if v.RoleArn != "" {
		serviceAccount["annotations"] = map[string]any{"eks.amazonaws.com/role-arn": v.RoleArn}
	}
	settings := map[string]any{"clusterName": v.ClusterName}
	if v.ClusterEndpoint != "" {
		settings["clusterEndpoint"] = v.ClusterEndpoint
	}
	if v.InterruptionQueue != "" {
		settings["interruptionQueue"] = v.InterruptionQueue
	}
	if v.IsolatedVPC {
		settings["isolatedVPC"] = true
	}
	if v.ZonalShift {
		settings["enableZonalShift"] = true
	}
	if len(v.FeatureGates) > 0 {
		gates := map[string]any{}
		for _, gate := range v.FeatureGates {
			gates[gate] = true
		}
		settings["featureGates"] = gates
	}
	size := map[string]any{"cpu": "1", "memory": "1Gi"}
	values := map[string]any{
		"settings":       settings,
		"serviceAccount": serviceAccount,
		"replicas":       v.Replicas,
		// The controller must resolve AWS names before CoreDNS has a node to
		// run on. The chart's own default differs between releases.
		"dnsPolicy": "Default",
		"controller": map[string]any{
			"resources": map[string]any{"requests": maps.Clone(size), "limits": maps.Clone(size)},
			"env":       []any{map[string]any{"name": regionVariable, "value": v.Region}},
		},
		"affinity": map[string]any{
			"nodeAffinity": map[string]any{
				"requiredDuringSchedulingIgnoredDuringExecution": map[string]any{
					"nodeSelectorTerms": []any{map[string]any{"matchExpressions": v.nodeExpressions()}},
				},
			},
		},
	}
	return merge(values, v.Extra)
}

// nodeExpressions keeps the controller off the nodes that it makes. The
// expressions are one term, since terms are alternatives.
func (v Values) nodeExpressions() []any {
	expressions := []any{map[string]any{"key": nodePoolLabel, "operator": "DoesNotExist"}}
	if len(v.NodeGroups) > 0 {
		groups := make([]any, 0, len(v.NodeGroups))
		for _, g := range slices.Sorted(slices.Values(v.NodeGroups)) {
			groups = append(groups, g)
		}
		expressions = append(expressions, map[string]any{
			"key": "eks.amazonaws.com/nodegroup", "operator": "In", "values": groups,
		})
	}
	return expressions
}

// reserved are the values that other resources depend on, with the argument
// that sets each.
var reserved = []struct {
	path     []string
	argument string
}{
	{[]string{"settings", "clusterName"}, "the cluster's name"},
	{[]string{"settings", "clusterEndpoint"}, "the cluster's endpoint"},
	{[]string{"settings", "interruptionQueue"}, "the interruption queue"},
	{[]string{"settings", "isolatedVPC"}, "the isolated VPC"},
	{[]string{"settings", "enableZonalShift"}, "the zonal shift"},
	{[]string{"serviceAccount", "name"}, "the service account"},
	{[]string{"serviceAccount", "annotations", "eks.amazonaws.com/role-arn"}, "the controller role"},
	{[]string{"nameOverride"}, "the release name"},
	{[]string{"fullnameOverride"}, "the release name"},
}

// CheckExtra refuses chart values that would contradict what the library sets
// elsewhere (a trust policy names the service account, for example), and feature
// gates that the release's chart would drop without a word. path is how the user
// calls the values; on are the gates that have to be on.
func (r Release) CheckExtra(path string, extra map[string]any, on []string) error {
	var errs []error
	refuse := func(keys []string, found any, allowed string) {
		at := path
		for _, key := range keys {
			at += fmt.Sprintf("[%q]", key)
		}
		errs = append(errs, fmt.Errorf("%s: found %v, %s", at, found, allowed))
	}
	for _, value := range reserved {
		if found, ok := lookup(extra, value.path); ok {
			refuse(value.path, found, "which contradicts "+value.argument+", which sets this value: remove it here")
		}
	}
	environment, _ := lookup(extra, []string{"controller", "env"})
	list, _ := environment.([]any)
	if slices.ContainsFunc(list, func(v any) bool { return nameOf(v) == regionVariable }) {
		refuse([]string{"controller", "env"}, regionVariable, "which contradicts the region of the cluster, which sets this variable: remove it here")
	}
	gates, _ := lookup(extra, gatesPath)
	given, _ := gates.(map[string]any)
	for _, gate := range slices.Sorted(maps.Keys(given)) {
		at := append(slices.Clone(gatesPath), gate)
		if !slices.Contains(r.FeatureGates, gate) {
			refuse(at, "a feature gate that Karpenter "+r.Version+" does not know",
				"allowed is "+strings.Join(r.FeatureGates, ", ")+": leave it out, or use a release that has it")
		} else if slices.Contains(on, gate) && given[gate] != true {
			refuse(at, given[gate], "and a node pool or a node class needs it: leave it out, and it is on")
		}
	}
	return errors.Join(errs...)
}

// gatesPath is where the chart has its feature gates.
var gatesPath = []string{"settings", "featureGates"}

func lookup(m map[string]any, path []string) (any, bool) {
	v, ok := m[path[0]]
	if !ok || len(path) == 1 {
		return v, ok
	}
	inner, ok := v.(map[string]any)
	if !ok {
		return nil, false
	}
	return lookup(inner, path[1:])
}

// merge returns base with over merged in: maps deeply, the environment by name,
// everything else in place of what base has.
func merge(base, over map[string]any) map[string]any {
	merged := maps.Clone(base)
	for key, value := range over {
		if inner, ok := value.(map[string]any); ok {
			if own, ok := merged[key].(map[string]any); ok {
				merged[key] = merge(own, inner)
				continue
			}
		}
		if list, ok := value.([]any); ok && key == "env" {
			if own, ok := merged[key].([]any); ok {
				merged[key] = mergeEnv(own, list)
				continue
			}
		}
		merged[key] = value
	}
	return merged
}

func mergeEnv(own, over []any) []any {
	var kept []any
	for _, o := range own {
		if !slices.ContainsFunc(over, func(v any) bool { return nameOf(v) == nameOf(o) }) {
			kept = append(kept, o)
		}
	}
	return append(kept, over...)
}

func nameOf(v any) any {
	m, _ := v.(map[string]any)
	return m["name"]
}
