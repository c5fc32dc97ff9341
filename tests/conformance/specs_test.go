package conformance

import (
	"strings"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/nodepool"
)

// spec is a pool and its class, and what becomes of them.
type spec struct {
	pool  nodepool.Pool
	class nodepool.NodeClass
	// refused: at least one release or our validator refuses it.
	refused bool
	// stricter: we refuse what the definitions let through, since the controller
	// or AWS would not.
	stricter bool
	// field is what the release must have, in the catalogue's words, and nothing
	// else decides.
	field string
}

func ptr[T any](v T) *T { return &v }

func scalars(pairs ...nodepool.Scalar) map[string]nodepool.Scalar {
	m := map[string]nodepool.Scalar{}
	for i := 0; i < len(pairs); i += 2 {
		m[string(pairs[i])] = pairs[i+1]
	}
	return m
}

// cpu is the preset cpu, changed.
func cpu(change func(*nodepool.Pool)) nodepool.Pool {
	p := nodepool.Pool{Preset: "cpu"}
	change(&p)
	return p
}

func requires(key, operator string, values ...nodepool.Scalar) nodepool.Pool {
	return cpu(func(p *nodepool.Pool) {
		p.Requirements = []nodepool.Requirement{{Key: key, Operator: operator, Values: values}}
	})
}

func labelled(key string, value nodepool.Scalar) nodepool.Pool {
	return cpu(func(p *nodepool.Pool) { p.Labels = map[string]nodepool.Scalar{key: value} })
}

func disrupted(d nodepool.Disruption) nodepool.Pool {
	return cpu(func(p *nodepool.Pool) { p.Disruption = d })
}

func budget(b nodepool.Budget) nodepool.Pool {
	return disrupted(nodepool.Disruption{Budgets: []nodepool.Budget{b}})
}

// specs are the table: pools first, then classes.
func specs() map[string]spec {
	all := poolSpecs()
	for name, s := range classSpecs() {
		if s.pool.Preset == "" {
			s.pool.Preset = "cpu"
		}
		all[name] = s
	}
	return all
}

const aws = "karpenter.k8s.aws/"

