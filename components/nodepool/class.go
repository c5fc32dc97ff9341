package nodepool

// NodeClass describes one EC2NodeClass: what the instances of a pool have in
// common on AWS. Role, subnets and security group come from the cluster, unless
// the class names its own.
//
// Source: https://karpenter.sh/docs/concepts/nodeclasses/
type NodeClass struct {
	// AMIAlias is the image family and its version, such as "al2023@v20260101"
	// or "bottlerocket@latest". Default: "al2023@latest" ("al2@latest" before
	// Karpenter 0.35). A pinned version changes nodes only when you change it.
	AMIAlias string `json:"amiAlias,omitempty"`
	// AMIFamily is how the images that AMISelectorTerms select are started:
	// AL2023, AL2, Bottlerocket, Windows2019, Windows2022, Windows2025, Custom.
	AMIFamily string `json:"amiFamily,omitempty"`
	// AMISelectorTerms select images in place of AMIAlias. An image that any term
	// selects is taken, the newest one first.
	AMISelectorTerms []AMISelectorTerm `json:"amiSelectorTerms,omitempty"`
	// SubnetSelectorTerms and SecurityGroupSelectorTerms select in place of the
	// cluster's own subnets and security group. What any term selects is taken.
	SubnetSelectorTerms        []SelectorTerm `json:"subnetSelectorTerms,omitempty"`
	SecurityGroupSelectorTerms []SelectorTerm `json:"securityGroupSelectorTerms,omitempty"`
	// CapacityReservationSelectorTerms select On-Demand Capacity Reservations and
	// Capacity Blocks. A pool uses them with the capacity type "reserved".
	CapacityReservationSelectorTerms []CapacityReservationSelectorTerm `json:"capacityReservationSelectorTerms,omitempty"`
	// PlacementGroupSelector selects the placement group of all instances.
	PlacementGroupSelector *PlacementGroupSelector `json:"placementGroupSelector,omitempty"`
	// AssociatePublicIPAddress overrides the subnet's own setting.
	AssociatePublicIPAddress *bool `json:"associatePublicIPAddress,omitempty"`
	// IPPrefixCount is the number of prefixes (/28, or /80 for IPv6) of the first
	// network interface. Default: the VPC CNI chooses.
	IPPrefixCount *int `json:"ipPrefixCount,omitempty"`
	// NetworkInterfaces are those of each instance, for EFA. Default: one, or what
	// pods that ask for vpc.amazonaws.com/efa need.
	NetworkInterfaces []NetworkInterface `json:"networkInterfaces,omitempty"`
	// ConnectionTracking sets idle timeouts of tracked connections.
	ConnectionTracking *ConnectionTracking `json:"connectionTracking,omitempty"`

	// VolumeSize is the size of the volume that holds container images, such as
	// "200Gi". Default: "100Gi", since ML images are large.
	VolumeSize string `json:"volumeSize,omitempty"`
	// VolumeKmsKeyArn is your own key of KMS for that volume, by its ARN. The
	// controller gets the permission to use it; the key's policy must allow it
	// too. Default: the account's key for EBS.
	VolumeKmsKeyArn string `json:"volumeKmsKeyArn,omitempty"`
	// BlockDeviceMappings are all volumes, in place of the two fields above.
	// Default: the one volume, of type gp3 and encrypted.
	BlockDeviceMappings []BlockDeviceMapping `json:"blockDeviceMappings,omitempty"`
	// InstanceStorePolicy RAID0 makes one volume for pods of all local disks.
	// Default: they are left as they are.
	InstanceStorePolicy string `json:"instanceStorePolicy,omitempty"`

	// Kubelet configures the kubelet of each node.
	Kubelet *Kubelet `json:"kubelet,omitempty"`
	// UserData is added to what the image family itself runs at boot, in the form
	// that the family takes.
	UserData string `json:"userData,omitempty"`
	// MetadataOptions are those of the instance metadata service. Default: tokens
	// required, and one hop, which keeps pods from the node's credentials.
	MetadataOptions *MetadataOptions `json:"metadataOptions,omitempty"`
	// CPUOptions are those of the processor.
	CPUOptions *CPUOptions `json:"cpuOptions,omitempty"`
	// EnclaveOptions are those of AWS Nitro Enclaves.
	EnclaveOptions *EnclaveOptions `json:"enclaveOptions,omitempty"`
	// DetailedMonitoring has CloudWatch look every minute, which costs.
	DetailedMonitoring *bool `json:"detailedMonitoring,omitempty"`
	// Context is passed on to EC2 Fleet as it is.
	Context string `json:"context,omitempty"`
	// Tags are set on every instance, volume and network interface. A change
	// replaces the nodes.
	Tags map[string]Scalar `json:"tags,omitempty"`
	// Override is merged over the rendered spec, in Karpenter's own words, for
	// what this type does not know. A null removes what is there.
	Override map[string]any `json:"override,omitempty"`
}

