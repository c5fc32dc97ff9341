package nodepool

import (
	"fmt"
	"strings"
	"testing"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/internal/golden"
	"github.com/valohai/pulumi-kubernetes-autoscaling/components/release"
)

func ptr[T any](v T) *T { return &v }

// Before 1.0 the same pools and classes are written as v1beta1.
func TestV1beta1Golden(t *testing.T) {
	rel := find(t, "0.33.1")
	kubelet := NodeClass{Kubelet: &Kubelet{MaxPods: ptr(20)}}
	for _, name := range []string{"cpu", "gpu-training"} {
		golden.Check(t, "v1beta1-pool-"+name+".json", indented(t, Pool{Preset: name}.Spec(rel, kubelet)))
	}
	at := Placement{Role: "KarpenterNodeRole-ml-prod", DiscoveryTag: "karpenter.sh/discovery", DiscoveryValue: "ml-prod"}
	golden.Check(t, "v1beta1-class-default.json", indented(t, NodeClass{}.Spec(rel, at)))
	golden.Check(t, "v1beta1-class-bottlerocket.json", indented(t, NodeClass{
		AMIAlias: "bottlerocket@latest", Kubelet: kubelet.Kubelet, MetadataOptions: &MetadataOptions{HTTPPutResponseHopLimit: 2},
	}.Spec(rel, at)))
}

// Everything that a class can say, once.
func TestEveryFieldGolden(t *testing.T) {
	c := NodeClass{
		AMIFamily:                  "AL2023",
		AMISelectorTerms:           []AMISelectorTerm{{Name: "mine-*", Owner: "self", Tags: map[string]Scalar{"a": "b"}}, {ID: "ami-1"}, {SSMParameter: "/ami"}},
		SubnetSelectorTerms:        []SelectorTerm{{ID: "subnet-9"}},
		SecurityGroupSelectorTerms: []SelectorTerm{{Name: "nodes"}},
		CapacityReservationSelectorTerms: []CapacityReservationSelectorTerm{
			{ID: "cr-1"}, {OwnerID: "111122223333", InstanceMatchCriteria: "open", Tags: map[string]Scalar{"a": "*"}},
		},
		PlacementGroupSelector:   &PlacementGroupSelector{Name: "close"},
		AssociatePublicIPAddress: ptr(false),
		IPPrefixCount:            ptr(4),
		NetworkInterfaces:        []NetworkInterface{{InterfaceType: "interface"}, {NetworkCardIndex: 1, DeviceIndex: 1, InterfaceType: "efa-only"}},
		ConnectionTracking:       &ConnectionTracking{TCPEstablishedTimeout: 3600},
		BlockDeviceMappings: []BlockDeviceMapping{{DeviceName: "/dev/xvda", RootVolume: true, EBS: EBS{
			VolumeSize: "1Ti", VolumeType: "io2", IOPS: 10000, Encrypted: ptr(true), SnapshotID: "snap-1", VolumeInitializationRate: 300,
		}}},
		InstanceStorePolicy: "RAID0",
		Kubelet: &Kubelet{
			ClusterDNS: []string{"10.0.0.10"}, MaxPods: ptr(50), SystemReserved: map[string]Scalar{"cpu": "100m"},
			EvictionSoft: map[string]Scalar{"memory.available": "5%"}, EvictionSoftGracePeriod: map[string]string{"memory.available": "1m"},
		},
		UserData:           "echo hello",
		MetadataOptions:    &MetadataOptions{HTTPPutResponseHopLimit: 2},
		CPUOptions:         &CPUOptions{NestedVirtualization: "enabled"},
		EnclaveOptions:     &EnclaveOptions{Enabled: true},
		DetailedMonitoring: ptr(true),
		Context:            "c",
		Tags:               map[string]Scalar{"team": "ml"},
		Override:           map[string]any{"somethingNew": true, "metadataOptions": map[string]any{"httpTokens": "optional"}, "context": nil},
	}
	p := Pool{
		Annotations: map[string]Scalar{"a": "b"}, StartupTaints: []Taint{{Key: "a", Effect: "NoExecute"}},
		Requirements: []Requirement{{Key: labelCategory, Operator: "In", Values: []Scalar{"c", "m"}, MinValues: 2}},
		Replicas:     ptr(3), Limits: map[string]Scalar{"nodes": "3"},
		Disruption:             Disruption{ConsolidationPolicy: balanced, Budgets: []Budget{{Nodes: "10%", Schedule: "@daily", Duration: "8h", Reasons: []string{"Drifted", "Unhealthy"}}}},
		TerminationGracePeriod: "24h",
		UnlistedInstanceTypes:  true, // none takes all that the class asks for
	}
	target := Target{Release: newest(t), Kubernetes: "1.36"}
	if err := Validate(target, map[string]Pool{"p": p}, map[string]NodeClass{DefaultNodeClass: c}); err != nil {
		t.Error(err)
	}
	golden.Check(t, "class-every-field.json", indented(t, c.Spec(newest(t), Placement{Role: "r"})))
	golden.Check(t, "pool-every-field.json", indented(t, p.Spec(newest(t), c)))
	// A release refuses exactly what it lacks, by name and first release.
	err := Validate(Target{Release: find(t, "0.33.1")}, map[string]Pool{"p": p}, map[string]NodeClass{DefaultNodeClass: c})
	for field, since := range map[string]string{
		"requirements[0].minValues": "0.35.0", "disruption.budgets": "0.34.0", "terminationGracePeriod": "1.0.0", "replicas": "1.8.0",
		"disruption.consolidationPolicy": "1.14.0", "amiSelectorTerms[2].ssmParameter": "1.4.0", "instanceStorePolicy": "0.34.0",
		"associatePublicIPAddress": "0.35.0", "capacityReservationSelectorTerms": "1.3.0", "placementGroupSelector": "1.11.0",
		"ipPrefixCount": "1.8.0", "networkInterfaces": "1.11.0", "connectionTracking": "1.13.0", "cpuOptions": "1.13.0",
		"enclaveOptions": "1.15.0", "blockDeviceMappings[0].ebs.volumeInitializationRate": "1.5.0",
	} {
		if err == nil || !containsLine(err, "."+field+":", "use Karpenter "+since+" or later") {
			t.Errorf("%s is not refused before %s: %v", field, since, err)
		}
	}
}

