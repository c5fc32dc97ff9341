package nodepool

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/internal/names"
)

func (c *check) class(path, name string, n NodeClass) {
	c.name(path, name)
	if len(n.Override) == 0 {
		c.classFields(path, n)
		return
	}
	merged, err := n.withOverride(c.Release)
	c.wrap(path+".override", err)
	c.overridden(path,
		func(c *check) { c.classFields(path, n) },
		func(c *check) { c.classFields(path, merged) },
	)
}

func (c *check) classFields(path string, n NodeClass) {
	c.fields(path, "class", reflect.ValueOf(n))
	c.images(path, n)
	c.subnets(path+".subnetSelectorTerms", n.SubnetSelectorTerms)
	c.securityGroups(path+".securityGroupSelectorTerms", n.SecurityGroupSelectorTerms)
	c.capacity(path+".capacityReservationSelectorTerms", n.CapacityReservationSelectorTerms)
	c.network(path, n)
	c.volumes(path, n)
	c.metadata(path+".metadataOptions", n.MetadataOptions)
	if n.Kubelet != nil {
		c.kubelet(path+".kubelet", *n.Kubelet)
	}
	if n.CPUOptions != nil {
		c.oneOf(path+".cpuOptions.nestedVirtualization", n.CPUOptions.NestedVirtualization, "enabled", "disabled")
	}
	c.oneOf(path+".instanceStorePolicy", n.InstanceStorePolicy, "RAID0")
	c.tags(path+".tags", n.Tags)
}

// images checks which images the class takes and how they are started.
func (c *check) images(path string, n NodeClass) {
	if n.AMIAlias != "" && len(n.AMISelectorTerms) > 0 {
		c.add(path+".amiAlias", strconv.Quote(n.AMIAlias), "nothing beside amiSelectorTerms", "leave one of the two out")
	}
	if n.AMIAlias != "" {
		c.alias(path+".amiAlias", n.AMIAlias)
	}
	c.atMost(path+".amiSelectorTerms", len(n.AMISelectorTerms), 30)
	aliased := false
	for i, term := range n.AMISelectorTerms {
		aliased = aliased || term.Alias != ""
		c.imageTerm(fmt.Sprintf("%s.amiSelectorTerms[%d]", path, i), term, len(n.AMISelectorTerms))
	}
	c.started(path, n, len(n.AMISelectorTerms) > 0 && !aliased)
}

// started checks how the images of a class are started. selected tells that
// they are selected by something else than an alias, which names no family.
func (c *check) started(class string, n NodeClass, selected bool) {
	path := class + ".amiFamily"
	c.oneOf(path, n.AMIFamily, append(slices.Sorted(maps.Values(amiFamilies)), familyCustom)...)
	switch {
	case selected:
		if n.AMIFamily == "" {
			c.add(path, "nothing", "the family that says how the selected images are started", "write it, such as AL2023")
		}
	case n.AMIFamily == familyCustom:
		if !c.Release.ServesV1 {
			c.add(path, strconv.Quote(n.AMIFamily), "a family whose images are known", "select the images (amiSelectorTerms)")
		}
	case n.AMIFamily != "" && n.AMIFamily != amiFamilies[n.family(c.Release)]:
		c.add(path, strconv.Quote(n.AMIFamily), "the family of the alias", "leave it out")
	}
	if n.AMIAlias != "" {
		path = class + ".amiAlias"
	}
	if f := n.family(c.Release); f != "" {
		c.family(path, f)
	}
}

// family checks whether the release and the cluster take a family.
func (c *check) family(path, family string) {
	c.since(path, "family."+family, strconv.Quote(family))
	var minor int
	if _, err := fmt.Sscanf(c.Kubernetes, "1.%d", &minor); err == nil && family == "al2" && minor >= 33 {
		c.add(path, `"al2"`, "a family with images for Kubernetes "+c.Kubernetes, "use al2023: AL2 ends with Kubernetes 1.32")
	}
}