// AMISelectorTerm selects images. All fields of a term must match.
type AMISelectorTerm struct {
	// Alias is a family and a version. It stands alone.
	Alias string `json:"alias,omitempty"`
	// ID is the image, such as "ami-0123456789abcdef0". It stands alone.
	ID string `json:"id,omitempty"`
	// Name of the image, with wildcards, and Owner, an account or an alias such as
	// "amazon". Default: of the own account and of Amazon.
	Name  string `json:"name,omitempty"`
	Owner string `json:"owner,omitempty"`
	// SSMParameter is a parameter of Systems Manager that holds the id.
	SSMParameter string `json:"ssmParameter,omitempty"`
	// Tags of the image; "*" is any value.
	Tags map[string]Scalar `json:"tags,omitempty"`
}

// SelectorTerm selects subnets or security groups. All fields of a term must
// match.
type SelectorTerm struct {
	// ID, such as "subnet-0123456789abcdef0". It stands alone.
	ID string `json:"id,omitempty"`
	// Name of a security group. It stands alone.
	Name string `json:"name,omitempty"`
	// Tags of the resource; "*" is any value.
	Tags map[string]Scalar `json:"tags,omitempty"`
}

// CapacityReservationSelectorTerm selects capacity reservations.
type CapacityReservationSelectorTerm struct {
	// ID, such as "cr-0123456789abcdef0". It stands alone.
	ID string `json:"id,omitempty"`
	// OwnerID is the account that owns the reservation. Default: any.
	OwnerID Scalar `json:"ownerID,omitempty"`
	// InstanceMatchCriteria is "open" or "targeted".
	InstanceMatchCriteria string `json:"instanceMatchCriteria,omitempty"`
	// Tags of the reservation; "*" is any value.
	Tags map[string]Scalar `json:"tags,omitempty"`
}

// PlacementGroupSelector names a placement group, by one of the two.
type PlacementGroupSelector struct {
	Name string `json:"name,omitempty"`
	ID   string `json:"id,omitempty"`
}

// NetworkInterface is one interface of an instance.
type NetworkInterface struct {
	// NetworkCardIndex and DeviceIndex say where it is. There must be one at 0, 0.
	NetworkCardIndex int `json:"networkCardIndex"`
	DeviceIndex      int `json:"deviceIndex"`
	// InterfaceType is "interface" or "efa-only".
	InterfaceType string `json:"interfaceType"`
}

// ConnectionTracking sets idle timeouts, in seconds. At least one is set.
type ConnectionTracking struct {
	// TCPEstablishedTimeout is 60 to 432000, UDPStreamTimeout 60 to 180 and
	// UDPTimeout 30 to 60.
	TCPEstablishedTimeout int `json:"tcpEstablishedTimeout,omitempty"`
	UDPStreamTimeout      int `json:"udpStreamTimeout,omitempty"`
	UDPTimeout            int `json:"udpTimeout,omitempty"`
}

// BlockDeviceMapping is one volume.
type BlockDeviceMapping struct {
	// DeviceName, such as "/dev/xvda".
	DeviceName string `json:"deviceName,omitempty"`
	// RootVolume marks the volume that Karpenter takes for the node's ephemeral
	// storage. Default: what the family has.
	RootVolume bool `json:"rootVolume,omitempty"`
	// EBS describes the volume.
	EBS EBS `json:"ebs,omitzero"`
}

