package nodepool

import (
	"maps"
	"slices"
	"strings"
)

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

// Placement is where the nodes of a class belong and what they are.
type Placement struct {
	// Role is the bare name of the role of the nodes: no ARN, no path. The
	// controller makes an instance profile for it.
	Role string
	// InstanceProfile is the bare name of an instance profile that is there
	// already. It stands in place of Role.
	InstanceProfile string
	// DiscoveryTag and DiscoveryValue select the subnets and the security group.
	DiscoveryTag, DiscoveryValue string
	// SubnetIds and SecurityGroupId select them in place of the tag, if there are
	// any.
	SubnetIds       []string
	SecurityGroupId string
}

func (p Placement) subnets() []any {
	if len(p.SubnetIds) == 0 {
		return p.discovery()
	}
	terms := make([]any, len(p.SubnetIds))
	for i, id := range p.SubnetIds {
		terms[i] = map[string]any{"id": id}
	}
	return terms
}

func (p Placement) securityGroups() []any {
	if len(p.SubnetIds) == 0 {
		return p.discovery()
	}
	return []any{map[string]any{"id": p.SecurityGroupId}}
}

func (p Placement) discovery() []any {
	return []any{map[string]any{"tags": map[string]any{p.DiscoveryTag: p.DiscoveryValue}}}
}

// Spec returns the spec of the EC2NodeClass, as v1.
func (c NodeClass) Spec(at Placement) map[string]any {
	spec := map[string]any{
		"amiSelectorTerms":           []any{map[string]any{"alias": first(c.AMIAlias, defaultAMIAlias)}},
		"subnetSelectorTerms":        at.subnets(),
		"securityGroupSelectorTerms": at.securityGroups(),
		"blockDeviceMappings":        c.blockDevices(),
		// Written out, since the default of the hop limit differs between API
		// versions. One hop keeps pods from the node's credentials.
		"metadataOptions": map[string]any{
			"httpEndpoint":            "enabled",
			"httpTokens":              "required",
			"httpPutResponseHopLimit": 1,
		},
	}
	if at.InstanceProfile != "" {
		spec["instanceProfile"] = at.InstanceProfile
	} else {
		spec["role"] = at.Role
	}
	if len(c.Tags) > 0 {
		spec["tags"] = stringMap(c.Tags)
	}
	return spec
}

// IsWindows tells whether the nodes of the class run Windows.
func (c NodeClass) IsWindows() bool { return strings.HasPrefix(family(c.AMIAlias), "windows") }

// AnyWindows tells whether one of the classes is for Windows.
func AnyWindows(classes map[string]NodeClass) bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(classes)), NodeClass.IsWindows)
}

// VolumeKmsKeyArns are the keys of the user that the classes name, each once and
// sorted.
func VolumeKmsKeyArns(classes map[string]NodeClass) []string {
	var arns []string
	for _, c := range classes {
		if c.VolumeKmsKeyArn != "" {
			arns = append(arns, c.VolumeKmsKeyArn)
		}
	}
	slices.Sort(arns)
	return slices.Compact(arns)
}

// rootDevices are the device of the volume that holds container images: the
// root of most families, the data volume of Bottlerocket.
var rootDevices = map[string]string{
	"bottlerocket": "/dev/xvdb", "windows2019": "/dev/sda1", "windows2022": "/dev/sda1", "windows2025": "/dev/sda1",
}

func (c NodeClass) blockDevices() []any {
	ebs := map[string]any{
		"volumeSize":          first(c.VolumeSize, defaultVolumeSize),
		"volumeType":          "gp3",
		"encrypted":           true,
		"deleteOnTermination": true,
	}
	setString(ebs, "kmsKeyID", c.VolumeKmsKeyArn)
	device := first(rootDevices[family(first(c.AMIAlias, defaultAMIAlias))], "/dev/xvda")
	return []any{map[string]any{"deviceName": device, "ebs": ebs}}
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