func poolSpecs() map[string]spec {
	return map[string]spec{
		"pool: the preset":            {pool: cpu(func(*nodepool.Pool) {})},
		"pool: nothing but a limit":   {pool: nodepool.Pool{Limits: scalars("cpu", "1")}},
		"pool: labels":                {pool: labelled("example.com/team", "ml")},
		"pool: a label without value": {pool: labelled("team", ""), refused: false},
		"pool: a label too long":      {pool: labelled("team", nodepool.Scalar(strings.Repeat("a", 64))), refused: true},
		"pool: a label with a space":  {pool: labelled("team", "a b"), refused: true},
		"pool: a label of Karpenter":  {pool: labelled("karpenter.sh/nodepool", "x"), refused: true},
		"pool: a label of its own":    {pool: labelled("karpenter.sh/team", "x"), refused: true},
		"pool: a host name":           {pool: labelled("kubernetes.io/hostname", "x"), refused: true},
		"pool: a label of Kubernetes": {pool: labelled("app.kubernetes.io/managed-by", "pulumi"), refused: true},
		"pool: a label of the node":   {pool: labelled("node.kubernetes.io/role", "x")},
		"pool: a label of kops":       {pool: labelled("kops.k8s.io/x", "x")},
		"pool: a label of AWS":        {pool: labelled(aws+"team", "x"), refused: true},
		"pool: annotations":           {pool: cpu(func(p *nodepool.Pool) { p.Annotations = scalars("example.com/a", "anything at all") })},

		"pool: taints": {pool: cpu(func(p *nodepool.Pool) {
			p.Taints = []nodepool.Taint{{Key: "a", Value: "true", Effect: "NoExecute"}, {Key: "b", Effect: "NoSchedule"}}
		})},
		"pool: startup taints":         {pool: cpu(func(p *nodepool.Pool) { p.StartupTaints = []nodepool.Taint{{Key: "a.b/c", Effect: "PreferNoSchedule"}} })},
		"pool: a taint's effect":       {pool: cpu(func(p *nodepool.Pool) { p.Taints = []nodepool.Taint{{Key: "a", Effect: "Never"}} }), refused: true},
		"pool: a taint without key":    {pool: cpu(func(p *nodepool.Pool) { p.Taints = []nodepool.Taint{{Effect: "NoSchedule"}} }), refused: true},
		"pool: a taint's odd value":    {pool: cpu(func(p *nodepool.Pool) { p.Taints = []nodepool.Taint{{Key: "a", Value: "a b", Effect: "NoSchedule"}} }), refused: true},
		"pool: a taint without effect": {pool: cpu(func(p *nodepool.Pool) { p.Taints = []nodepool.Taint{{Key: "a"}} }), refused: true},

		"pool: In":                     {pool: requires("topology.kubernetes.io/zone", "In", "eu-west-1a")},
		"pool: NotIn":                  {pool: requires(aws+"instance-family", "NotIn", "t3")},
		"pool: Exists":                 {pool: requires(aws+"instance-local-nvme", "Exists")},
		"pool: DoesNotExist":           {pool: requires(aws+"instance-gpu-name", "DoesNotExist")},
		"pool: Gt":                     {pool: requires(aws+"instance-cpu", "Gt", "3")},
		"pool: Gt 0":                   {pool: requires(aws+"instance-cpu", "Gt", "0")},
		"pool: Gte":                    {pool: requires(aws+"instance-cpu", "Gte", "4"), refused: true, field: "operator.Gte"},
		"pool: Lte":                    {pool: requires(aws+"instance-cpu", "Lte", "4"), refused: true, field: "operator.Lte"},
		"pool: Gt of a fraction":       {pool: requires(aws+"instance-cpu", "Gt", "3.5"), refused: true},
		"pool: Gt of two":              {pool: requires(aws+"instance-cpu", "Gt", "2", "3"), refused: true},
		"pool: Gt of none":             {pool: requires(aws+"instance-cpu", "Gt"), refused: true},
		"pool: Lt below zero":          {pool: requires(aws+"instance-cpu", "Lt", "-1"), refused: true},
		"pool: In of none":             {pool: requires("team", "In"), refused: true},
		"pool: NotIn of none":          {pool: requires("team", "NotIn"), refused: true, stricter: true},
		"pool: Exists with a value":    {pool: requires("team", "Exists", "x"), refused: true, stricter: true},
		"pool: an unknown operator":    {pool: requires("team", "Is", "x"), refused: true},
		"pool: a requirement of nodes": {pool: requires("karpenter.sh/nodepool", "In", "x"), refused: true},
		"pool: an unknown AWS key":     {pool: requires(aws+"instance-colour", "In", "red"), refused: true},
		"pool: tenancy":                {pool: requires(aws+"instance-tenancy", "In", "default"), refused: true, field: "key.instance-tenancy"},
		"pool: flexible instances":     {pool: requires(aws+"instance-capability-flex", "In", "false"), refused: true, field: "key.instance-capability-flex"},
		"pool: a placement group":      {pool: requires(aws+"placement-group-id", "Exists"), refused: true, field: "key.placement-group-id"},
		"pool: an interruptible block": {
			pool:    requires(aws+"capacity-reservation-interruptible", "In", "true"),
			class:   nodepool.NodeClass{CapacityReservationSelectorTerms: []nodepool.CapacityReservationSelectorTerm{{ID: "cr-1"}}},
			refused: true, field: "key.capacity-reservation-interruptible",
		},
		"pool: a block of no reservation": {pool: requires(aws+"capacity-reservation-interruptible", "In", "true"), refused: true, stricter: true},
		"pool: a newer family": {pool: cpu(func(p *nodepool.Pool) {
			p.UnlistedInstanceTypes = true
			p.Requirements = []nodepool.Requirement{{Key: aws + "instance-family", Operator: "In", Values: []nodepool.Scalar{"m99"}}}
		})},
		"pool: two families":     {pool: requires(aws+"instance-family", "In", "m6i", "c6i")},
		"pool: no such family":   {pool: requires(aws+"instance-family", "In", "m99"), refused: true, stricter: true},
		"pool: types of nothing": {pool: requires(aws+"instance-gpu-count", "Gt", "100"), refused: true, stricter: true},
		"pool: less than a node": {pool: cpu(func(p *nodepool.Pool) { p.Limits = scalars("memory", "1Mi") }), refused: true, stricter: true},
		"pool: the clock":        {pool: requires(aws+"instance-cpu-sustained-clock-speed-mhz", "Gt", "3000"), refused: true, field: "key.instance-cpu-sustained-clock-speed-mhz"},
		"pool: a capacity type":  {pool: requires("karpenter.sh/capacity-type", "In", "spt"), refused: true, stricter: true},
		"pool: minValues": {pool: cpu(func(p *nodepool.Pool) {
			p.Requirements = []nodepool.Requirement{{Key: aws + "instance-family", Operator: "Exists", MinValues: 5}}
		})},
		"pool: minValues of fewer": {pool: cpu(func(p *nodepool.Pool) {
			p.Requirements = []nodepool.Requirement{{Key: aws + "instance-family", Operator: "In", Values: []nodepool.Scalar{"c5"}, MinValues: 2}}
		}), refused: true},
		"pool: minValues too large": {pool: cpu(func(p *nodepool.Pool) {
			p.Requirements = []nodepool.Requirement{{Key: aws + "instance-family", Operator: "Exists", MinValues: 51}}
		}), refused: true},
		"pool: 101 requirements": {pool: cpu(func(p *nodepool.Pool) {
			for range 101 {
				p.Requirements = append(p.Requirements, nodepool.Requirement{Key: "team", Operator: "Exists"})
			}
		}), refused: true},

		"pool: limits": {pool: cpu(func(p *nodepool.Pool) {
			p.Limits = scalars("cpu", "1.5", "memory", "1Ti", "nvidia.com/gpu", "8", "nodes", "4")
		})},
		"pool: an odd limit":            {pool: cpu(func(p *nodepool.Pool) { p.Limits = scalars("cpu", "many") }), refused: true},
		"pool: a limit below zero":      {pool: cpu(func(p *nodepool.Pool) { p.Limits = scalars("cpu", "-1") }), refused: true, stricter: true},
		"pool: no limit":                {pool: nodepool.Pool{}, refused: true, stricter: true},
		"pool: weight":                  {pool: cpu(func(p *nodepool.Pool) { p.Weight = 100 })},
		"pool: weight too large":        {pool: cpu(func(p *nodepool.Pool) { p.Weight = 101 }), refused: true},
		"pool: static":                  {pool: nodepool.Pool{Replicas: ptr(2), Limits: scalars("nodes", "3")}, refused: true, field: "pool.replicas"},
		"pool: static without limits":   {pool: nodepool.Pool{Replicas: ptr(0)}, refused: true, field: "pool.replicas"},
		"pool: static with a cpu limit": {pool: nodepool.Pool{Replicas: ptr(2), Limits: scalars("cpu", "3")}, refused: true},
		"pool: static with a weight":    {pool: nodepool.Pool{Replicas: ptr(2), Weight: 3}, refused: true},
		"pool: fewer than none":         {pool: nodepool.Pool{Replicas: ptr(-1)}, refused: true},

		"pool: never expires":        {pool: cpu(func(p *nodepool.Pool) { p.ExpireAfter = "Never" })},
		"pool: expires":              {pool: cpu(func(p *nodepool.Pool) { p.ExpireAfter = "1h30m" })},
		"pool: expires in days":      {pool: cpu(func(p *nodepool.Pool) { p.ExpireAfter = "30d" }), refused: true},
		"pool: expires in 1hr":       {pool: cpu(func(p *nodepool.Pool) { p.ExpireAfter = "1hr" }), refused: true, stricter: true},
		"pool: expires in 90":        {pool: cpu(func(p *nodepool.Pool) { p.ExpireAfter = "90" }), refused: true},
		"pool: grace":                {pool: cpu(func(p *nodepool.Pool) { p.TerminationGracePeriod = "48h" })},
		"pool: grace for ever":       {pool: cpu(func(p *nodepool.Pool) { p.TerminationGracePeriod = "Never" }), refused: true},
		"pool: consolidated never":   {pool: disrupted(nodepool.Disruption{ConsolidateAfter: "Never"})},
		"pool: WhenEmpty":            {pool: disrupted(nodepool.Disruption{ConsolidationPolicy: "WhenEmpty", ConsolidateAfter: "30s"})},
		"pool: Balanced":             {pool: disrupted(nodepool.Disruption{ConsolidationPolicy: "Balanced"}), refused: true, field: "policy.Balanced"},
		"pool: an old policy":        {pool: disrupted(nodepool.Disruption{ConsolidationPolicy: "WhenUnderutilized"}), refused: true},
		"pool: budget":               {pool: budget(nodepool.Budget{Nodes: "20%"})},
		"pool: budget of none":       {pool: budget(nodepool.Budget{Nodes: "0"})},
		"pool: budget at night":      {pool: budget(nodepool.Budget{Nodes: "0", Schedule: "0 22 * * mon-fri", Duration: "8h30m"})},
		"pool: budget with a reason": {pool: budget(nodepool.Budget{Nodes: "1", Reasons: []string{"Drifted"}})},
		"pool: budget for illness":   {pool: budget(nodepool.Budget{Nodes: "1", Reasons: []string{"Unhealthy"}}), refused: true, field: "reason.Unhealthy"},
		"pool: budget above all":     {pool: budget(nodepool.Budget{Nodes: "101%"}), refused: true},
		"pool: budget half timed":    {pool: budget(nodepool.Budget{Nodes: "1", Schedule: "@daily"}), refused: true},
		"pool: budget in seconds":    {pool: budget(nodepool.Budget{Nodes: "1", Schedule: "@daily", Duration: "30s"}), refused: true},
		"pool: budget at no time":    {pool: budget(nodepool.Budget{Nodes: "1", Schedule: "61 * * * *", Duration: "1h"}), refused: true, stricter: true},
	}
}

