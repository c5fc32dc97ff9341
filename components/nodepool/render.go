package nodepool

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/release"
)

// Names and versions of Karpenter's API.
const (
	GroupKarpenter   = "karpenter.sh"
	GroupAWS         = "karpenter.k8s.aws"
	KindNodePool     = "NodePool"
	KindEC2NodeClass = "EC2NodeClass"
)

// Version is the version of Karpenter's API that a release stores.
func Version(rel release.Release) string {
	if rel.ServesV1 {
		return "v1"
	}
	return "v1beta1"
}

// Names of consolidation in v1beta1 and in v1.
const (
	whenEmpty              = "WhenEmpty"
	whenUnderutilizedBeta  = "WhenUnderutilized"
	whenEmptyUnderutilized = "WhenEmptyOrUnderutilized"
	balanced               = "Balanced"
	never                  = "Never"
)

// Spec returns the spec of the NodePool as a release takes it. class is that of
// the pool: before v1 its kubelet is the pool's.
func (p Pool) Spec(rel release.Release, class NodeClass) map[string]any {
	p = p.withPreset(rel)
	template := map[string]any{
		"nodeClassRef": p.nodeClassRef(rel),
		"requirements": object(p.Requirements),
	}
	set(template, "taints", p.Taints, len(p.Taints) > 0)
	set(template, "startupTaints", p.StartupTaints, len(p.StartupTaints) > 0)
	set(template, "terminationGracePeriod", p.TerminationGracePeriod, p.TerminationGracePeriod != "")
	disruption := p.disruption(rel)
	if rel.ServesV1 {
		set(template, "expireAfter", p.ExpireAfter, p.ExpireAfter != "")
	} else {
		set(disruption, "expireAfter", p.ExpireAfter, p.ExpireAfter != "")
		set(template, "kubelet", class.Kubelet, class.Kubelet != nil)
	}
	node := map[string]any{"spec": template}
	metadata := map[string]any{}
	set(metadata, "labels", p.Labels, len(p.Labels) > 0)
	set(metadata, "annotations", p.Annotations, len(p.Annotations) > 0)
	set(node, "metadata", metadata, len(metadata) > 0)
	spec := map[string]any{"template": node, "disruption": disruption}
	set(spec, "limits", p.Limits, len(p.Limits) > 0)
	set(spec, "weight", p.Weight, p.Weight != 0)
	set(spec, "replicas", p.Replicas, p.Replicas != nil)
	return override(spec, p.Override)
}

func (p Pool) nodeClassRef(rel release.Release) map[string]any {
	if rel.ServesV1 {
		return map[string]any{"group": GroupAWS, "kind": KindEC2NodeClass, "name": p.NodeClass}
	}
	return map[string]any{"apiVersion": GroupAWS + "/" + Version(rel), "kind": KindEC2NodeClass, "name": p.NodeClass}
}

