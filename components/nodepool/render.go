package nodepool

// Names and versions of Karpenter's API.
const (
	GroupKarpenter    = "karpenter.sh"
	GroupAWS          = "karpenter.k8s.aws"
	KindNodePool      = "NodePool"
	KindEC2NodeClass  = "EC2NodeClass"
	VersionV1         = "v1"
	defaultAMIAlias   = "al2023@latest"
	defaultVolumeSize = "100Gi"
)

// Spec returns the spec of the NodePool, as v1.
func (p Pool) Spec() map[string]any {
	p = p.withPreset()
	template := map[string]any{
		"nodeClassRef": map[string]any{"group": GroupAWS, "kind": KindEC2NodeClass, "name": p.NodeClass},
		"requirements": requirements(p.Requirements),
	}
	setString(template, "expireAfter", p.ExpireAfter)
	setString(template, "terminationGracePeriod", p.TerminationGracePeriod)
	if len(p.Taints) > 0 {
		template["taints"] = taints(p.Taints)
	}
	node := map[string]any{"spec": template}
	if len(p.Labels) > 0 {
		node["metadata"] = map[string]any{"labels": stringMap(p.Labels)}
	}
	spec := map[string]any{
		"template": node,
		"limits":   stringMap(p.Limits),
		"disruption": map[string]any{
			"consolidationPolicy": p.Disruption.ConsolidationPolicy,
			"consolidateAfter":    p.Disruption.ConsolidateAfter,
		},
	}
	if p.Weight != 0 {
		spec["weight"] = p.Weight
	}
	return spec
}

func requirements(list []Requirement) []any {
	rendered := make([]any, len(list))
	for i, r := range list {
		m := map[string]any{"key": r.Key, "operator": r.Operator}
		if len(r.Values) > 0 {
			values := make([]any, len(r.Values))
			for j, v := range r.Values {
				values[j] = string(v)
			}
			m["values"] = values
		}
		rendered[i] = m
	}
	return rendered
}

func taints(list []Taint) []any {
	rendered := make([]any, len(list))
	for i, t := range list {
		m := map[string]any{"key": t.Key, "effect": t.Effect}
		setString(m, "value", string(t.Value))
		rendered[i] = m
	}
	return rendered
}

// Placement is where the nodes of a class belong.
type Placement struct {
	// Role is the bare name of the node role: no ARN, no path.
	Role string
	// DiscoveryTag and DiscoveryValue select the subnets and the security group.
	DiscoveryTag, DiscoveryValue string
}

// Spec returns the spec of the EC2NodeClass, as v1.
func (c NodeClass) Spec(at Placement) map[string]any {
	discovery := func() []any {
		return []any{map[string]any{"tags": map[string]any{at.DiscoveryTag: at.DiscoveryValue}}}
	}
	spec := map[string]any{
		"role":                       at.Role,
		"amiSelectorTerms":           []any{map[string]any{"alias": first(c.AMIAlias, defaultAMIAlias)}},
		"subnetSelectorTerms":        discovery(),
		"securityGroupSelectorTerms": discovery(),
		"blockDeviceMappings":        c.blockDevices(),
		// Written out, since the default of the hop limit differs between API
		// versions. One hop keeps pods from the node's credentials.
		"metadataOptions": map[string]any{
			"httpEndpoint":            "enabled",
			"httpTokens":              "required",
			"httpPutResponseHopLimit": 1,
		},
	}
	if len(c.Tags) > 0 {
		spec["tags"] = stringMap(c.Tags)
	}
	return spec
}

// blockDevices sizes the volume that holds container images: the root of
// AL2023, the data volume of Bottlerocket.
func (c NodeClass) blockDevices() []any {
	device := "/dev/xvda"
	if family(first(c.AMIAlias, defaultAMIAlias)) == "bottlerocket" {
		device = "/dev/xvdb"
	}
	return []any{map[string]any{
		"deviceName": device,
		"ebs": map[string]any{
			"volumeSize":          first(c.VolumeSize, defaultVolumeSize),
			"volumeType":          "gp3",
			"encrypted":           true,
			"deleteOnTermination": true,
		},
	}}
}

func stringMap(m map[string]Scalar) map[string]any {
	rendered := make(map[string]any, len(m))
	for k, v := range m {
		rendered[k] = string(v)
	}
	return rendered
}

func setString(m map[string]any, key, value string) {
	if value != "" {
		m[key] = value
	}
}