func (c *check) alias(path, alias string) {
	if !aliasForm.MatchString(alias) || len(alias) > 30 {
		c.add(path, strconv.Quote(alias), "family@version of at most 30 characters", `write it as "al2023@latest"`)
		return
	}
	name, version, _ := strings.Cut(alias, "@")
	c.oneOf(path, name, slices.Sorted(maps.Keys(amiFamilies))...)
	if version == "latest" {
		return
	}
	if strings.HasPrefix(name, "windows") {
		c.add(path, strconv.Quote(alias), name+"@latest", "Windows images have no other alias: select one by its id (amiSelectorTerms)")
	}
	if !c.Release.ServesV1 {
		c.add(path, strconv.Quote(alias), name+"@latest in Karpenter "+c.Release.Version, "select an image by its id (amiSelectorTerms), or use Karpenter 1.0.0 or later")
	}
	c.imageVersion(path, alias, name, version)
}

// imageVersion checks whether there can be an image of a version.
func (c *check) imageVersion(path, alias, family, version string) {
	switch family {
	case "al2", "al2023":
		day, err := time.Parse("v20060102", version)
		if err != nil {
			c.add(path, strconv.Quote(alias), family+"@latest, or a day such as "+family+"@v20260101", "take a version that AWS has published")
			return
		}
		if first, known := kubernetesReleases[c.Kubernetes]; known && day.Format(time.DateOnly) < first {
			c.add(path, strconv.Quote(alias), "a later day: no image for Kubernetes "+c.Kubernetes+" is older than "+first, "take a version that AWS has published for it")
		}
	case "bottlerocket":
		c.form(path, version, bottlerocketForm, family+"@latest, or a version such as "+family+"@v1.50.0")
	}
}

// kubernetesReleases are the days on which Kubernetes was released. EKS, and its
// images, follow weeks later.
//
// Source: https://kubernetes.io/releases/
var kubernetesReleases = map[string]string{
	"1.29": "2023-12-13", "1.30": "2024-04-17", "1.31": "2024-08-13", "1.32": "2024-12-11", "1.33": "2025-04-23", "1.34": "2025-08-27",
	"1.35": "2025-12-17",
}

func (c *check) imageTerm(path string, t AMISelectorTerm, terms int) {
	c.termCombination(path, t, terms)
	if t.Alias != "" && !c.Release.ServesV1 {
		c.add(path+".alias", strconv.Quote(t.Alias), "no alias in a term in Karpenter "+c.Release.Version, "write it as amiAlias")
	} else if t.Alias != "" {
		c.alias(path+".alias", t.Alias)
	}
	c.form(path+".id", t.ID, imageForm, "an id such as ami-0123456789abcdef0")
	c.selectorTags(path+".tags", t.Tags)
}

// termCombination checks which fields of a term stand together.
func (c *check) termCombination(path string, t AMISelectorTerm, terms int) {
	selects := t.Name+t.SSMParameter != "" || len(t.Tags) > 0
	others := selects || t.Owner != ""
	switch {
	case t.ID != "" && (others || t.Alias != ""):
		c.add(path+".id", strconv.Quote(t.ID), "an id alone in its term", "leave the rest out")
	case t.Alias != "" && (others || terms > 1):
		c.add(path+".alias", strconv.Quote(t.Alias), "an alias alone", "leave everything else out")
	case t.ID+t.Alias != "" || selects:
	case t.Owner != "":
		c.add(path, "an owner alone", "an owner beside a name or tags", "add one")
	default:
		c.add(path, "nothing", "tags, id, name, alias or ssmParameter", "write one")
	}
}

func (c *check) selectorTags(path string, tags map[string]Scalar) {
	c.atMost(path, len(tags), 20)
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		if key == "" || tags[key] == "" {
			c.add(fmt.Sprintf("%s[%q]", path, key), strconv.Quote(string(tags[key])), "a key and a value", `"*" stands for any value`)
		}
	}
}