// containsLine tells whether one line of an error has all texts.
func containsLine(err error, texts ...string) bool {
	for line := range strings.Lines(err.Error()) {
		all := true
		for _, text := range texts {
			all = all && strings.Contains(line, text)
		}
		if all {
			return true
		}
	}
	return false
}

func TestReleases(t *testing.T) {
	key := func(k string) Pool { return Pool{Preset: "cpu", Labels: map[string]Scalar{k: "x"}} }
	cpu := Pool{Preset: "cpu"}
	many := func(n int) Pool {
		p := Pool{Limits: map[string]Scalar{"cpu": "100"}}
		for i := range n {
			p.Requirements = append(p.Requirements, Requirement{Key: fmt.Sprintf("example.com/%d", i), Operator: "Exists"})
		}
		return p
	}
	for _, c := range []struct {
		version, kubernetes string
		pool                Pool
		class               NodeClass
		want                string
	}{
		{"1.8.2", "", key("app.kubernetes.io/managed-by"), NodeClass{}, "use Karpenter 1.9.0 or later"},
		{"1.9.0", "", key("app.kubernetes.io/managed-by"), NodeClass{}, ""},
		{"0.33.1", "", key("node.kubernetes.io/role"), NodeClass{}, ""},
		{"1.15.2", "", key("karpenter.sh/team"), NodeClass{}, "nothing of the domain karpenter.sh"},
		{"1.15.2", "", key("karpenter.k8s.aws/team"), NodeClass{}, "one of Karpenter's own labels"},
		{"1.15.2", "", key("kubernetes.io/hostname"), NodeClass{}, "a label that several nodes have"},
		{"1.8.2", "", key("karpenter.k8s.aws/instance-tenancy"), NodeClass{}, "use Karpenter 1.9.0 or later"},
		{"1.8.2", "", Pool{Preset: "cpu", Requirements: []Requirement{{Key: labelGeneration, Operator: "Gte", Values: []Scalar{"3"}}}}, NodeClass{}, "use Karpenter 1.9.0 or later"},
		{"1.2.0", "", Pool{Preset: "cpu", Requirements: []Requirement{{Key: labelCapacityType, Operator: "In", Values: []Scalar{"reserved"}}}}, NodeClass{}, "use Karpenter 1.3.0 or later"},
		{"1.15.2", "1.33", cpu, NodeClass{AMIAlias: "al2@latest"}, "use al2023: AL2 ends with Kubernetes 1.32"},
		{"1.15.2", "1.32", cpu, NodeClass{AMIAlias: "al2@latest"}, ""},
		{"0.34.0", "1.28", cpu, NodeClass{AMIAlias: "al2023@latest"}, "use Karpenter 0.35.0 or later"},
		{"0.34.0", "1.28", cpu, NodeClass{}, ""},
		{"1.15.2", "1.35", cpu, NodeClass{AMIAlias: "al2023@v20251103"}, "no image for Kubernetes 1.35 is older than 2025-12-17"},
		{"1.15.2", "1.34", cpu, NodeClass{AMIAlias: "al2023@v20251103"}, ""},
		{"1.15.2", "", cpu, NodeClass{AMIAlias: "al2023@v20251103"}, ""},
		{"1.15.2", "1.34", cpu, NodeClass{AMISelectorTerms: []AMISelectorTerm{{Alias: "al2023@v20240101"}}}, "amiSelectorTerms[0].alias"},
		{"0.37.0", "", cpu, NodeClass{AMIAlias: "al2023@v20240101"}, "al2023@latest in Karpenter 0.37.0"},
		{"0.33.1", "", Pool{Preset: "cpu", Disruption: Disruption{ConsolidateAfter: "30s"}}, NodeClass{}, `"Never", or nothing, beside WhenEmptyOrUnderutilized`},
		{"0.33.1", "", Pool{Preset: "cpu", Disruption: Disruption{ConsolidateAfter: "Never"}}, NodeClass{}, ""},
		{"0.33.1", "", Pool{Preset: "gpu-training"}, NodeClass{}, ""},
		{"0.33.1", "", Pool{Preset: "gpu-training", TerminationGracePeriod: "1h"}, NodeClass{}, "use Karpenter 1.0.0 or later"},
		{"0.37.0", "", many(31), NodeClass{}, "nodePools[\"p\"].requirements: found 31, allowed is at most 30"},
		{"1.15.2", "", many(31), NodeClass{}, ""},
		{"1.14.0", "", Pool{Preset: "cpu", Disruption: Disruption{Budgets: []Budget{{Nodes: "1", Reasons: []string{"Unhealthy"}}}}}, NodeClass{}, "use Karpenter 1.15.0 or later"},
	} {
		err := Validate(Target{Release: find(t, c.version), Kubernetes: c.kubernetes}, map[string]Pool{"p": c.pool}, map[string]NodeClass{DefaultNodeClass: c.class})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %+v %+v\n got %v\nwant %s", c.version, c.pool, c.class, err, c.want)
		}
	}
}