// EBS describes a volume of EBS.
type EBS struct {
	// VolumeSize, such as "100Gi". Required, unless there is a snapshot.
	VolumeSize string `json:"volumeSize,omitempty"`
	// VolumeType is gp3, gp2, io1, io2, st1, sc1 or standard.
	VolumeType string `json:"volumeType,omitempty"`
	// IOPS, and Throughput in MiB a second.
	IOPS       int `json:"iops,omitempty"`
	Throughput int `json:"throughput,omitempty"`
	// Encrypted and DeleteOnTermination. Default: those of EBS.
	Encrypted           *bool `json:"encrypted,omitempty"`
	DeleteOnTermination *bool `json:"deleteOnTermination,omitempty"`
	// KMSKeyID is your own key, by its ARN: see NodeClass.VolumeKmsKeyArn.
	KMSKeyID string `json:"kmsKeyID,omitempty"`
	// SnapshotID is what the volume starts from, such as images pulled before.
	SnapshotID string `json:"snapshotID,omitempty"`
	// VolumeInitializationRate is how fast the snapshot is read, 100 to 300 MiB a
	// second. Default: as EBS finds time.
	VolumeInitializationRate int `json:"volumeInitializationRate,omitempty"`
}

// MetadataOptions are those of the instance metadata service.
type MetadataOptions struct {
	// HTTPEndpoint and HTTPProtocolIPv6 are "enabled" or "disabled". Default:
	// enabled, and disabled.
	HTTPEndpoint     string `json:"httpEndpoint,omitempty"`
	HTTPProtocolIPv6 string `json:"httpProtocolIPv6,omitempty"`
	// HTTPPutResponseHopLimit is 1 to 64. Default: 1. Pods reach the service from
	// 2 on.
	HTTPPutResponseHopLimit int `json:"httpPutResponseHopLimit,omitempty"`
	// HTTPTokens is "required" or "optional". Default: required.
	HTTPTokens string `json:"httpTokens,omitempty"`
}

// CPUOptions are those of the processor.
type CPUOptions struct {
	// NestedVirtualization is "enabled" or "disabled".
	NestedVirtualization string `json:"nestedVirtualization,omitempty"`
}

// EnclaveOptions are those of AWS Nitro Enclaves.
type EnclaveOptions struct {
	Enabled bool `json:"enabled"`
}

// Kubelet configures the kubelet.
//
// Source: https://karpenter.sh/docs/concepts/nodeclasses/#speckubelet
type Kubelet struct {
	ClusterDNS []string `json:"clusterDNS,omitempty"`
	// MaxPods and PodsPerCore bound the pods of a node.
	MaxPods     *int `json:"maxPods,omitempty"`
	PodsPerCore *int `json:"podsPerCore,omitempty"`
	// SystemReserved and KubeReserved take from what pods get, by "cpu", "memory",
	// "ephemeral-storage" and "pid".
	SystemReserved map[string]Scalar `json:"systemReserved,omitempty"`
	KubeReserved   map[string]Scalar `json:"kubeReserved,omitempty"`
	// EvictionHard, EvictionSoft and EvictionSoftGracePeriod are by signal, such as
	// "memory.available".
	EvictionHard            map[string]Scalar `json:"evictionHard,omitempty"`
	EvictionSoft            map[string]Scalar `json:"evictionSoft,omitempty"`
	EvictionSoftGracePeriod map[string]string `json:"evictionSoftGracePeriod,omitempty"`
	// EvictionMaxPodGracePeriod is in seconds.
	EvictionMaxPodGracePeriod *int `json:"evictionMaxPodGracePeriod,omitempty"`
	// ImageGCHighThresholdPercent and ImageGCLowThresholdPercent are 0 to 100.
	ImageGCHighThresholdPercent *int  `json:"imageGCHighThresholdPercent,omitempty"`
	ImageGCLowThresholdPercent  *int  `json:"imageGCLowThresholdPercent,omitempty"`
	CPUCFSQuota                 *bool `json:"cpuCFSQuota,omitempty"`
}
