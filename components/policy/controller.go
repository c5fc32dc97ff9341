package policy

import "github.com/valohai/pulumi-kubernetes-autoscaling/components/release"

// Group is one of the managed policies of the controller role. The groups and
// their names are those of the reference template since Karpenter 1.9; earlier
// releases get their statements in the same groups. However long the cluster's
// name, region and partition, a group stays under IAM's 6,144 characters.
type Group string

// The groups of the controller's permissions.
const (
	NodeLifecycle     Group = "NodeLifecycle"
	IAMIntegration    Group = "IAMIntegration"
	EKSIntegration    Group = "EKSIntegration"
	Interruption      Group = "Interruption"
	ZonalShift        Group = "ZonalShift"
	ResourceDiscovery Group = "ResourceDiscovery"
	// VolumeEncryption and Additional are ours: they hold what a user asks for
	// beside the reference template.
	VolumeEncryption Group = "VolumeEncryption"
	Additional       Group = "Additional"
)

// Features are what a user can switch on or off. A feature that is off has no
// statement.
type Features struct {
	// InterruptionQueue: the controller reads an interruption queue.
	InterruptionQueue bool
	// ZonalShift: the controller follows zonal shifts of the cluster.
	ZonalShift bool
	// VolumeEncryption: volumes of nodes are encrypted with keys of the user.
	VolumeEncryption bool
	// Additional: the user has statements to add.
	Additional bool
}

// Groups returns the groups that a release needs with the features that are on.
func Groups(r release.Release, f Features) []Group {
	groups := []Group{NodeLifecycle, IAMIntegration, EKSIntegration, ResourceDiscovery}
	if f.InterruptionQueue {
		groups = append(groups, Interruption)
	}
	if f.ZonalShift && r.SupportsZonalShift {
		groups = append(groups, ZonalShift)
	}
	if f.VolumeEncryption {
		groups = append(groups, VolumeEncryption)
	}
	if f.Additional {
		groups = append(groups, Additional)
	}
	return groups
}

// ControllerInput names what the controller works on.
type ControllerInput struct {
	// Partition, Region and Account are those of the cluster: "aws",
	// "eu-west-1", "111122223333".
	Partition, Region, Account string
	// Cluster is the name of the EKS cluster.
	Cluster string
	// NodeRoleArns are the full ARNs, with their paths, of the roles of nodes.
	NodeRoleArns List
	// GivesInstanceProfile: the node classes name an instance profile that is
	// already there, and the controller makes none.
	GivesInstanceProfile bool
	// QueueArn is the interruption queue, and QueueKmsKeyArn the key of the user
	// that encrypts it, if there is one. Used by the group Interruption only.
	QueueArn, QueueKmsKeyArn string
	// VolumeKmsKeyArns are the keys of the group VolumeEncryption.
	VolumeKmsKeyArns List
	// Additional are the statements of the group Additional.
	Additional []Statement
}

// Controller returns the document of one group: the permissions of the
// release's own reference template, and not those of a newer one. It differs
// from the template where that is wrong or too wide:
//
//   - iam:PassedToService has both names of EC2 in every partition. Two calls
//     present different ones in China, and templates before 1.1 list one.
//   - pricing:GetProducts is left out in partitions that have no such service.
//   - An instance profile that is given needs no permission to make one.
//   - The node role is named by its full ARN at every release, so that roles
//     with a path work; templates before 0.36 built the ARN from a fixed name.
//   - ec2:DescribeInstanceStatus is bound to the region, as from 1.13 on.
//   - The zonal-shift statement has the form of 1.13; that of 1.12 named a
//     resource where the service wants a condition.
//
// Source: https://karpenter.sh/docs/reference/cloudformation/
func Controller(r release.Release, g Group, in ControllerInput) Document {
	c := controller{release: r, in: in}
	switch g {
	case NodeLifecycle:
		return newDocument(c.nodeLifecycle()...)
	case IAMIntegration:
		return newDocument(c.iamIntegration()...)
	case EKSIntegration:
		return newDocument(c.eksIntegration())
	case Interruption:
		return newDocument(c.interruption()...)
	case ZonalShift:
		return newDocument(c.zonalShift())
	case ResourceDiscovery:
		return newDocument(c.resourceDiscovery()...)
	case VolumeEncryption:
		return newDocument(c.volumeEncryption()...)
	case Additional:
		return newDocument(in.Additional...)
	}
	panic("policy: no such group: " + string(g))
}

// ControllerInline returns the documents of several groups as one, for an inline
// policy. IAM allows 10,240 characters for all inline policies of a role.
func ControllerInline(r release.Release, groups []Group, in ControllerInput) Document {
	var statements []Statement
	for _, g := range groups {
		statements = append(statements, Controller(r, g, in).Statement...)
	}
	return newDocument(statements...)
}

// controller renders the statements of one release for one cluster.
type controller struct {
	release release.Release
	in      ControllerInput
}

// ec2 returns ARNs of EC2 resource types in the cluster's region and any
// account: a launch may use an image or a subnet that is shared.
func (c controller) ec2(types ...string) List {
	arns := make(List, len(types))
	for i, t := range types {
		arns[i] = "arn:" + c.in.Partition + ":ec2:" + c.in.Region + ":*:" + t + "/*"
	}
	return arns
}

// public returns ARNs of EC2 resource types that belong to no account.
func (c controller) public(types ...string) List {
	arns := make(List, len(types))
	for i, t := range types {
		arns[i] = "arn:" + c.in.Partition + ":ec2:" + c.in.Region + "::" + t + "/*"
	}
	return arns
}

func (c controller) clusterArn() string {
	return "arn:" + c.in.Partition + ":eks:" + c.in.Region + ":" + c.in.Account + ":cluster/" + c.in.Cluster
}

// ownerTag marks what belongs to the cluster.
func (c controller) ownerTag() string { return "kubernetes.io/cluster/" + c.in.Cluster }

const (
	clusterNameTag = "eks:eks-cluster-name"
	nodePoolTag    = "karpenter.sh/nodepool"
	nodeClassTag   = "karpenter.k8s.aws/ec2nodeclass"
	regionTag      = "topology.kubernetes.io/region"
)

// requestTag and resourceTag are the condition keys for a tag that a request
// sets, and for one that a resource has.
func requestTag(tag string) string  { return "aws:RequestTag/" + tag }
func resourceTag(tag string) string { return "aws:ResourceTag/" + tag }

// requestsOwned holds if a request tags what it makes as the cluster's.
func (c controller) requestsOwned() Conditions {
	tags := map[string]string{requestTag(c.ownerTag()): "owned"}
	if c.release.TagsClusterName {
		tags[requestTag(clusterNameTag)] = c.in.Cluster
	}
	return only("StringEquals", tags)
}

// isOwned holds if a resource is the cluster's.
func (c controller) isOwned() Conditions {
	return only("StringEquals", map[string]string{resourceTag(c.ownerTag()): "owned"})
}

// exists holds if a tag is there, whatever its value.
func exists(key string) Conditions { return only("StringLike", map[string]string{key: "*"}) }

// inRegion holds for calls to the cluster's region.
func (c controller) inRegion() Conditions {
	return only("StringEquals", map[string]string{"aws:RequestedRegion": c.in.Region})
}