func classSpecs() map[string]spec {
	image := func(term nodepool.AMISelectorTerm) nodepool.NodeClass {
		return nodepool.NodeClass{AMIFamily: "AL2023", AMISelectorTerms: []nodepool.AMISelectorTerm{term}}
	}
	volume := func(e nodepool.EBS) nodepool.NodeClass {
		return nodepool.NodeClass{BlockDeviceMappings: []nodepool.BlockDeviceMapping{{DeviceName: "/dev/xvda", EBS: e}}}
	}
	return map[string]spec{
		"class: the defaults":            {class: nodepool.NodeClass{}},
		"class: pinned":                  {class: nodepool.NodeClass{AMIAlias: "al2023@v20260101"}},
		"class: bottlerocket":            {class: nodepool.NodeClass{AMIAlias: "bottlerocket@1.50.0"}},
		"class: al2":                     {class: nodepool.NodeClass{AMIAlias: "al2@latest"}},
		"class: no version":              {class: nodepool.NodeClass{AMIAlias: "al2023"}, refused: true},
		"class: ubuntu":                  {class: nodepool.NodeClass{AMIAlias: "ubuntu@latest"}, refused: true},
		"class: an alias too long":       {class: nodepool.NodeClass{AMIAlias: "al2023@" + strings.Repeat("v", 30)}, refused: true},
		"class: an image by id":          {class: image(nodepool.AMISelectorTerm{ID: "ami-0123"})},
		"class: an image by name":        {class: image(nodepool.AMISelectorTerm{Name: "mine-*", Owner: "self"})},
		"class: an image by tags":        {class: image(nodepool.AMISelectorTerm{Tags: scalars("a", "*")})},
		"class: an image by parameter":   {class: image(nodepool.AMISelectorTerm{SSMParameter: "/mine"}), refused: true, field: "class.amiSelectorTerms.ssmParameter"},
		"class: an image by nothing":     {class: image(nodepool.AMISelectorTerm{}), refused: true},
		"class: an image by id and name": {class: image(nodepool.AMISelectorTerm{ID: "ami-1", Name: "n"}), refused: true},
		"class: an image by an odd id":   {class: image(nodepool.AMISelectorTerm{ID: "image"}), refused: true},
		"class: an image by no tag":      {class: image(nodepool.AMISelectorTerm{Tags: scalars("a", "")}), refused: true},
		"class: an image of no family":   {class: nodepool.NodeClass{AMISelectorTerms: []nodepool.AMISelectorTerm{{ID: "ami-1"}}}, refused: true},
		"class: custom":                  {class: nodepool.NodeClass{AMIFamily: "Custom", AMISelectorTerms: []nodepool.AMISelectorTerm{{ID: "ami-1"}}}},
		"class: another family":          {class: nodepool.NodeClass{AMIAlias: "al2023@latest", AMIFamily: "AL2"}, refused: true},

		"class: subnets":               {class: nodepool.NodeClass{SubnetSelectorTerms: []nodepool.SelectorTerm{{ID: "subnet-1"}, {Tags: scalars("a", "b")}}}},
		"class: subnets twice chosen":  {class: nodepool.NodeClass{SubnetSelectorTerms: []nodepool.SelectorTerm{{ID: "subnet-1", Tags: scalars("a", "b")}}}, refused: true},
		"class: security groups":       {class: nodepool.NodeClass{SecurityGroupSelectorTerms: []nodepool.SelectorTerm{{Name: "n"}, {ID: "sg-1"}}}},
		"class: groups twice chosen":   {class: nodepool.NodeClass{SecurityGroupSelectorTerms: []nodepool.SelectorTerm{{ID: "sg-1", Name: "n"}}}, refused: true},
		"class: reservations":          {class: nodepool.NodeClass{CapacityReservationSelectorTerms: []nodepool.CapacityReservationSelectorTerm{{ID: "cr-1"}}}, refused: true, field: "class.capacityReservationSelectorTerms"},
		"class: reservations by match": {class: nodepool.NodeClass{CapacityReservationSelectorTerms: []nodepool.CapacityReservationSelectorTerm{{InstanceMatchCriteria: "open"}}}, refused: true, field: "class.capacityReservationSelectorTerms.instanceMatchCriteria"},
		"class: reservations by owner": {class: nodepool.NodeClass{CapacityReservationSelectorTerms: []nodepool.CapacityReservationSelectorTerm{{OwnerID: "111122223333"}}}, refused: true},
		"class: a placement group":     {class: nodepool.NodeClass{PlacementGroupSelector: &nodepool.PlacementGroupSelector{Name: "close"}}, refused: true, field: "class.placementGroupSelector"},
		"class: two placement groups":  {class: nodepool.NodeClass{PlacementGroupSelector: &nodepool.PlacementGroupSelector{Name: "close", ID: "pg-1"}}, refused: true},
		"class: public addresses":      {class: nodepool.NodeClass{AssociatePublicIPAddress: ptr(true)}},
		"class: prefixes":              {class: nodepool.NodeClass{IPPrefixCount: ptr(2)}, refused: true, field: "class.ipPrefixCount"},
		"class: EFA": {
			pool:    cpu(func(p *nodepool.Pool) { p.Limits = scalars("cpu", "1000", "memory", "8Ti") }),
			class:   nodepool.NodeClass{NetworkInterfaces: []nodepool.NetworkInterface{{InterfaceType: "interface"}, {NetworkCardIndex: 1, InterfaceType: "efa-only"}}},
			refused: true, field: "class.networkInterfaces",
		},
		"class: EFA alone":           {class: nodepool.NodeClass{NetworkInterfaces: []nodepool.NetworkInterface{{NetworkCardIndex: 1, InterfaceType: "efa-only"}}}, refused: true},
		"class: connection tracking": {class: nodepool.NodeClass{ConnectionTracking: &nodepool.ConnectionTracking{UDPTimeout: 30}}, refused: true, field: "class.connectionTracking"},
		"class: tracked too short":   {class: nodepool.NodeClass{ConnectionTracking: &nodepool.ConnectionTracking{UDPTimeout: 29}}, refused: true},

		"class: a volume":              {class: volume(nodepool.EBS{VolumeSize: "2T", VolumeType: "io2", IOPS: 100, Encrypted: ptr(false)})},
		"class: a snapshot":            {class: volume(nodepool.EBS{SnapshotID: "snap-1"})},
		"class: a fast snapshot":       {class: volume(nodepool.EBS{SnapshotID: "snap-1", VolumeInitializationRate: 200}), refused: true, field: "class.blockDeviceMappings.ebs.volumeInitializationRate"},
		"class: a volume of no size":   {class: volume(nodepool.EBS{VolumeType: "gp3"}), refused: true},
		"class: a volume in Mi":        {class: volume(nodepool.EBS{VolumeSize: "100Mi"}), refused: true},
		"class: a volume of 100":       {class: nodepool.NodeClass{VolumeSize: "100"}, refused: true},
		"class: an odd type":           {class: volume(nodepool.EBS{VolumeSize: "1Gi", VolumeType: "gp4"}), refused: true},
		"class: local disks":           {class: nodepool.NodeClass{InstanceStorePolicy: "RAID0"}},
		"class: local disks otherwise": {class: nodepool.NodeClass{InstanceStorePolicy: "RAID5"}, refused: true},
		"class: kubelet":               {class: nodepool.NodeClass{Kubelet: &nodepool.Kubelet{MaxPods: ptr(20), KubeReserved: scalars("cpu", "100m"), EvictionHard: scalars("memory.available", "5%")}}},
		"class: kubelet's soft limits": {class: nodepool.NodeClass{Kubelet: &nodepool.Kubelet{EvictionSoft: scalars("memory.available", "5%")}}, refused: true},
		"class: kubelet's thresholds":  {class: nodepool.NodeClass{Kubelet: &nodepool.Kubelet{ImageGCHighThresholdPercent: ptr(10), ImageGCLowThresholdPercent: ptr(10)}}, refused: true},
		"class: kubelet's resources":   {class: nodepool.NodeClass{Kubelet: &nodepool.Kubelet{SystemReserved: scalars("disk", "1")}}, refused: true},
		"class: metadata":              {class: nodepool.NodeClass{MetadataOptions: &nodepool.MetadataOptions{HTTPPutResponseHopLimit: 64, HTTPProtocolIPv6: "enabled"}}},
		"class: metadata too far":      {class: nodepool.NodeClass{MetadataOptions: &nodepool.MetadataOptions{HTTPPutResponseHopLimit: 65}}, refused: true},
		"class: nested virtualization": {class: nodepool.NodeClass{CPUOptions: &nodepool.CPUOptions{NestedVirtualization: "enabled"}}, refused: true, field: "class.cpuOptions"},
		"class: enclaves":              {class: nodepool.NodeClass{EnclaveOptions: &nodepool.EnclaveOptions{Enabled: true}}, refused: true, field: "class.enclaveOptions"},
		"class: tags":                  {class: nodepool.NodeClass{Tags: scalars("team", "ml"), UserData: "echo", DetailedMonitoring: ptr(true), Context: "c"}},
		"class: a tag of permissions":  {class: nodepool.NodeClass{Tags: scalars("karpenter.sh/nodepool", "x")}, refused: true},
		"class: a tag of the cluster":  {class: nodepool.NodeClass{Tags: scalars("kubernetes.io/cluster/x", "owned")}, refused: true},
	}
}