func (c *check) subnets(path string, terms []SelectorTerm) {
	c.atMost(path, len(terms), 30)
	for i, t := range terms {
		at := fmt.Sprintf("%s[%d]", path, i)
		if t.Name != "" || (t.ID == "") == (len(t.Tags) == 0) {
			c.add(at, "not exactly one of them", "an id, or tags", "write one of the two")
		}
		c.form(at+".id", t.ID, subnetForm, "an id such as subnet-0123456789abcdef0")
		c.selectorTags(at+".tags", t.Tags)
	}
}

func (c *check) securityGroups(path string, terms []SelectorTerm) {
	c.atMost(path, len(terms), 30)
	for i, t := range terms {
		at, n := fmt.Sprintf("%s[%d]", path, i), 0
		for _, given := range []bool{t.ID != "", t.Name != "", len(t.Tags) > 0} {
			if given {
				n++
			}
		}
		if n != 1 {
			c.add(at, fmt.Sprintf("%d of them", n), "an id, a name, or tags", "write one of the three")
		}
		c.form(at+".id", t.ID, groupForm, "an id such as sg-0123456789abcdef0")
		c.selectorTags(at+".tags", t.Tags)
	}
}

func (c *check) capacity(path string, terms []CapacityReservationSelectorTerm) {
	c.atMost(path, len(terms), 30)
	for i, t := range terms {
		at := fmt.Sprintf("%s[%d]", path, i)
		others := len(t.Tags) > 0 || t.InstanceMatchCriteria != ""
		if t.ID == "" && !others {
			c.add(at, "none of them", "an id, tags, or instanceMatchCriteria", "write one")
		}
		if t.ID != "" && (others || t.OwnerID != "") {
			c.add(at+".id", strconv.Quote(t.ID), "an id alone in its term", "leave the rest out")
		}
		c.form(at+".id", t.ID, capacityForm, "an id such as cr-0123456789abcdef0")
		c.form(at+".ownerID", string(t.OwnerID), accountForm, "the twelve digits of an account, in quotes")
		c.oneOf(at+".instanceMatchCriteria", t.InstanceMatchCriteria, "open", "targeted")
		c.selectorTags(at+".tags", t.Tags)
	}
}

func (c *check) network(path string, n NodeClass) {
	if n.IPPrefixCount != nil && *n.IPPrefixCount < 0 {
		c.add(path+".ipPrefixCount", strconv.Itoa(*n.IPPrefixCount), "0 or more", "leave it out for the CNI's own choice")
	}
	if p := n.PlacementGroupSelector; p != nil {
		at := path + ".placementGroupSelector"
		if (p.ID == "") == (p.Name == "") {
			c.add(at, "not exactly one of them", "an id, or a name", "write one of the two")
		}
		c.form(at+".id", p.ID, placementForm, "an id such as pg-0123456789abcdef0")
	}
	if t := n.ConnectionTracking; t != nil {
		at := path + ".connectionTracking"
		if *t == (ConnectionTracking{}) {
			c.add(at, "nothing", "at least one timeout", "write one, or leave it out")
		}
		c.within(at+".tcpEstablishedTimeout", t.TCPEstablishedTimeout, 60, 432000)
		c.within(at+".udpStreamTimeout", t.UDPStreamTimeout, 60, 180)
		c.within(at+".udpTimeout", t.UDPTimeout, 30, 60)
	}
	c.interfaces(path+".networkInterfaces", n.NetworkInterfaces)
}

func (c *check) interfaces(path string, list []NetworkInterface) {
	c.atMost(path, len(list), 150)
	primary := len(list) == 0
	for i, n := range list {
		at := fmt.Sprintf("%s[%d]", path, i)
		if n.InterfaceType == "" {
			c.add(at+".interfaceType", "nothing", "interface, efa-only", "choose one of these")
		}
		c.oneOf(at+".interfaceType", n.InterfaceType, "interface", "efa-only")
		if n.NetworkCardIndex < 0 || n.DeviceIndex < 0 {
			c.add(at, "a negative index", "0 or more", "correct it")
		}
		primary = primary || n == NetworkInterface{InterfaceType: "interface"}
		for _, other := range list[:i] {
			if other.NetworkCardIndex != n.NetworkCardIndex {
				continue
			}
			if other.DeviceIndex == n.DeviceIndex || other.InterfaceType == "efa-only" && n.InterfaceType == "efa-only" {
				c.add(at, "a second one on the card", "each device index once, and one efa-only a card", "remove one")
			}
		}
	}
	if !primary {
		c.add(path, "no primary interface", `one with networkCardIndex 0, deviceIndex 0 and interfaceType "interface"`, "add it")
	}
}