func (p Pool) disruption(rel release.Release) map[string]any {
	d := map[string]any{"consolidationPolicy": p.Disruption.ConsolidationPolicy, "consolidateAfter": p.Disruption.ConsolidateAfter}
	if !rel.ServesV1 && p.Disruption.ConsolidationPolicy == whenEmptyUnderutilized {
		d["consolidationPolicy"] = whenUnderutilizedBeta
		if p.Disruption.ConsolidateAfter != never {
			delete(d, "consolidateAfter") // v1beta1 refuses any other
		}
	}
	set(d, "budgets", p.Disruption.Budgets, len(p.Disruption.Budgets) > 0)
	return d
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

func (p Placement) subnets() []SelectorTerm {
	if len(p.SubnetIds) == 0 {
		return p.discovery()
	}
	terms := make([]SelectorTerm, len(p.SubnetIds))
	for i, id := range p.SubnetIds {
		terms[i].ID = id
	}
	return terms
}

func (p Placement) securityGroups() []SelectorTerm {
	if len(p.SubnetIds) == 0 {
		return p.discovery()
	}
	return []SelectorTerm{{ID: p.SecurityGroupId}}
}

func (p Placement) discovery() []SelectorTerm {
	return []SelectorTerm{{Tags: map[string]Scalar{p.DiscoveryTag: Scalar(p.DiscoveryValue)}}}
}

// Spec returns the spec of the EC2NodeClass as a release takes it.
func (c NodeClass) Spec(rel release.Release, at Placement) map[string]any {
	c.SubnetSelectorTerms = orTerms(c.SubnetSelectorTerms, at.subnets())
	c.SecurityGroupSelectorTerms = orTerms(c.SecurityGroupSelectorTerms, at.securityGroups())
	c.BlockDeviceMappings = c.devices(rel)
	c.MetadataOptions = c.metadata()
	c.images(rel)
	raw := c.Override
	c.AMIAlias, c.VolumeSize, c.VolumeKmsKeyArn, c.Override = "", "", "", nil
	if !rel.ServesV1 {
		c.Kubelet = nil // it is the pool's
	}
	spec, _ := object(c).(map[string]any)
	if at.InstanceProfile != "" {
		spec["instanceProfile"] = at.InstanceProfile
	} else {
		spec["role"] = at.Role
	}
	return override(spec, raw)
}

func orTerms(own, cluster []SelectorTerm) []SelectorTerm {
	if len(own) > 0 {
		return own
	}
	return cluster
}

// images writes the alias as a term, or before v1 as a family, which always
// takes the newest image.
func (c *NodeClass) images(rel release.Release) {
	if len(c.AMISelectorTerms) > 0 {
		return
	}
	alias := first(c.AMIAlias, defaultAlias(rel))
	if rel.ServesV1 {
		c.AMISelectorTerms = []AMISelectorTerm{{Alias: alias}}
		return
	}
	c.AMIFamily = amiFamilies[family(alias)]
}

// metadata writes every option out, since the default of the hop limit differs
// between the versions of the API.
func (c NodeClass) metadata() *MetadataOptions {
	var m MetadataOptions
	if c.MetadataOptions != nil {
		m = *c.MetadataOptions
	}
	m.HTTPEndpoint, m.HTTPTokens = first(m.HTTPEndpoint, "enabled"), first(m.HTTPTokens, "required")
	if m.HTTPPutResponseHopLimit == 0 {
		m.HTTPPutResponseHopLimit = 1
	}
	return &m
}

// dataDevices are the device of the volume that holds container images: the
// root of most families, the data volume of Bottlerocket.
var dataDevices = map[string]string{
	"bottlerocket": "/dev/xvdb", "windows2019": "/dev/sda1", "windows2022": "/dev/sda1", "windows2025": "/dev/sda1",
}

const defaultVolumeSize = "100Gi"

func (c NodeClass) devices(rel release.Release) []BlockDeviceMapping {
	if len(c.BlockDeviceMappings) > 0 {
		return c.BlockDeviceMappings
	}
	yes := true
	return []BlockDeviceMapping{{
		DeviceName: first(dataDevices[c.family(rel)], "/dev/xvda"),
		EBS: EBS{
			VolumeSize: first(c.VolumeSize, defaultVolumeSize), VolumeType: "gp3", KMSKeyID: c.VolumeKmsKeyArn,
			Encrypted: &yes, DeleteOnTermination: &yes,
		},
	}}
}

// VolumeKmsKeyArns are the keys of the user that classes name, each once and
// sorted.
func VolumeKmsKeyArns(classes map[string]NodeClass) []string {
	var arns []string
	for _, c := range classes {
		arns = append(arns, c.VolumeKmsKeyArn)
		var own NodeClass
		_ = reread(c.Override, &own) // what cannot be read is Validate's to report
		for _, d := range slices.Concat(c.BlockDeviceMappings, own.BlockDeviceMappings) {
			arns = append(arns, d.EBS.KMSKeyID)
		}
	}
	arns = slices.DeleteFunc(arns, func(arn string) bool { return !strings.Contains(arn, ":key/") })
	slices.Sort(arns)
	return slices.Compact(arns)
}

// AnyWindows tells whether one of the classes is for Windows.
func AnyWindows(classes map[string]NodeClass) bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(classes)), NodeClass.IsWindows)
}

// set sets a key to a value as JSON has it, if it is to be there.
func set(m map[string]any, key string, value any, present bool) {
	if present {
		m[key] = object(value)
	}
}

// object returns a value as JSON has it: maps, lists, strings, numbers, booleans.
func object(value any) any {
	b, err := json.Marshal(value)
	if err != nil {
		panic(err) // the types of this package always encode
	}
	var o any
	if err := json.Unmarshal(b, &o); err != nil {
		panic(err)
	}
	return o
}

// override merges maps deeply and everything else in place of what is there. A
// null removes.
func override(base, over map[string]any) map[string]any {
	merged := map[string]any{}
	maps.Copy(merged, base)
	for key, value := range over {
		inner, isMap := value.(map[string]any)
		own, _ := merged[key].(map[string]any)
		switch {
		case value == nil:
			delete(merged, key)
		case isMap:
			merged[key] = override(own, inner)
		default:
			merged[key] = value
		}
	}
	return merged
}