// Every preset is taken by every release.
func TestEveryPresetAtEveryRelease(t *testing.T) {
	pools := map[string]Pool{}
	for _, name := range PresetNames() {
		pools[name] = Pool{Preset: name}
	}
	for _, r := range release.All() {
		if err := Validate(Target{Release: r}, pools, oneClass); err != nil {
			t.Errorf("%s: %v", r.Version, err)
		}
	}
}

func TestClassRefuses(t *testing.T) {
	for want, c := range map[string]NodeClass{
		`amiAlias: found "al2023@latest", allowed is nothing beside`: {AMIAlias: "al2023@latest", AMIFamily: "AL2023", AMISelectorTerms: []AMISelectorTerm{{ID: "ami-1"}}},
		"amiFamily: found nothing":                                   {AMISelectorTerms: []AMISelectorTerm{{ID: "ami-1"}}},
		`amiFamily: found "AL2"`:                                     {AMIAlias: "al2023@latest", AMIFamily: "AL2"},
		`amiFamily: found "Ubuntu"`:                                  {AMIFamily: "Ubuntu", AMISelectorTerms: []AMISelectorTerm{{ID: "ami-1"}}},
		"amiSelectorTerms[0]: found nothing":                         {AMIFamily: "AL2023", AMISelectorTerms: []AMISelectorTerm{{}}},
		"an id alone in its term":                                    {AMIFamily: "AL2023", AMISelectorTerms: []AMISelectorTerm{{ID: "ami-1", Name: "n"}}},
		"an alias alone":                                             {AMISelectorTerms: []AMISelectorTerm{{Alias: "al2023@latest"}, {ID: "ami-1"}}},
		`id: found "x"`:                                              {AMIFamily: "AL2023", AMISelectorTerms: []AMISelectorTerm{{ID: "x"}}},
		"windows2022@latest:":                                        {AMIAlias: "windows2022@v1"},
		`amiAlias: found "al2023@20251103"`:                          {AMIAlias: "al2023@20251103"},
		`amiAlias: found "v20251103"`:                                {AMIAlias: "bottlerocket@v20251103"},
		"subnetSelectorTerms[0]: found not exactly one":              {SubnetSelectorTerms: []SelectorTerm{{ID: "subnet-1", Tags: map[string]Scalar{"a": "b"}}}},
		`tags["a"]: found ""`:                                        {SubnetSelectorTerms: []SelectorTerm{{Tags: map[string]Scalar{"a": ""}}}},
		"securityGroupSelectorTerms[0]: found 2 of them":             {SecurityGroupSelectorTerms: []SelectorTerm{{ID: "sg-1", Name: "n"}}},
		"capacityReservationSelectorTerms[0]: found none":            {CapacityReservationSelectorTerms: []CapacityReservationSelectorTerm{{OwnerID: "111122223333"}}},
		`ownerID: found "1"`:                                         {CapacityReservationSelectorTerms: []CapacityReservationSelectorTerm{{OwnerID: "1", Tags: map[string]Scalar{"a": "b"}}}},
		"placementGroupSelector: found not exactly one":              {PlacementGroupSelector: &PlacementGroupSelector{}},
		"connectionTracking: found nothing":                          {ConnectionTracking: &ConnectionTracking{}},
		"udpTimeout: found 61":                                       {ConnectionTracking: &ConnectionTracking{UDPTimeout: 61}},
		"no primary interface":                                       {NetworkInterfaces: []NetworkInterface{{NetworkCardIndex: 1, InterfaceType: "interface"}}},
		"a second one on the card":                                   {NetworkInterfaces: []NetworkInterface{{InterfaceType: "interface"}, {InterfaceType: "efa-only"}}},
		"volumeSize or snapshotID":                                   {BlockDeviceMappings: []BlockDeviceMapping{{DeviceName: "a"}}},
		"2 root volumes":                                             {BlockDeviceMappings: []BlockDeviceMapping{{RootVolume: true, EBS: EBS{VolumeSize: "1Gi"}}, {RootVolume: true, EBS: EBS{VolumeSize: "1Gi"}}}},
		"one beside a snapshotID":                                    {BlockDeviceMappings: []BlockDeviceMapping{{EBS: EBS{VolumeSize: "1Gi", VolumeInitializationRate: 100}}}},
		`volumeType: found "gp4"`:                                    {BlockDeviceMappings: []BlockDeviceMapping{{EBS: EBS{VolumeSize: "1Gi", VolumeType: "gp4"}}}},
		"httpPutResponseHopLimit: found 65":                          {MetadataOptions: &MetadataOptions{HTTPPutResponseHopLimit: 65}},
		`systemReserved["disk"]`:                                     {Kubelet: &Kubelet{SystemReserved: map[string]Scalar{"disk": "1"}}},
		"no evictionSoftGracePeriod of the same signal":              {Kubelet: &Kubelet{EvictionSoft: map[string]Scalar{"memory.available": "5%"}}},
		"more than the low threshold":                                {Kubelet: &Kubelet{ImageGCHighThresholdPercent: ptr(10), ImageGCLowThresholdPercent: ptr(20)}},
		"no tag that the controller sets itself":                     {Tags: map[string]Scalar{"kubernetes.io/cluster/x": "owned"}},
		`instanceStorePolicy: found "RAID1"`:                         {InstanceStorePolicy: "RAID1"},
	} {
		err := Validate(Target{Release: newest(t)}, Default(), map[string]NodeClass{DefaultNodeClass: c})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	err := Validate(Target{Release: newest(t)}, Default(), map[string]NodeClass{DefaultNodeClass: {}, "spare": {}})
	if err == nil || !strings.Contains(err.Error(), `nodeClasses["spare"]: found no pool that uses it`) {
		t.Error(err)
	}
}

// An override reaches where the rendered spec has nothing yet.
func TestOverrideOfWhatIsNotThere(t *testing.T) {
	c := NodeClass{Override: map[string]any{"kubelet": map[string]any{"maxPods": 5, "gone": nil}}}
	spec := c.Spec(newest(t), Placement{Role: "r"})
	if got := indented(t, spec["kubelet"]); got != "{\n  \"maxPods\": 5\n}\n" {
		t.Error(got)
	}
}

func TestCron(t *testing.T) {
	for _, s := range []string{"0 9 * * mon-fri", "*/15 0-6,22 1 jan-mar ?", "@daily", "59 23 31 12 6"} {
		if err := checkCron(s); err != nil {
			t.Error(err)
		}
	}
	for _, s := range []string{"", "* * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *", "* * * * mon-", "@dailyfoo", "*/0 * * * *", "5-1 * * * *", "a * * * *"} {
		if checkCron(s) == nil {
			t.Errorf("%q is accepted", s)
		}
	}
}

func TestReach(t *testing.T) {
	reach := Reach(newest(t), map[string]Pool{
		"cpu": {Preset: "cpu"}, "gpu": {Preset: "gpu"}, "small": {Requirements: []Requirement{in(labelCategory, "t")}, Limits: map[string]Scalar{"cpu": "500m"}},
	})
	for pool, want := range map[string]map[string]string{
		"cpu":   {"cpu": "100", "memory": "1000Gi", ResourceGPU: "0"},
		"gpu":   {"cpu": "100", "memory": "1000Gi", ResourceGPU: "5"},
		"small": {"cpu": "500m", "memory": "unlimited", ResourceGPU: "0"},
		All:     {"cpu": "200.5", "memory": "unlimited", ResourceGPU: "5"},
	} {
		for resource, value := range want {
			if reach[pool][resource] != value {
				t.Errorf("%s %s: %s and not %s", pool, resource, reach[pool][resource], value)
			}
		}
	}
	// What no requirement keeps off GPUs has as many as it likes.
	reach = Reach(newest(t), map[string]Pool{"any": {Limits: map[string]Scalar{"cpu": "500"}}, "gpu": {Preset: "gpu"}})
	if got := reach["any"][ResourceGPU]; got != "unlimited" || reach[All][ResourceGPU] != "unlimited" {
		t.Error(reach)
	}
	if got := Reach(newest(t), map[string]Pool{"a": {Preset: "cpu"}, "b": {Preset: "cpu", Limits: map[string]Scalar{"memory": "2Ti"}}})[All]["memory"]; got != "3048Gi" {
		t.Error(got)
	}
}