// volumeTypes are those of EBS that Karpenter takes.
var volumeTypes = []string{"standard", "io1", "io2", "gp2", "sc1", "st1", "gp3"}

const volumeWords = `a size such as "100Gi", with Gi, G, Ti or T`

func (c *check) volumes(path string, n NodeClass) {
	c.form(path+".volumeSize", n.VolumeSize, volumeForm, volumeWords)
	c.key(path+".volumeKmsKeyArn", n.VolumeKmsKeyArn)
	list := n.BlockDeviceMappings
	if len(list) > 0 && (n.VolumeSize != "" || n.VolumeKmsKeyArn != "") {
		c.add(path+".blockDeviceMappings", "it beside volumeSize or volumeKmsKeyArn", "one of the two", "write size and key in the mapping")
	}
	c.atMost(path+".blockDeviceMappings", len(list), 50)
	roots := 0
	for i, d := range list {
		if d.RootVolume {
			roots++
		}
		c.ebs(fmt.Sprintf("%s.blockDeviceMappings[%d].ebs", path, i), d.EBS)
	}
	if roots > 1 {
		c.add(path+".blockDeviceMappings", fmt.Sprintf("%d root volumes", roots), "one", "leave rootVolume out of the others")
	}
}

func (c *check) ebs(path string, e EBS) {
	if e.SnapshotID == "" && e.VolumeSize == "" {
		c.add(path, "neither of them", "volumeSize or snapshotID", "write one")
	}
	c.form(path+".volumeSize", e.VolumeSize, volumeForm, volumeWords)
	c.oneOf(path+".volumeType", e.VolumeType, volumeTypes...)
	c.within(path+".volumeInitializationRate", e.VolumeInitializationRate, 100, 300)
	if e.VolumeInitializationRate != 0 && e.SnapshotID == "" {
		c.add(path+".volumeInitializationRate", strconv.Itoa(e.VolumeInitializationRate), "one beside a snapshotID", "add that, or leave this out")
	}
	c.key(path+".kmsKeyID", e.KMSKeyID)
}

// key checks a key of the user: the controller's permissions name it.
func (c *check) key(path, arn string) {
	if arn != "" {
		c.wrap(path, names.CheckKeyArn(arn))
	}
}

func (c *check) metadata(path string, m *MetadataOptions) {
	if m == nil {
		return
	}
	c.oneOf(path+".httpEndpoint", m.HTTPEndpoint, "enabled", "disabled")
	c.oneOf(path+".httpProtocolIPv6", m.HTTPProtocolIPv6, "enabled", "disabled")
	c.oneOf(path+".httpTokens", m.HTTPTokens, "required", "optional")
	c.within(path+".httpPutResponseHopLimit", m.HTTPPutResponseHopLimit, 1, 64)
}

// tags checks the tags of instances: some are what permissions go by, and the
// controller sets them itself.
func (c *check) tags(path string, tags map[string]Scalar) {
	c.atMost(path, len(tags), 45) // AWS takes 50, and the controller adds its own
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		at := fmt.Sprintf("%s[%q]", path, key)
		switch {
		case key == "":
			c.add(at, "an empty key", "1 to 128 characters", "name the tag")
		case strings.HasPrefix(key, "kubernetes.io/cluster"), key == "eks:eks-cluster-name", key == "karpenter.sh/nodepool",
			key == "karpenter.sh/nodeclaim", key == "karpenter.k8s.aws/ec2nodeclass", key == "karpenter.sh/provisioner-name":
			c.add(at, strconv.Quote(key), "no tag that the controller sets itself", "remove it")
		}
	}
}
