package components

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/internal/bindings"
	"github.com/valohai/pulumi-kubernetes-autoscaling/components/internal/pulumitest"
	"github.com/valohai/pulumi-kubernetes-autoscaling/components/nodepool"
	"github.com/valohai/pulumi-kubernetes-autoscaling/components/policy"
)

func exampleCluster() *Cluster {
	return &Cluster{
		Name:                 pulumi.String("ml-prod"),
		Partition:            pulumi.String("aws"),
		Region:               pulumi.String("eu-west-1"),
		AccountId:            pulumi.String("111122223333"),
		Endpoint:             pulumi.String("https://example.eks.amazonaws.com"),
		CertificateAuthority: pulumi.String("Y2E="),
		OidcIssuer:           pulumi.String("https://oidc.eks.eu-west-1.amazonaws.com/id/A"),
		OidcProviderArn:      pulumi.String("arn:aws:iam::111122223333:oidc-provider/oidc.eks.eu-west-1.amazonaws.com/id/A"),
		SecurityGroupId:      pulumi.String("sg-1"),
		Subnets:              map[string]pulumi.StringInput{"b": pulumi.String("subnet-2"), "a": pulumi.String("subnet-1")},
		KubernetesVersion:    "1.34",
		AuthenticationMode:   "API",
		NodeGroups:           []string{"system", "workers"},
		SystemNodes:          4,
	}
}

// register is one component with arguments that are complete.
type register func(ctx *pulumi.Context, opts ...pulumi.ResourceOption) error

func all() map[string]register {
	arn := pulumi.String("arn:aws:iam::111122223333:role/r")
	return map[string]register{
		KarpenterToken: func(ctx *pulumi.Context, opts ...pulumi.ResourceOption) error {
			_, err := NewKarpenter(ctx, "k", &KarpenterArgs{Cluster: exampleCluster(), Tags: pulumi.StringMap{"a": pulumi.String("b")}}, opts...)
			return err
		},
		KarpenterIAMToken: func(ctx *pulumi.Context, opts ...pulumi.ResourceOption) error {
			_, err := NewKarpenterIAM(ctx, "k", &KarpenterIAMArgs{Cluster: exampleCluster(), QueueArn: pulumi.String("arn:q")}, opts...)
			return err
		},
		InterruptionQueueToken: func(ctx *pulumi.Context, opts ...pulumi.ResourceOption) error {
			_, err := NewInterruptionQueue(ctx, "k", &InterruptionQueueArgs{Cluster: exampleCluster()}, opts...)
			return err
		},
		NodeAccessToken: func(ctx *pulumi.Context, opts ...pulumi.ResourceOption) error {
			_, err := NewNodeAccess(ctx, "k", &NodeAccessArgs{Cluster: exampleCluster(), NodeRoleArn: arn.ToStringOutput()}, opts...)
			return err
		},
		SubnetTaggingToken: func(ctx *pulumi.Context, opts ...pulumi.ResourceOption) error {
			_, err := NewSubnetTagging(ctx, "k", &SubnetTaggingArgs{Cluster: exampleCluster()}, opts...)
			return err
		},
		KarpenterChartToken: func(ctx *pulumi.Context, opts ...pulumi.ResourceOption) error {
			_, err := NewKarpenterChart(ctx, "k", &KarpenterChartArgs{Cluster: exampleCluster(), ControllerRoleArn: arn}, opts...)
			return err
		},
		NvidiaDevicePluginToken: func(ctx *pulumi.Context, opts ...pulumi.ResourceOption) error {
			_, err := NewNvidiaDevicePlugin(ctx, "k", nil, opts...)
			return err
		},
		NodePoolsToken: func(ctx *pulumi.Context, opts ...pulumi.ResourceOption) error {
			chart, err := NewKarpenterChart(ctx, "needs", &KarpenterChartArgs{Cluster: exampleCluster(), ControllerRoleArn: arn}, opts...)
			if err != nil {
				return err
			}
			_, err = NewNodePools(ctx, "k", &NodePoolsArgs{Cluster: exampleCluster(), NodeRoleName: pulumi.String("r"), Chart: chart}, opts...)
			return err
		},
	}
}

func TestBattery(t *testing.T) {
	for typ, program := range all() {
		t.Run(typ, func(t *testing.T) { pulumitest.Battery(t, typ, nil, program) })
	}
}

// Every constructor refuses missing arguments, names them and registers nothing.
func TestRefusesMissingArguments(t *testing.T) {
	for typ, construct := range map[string]func(*pulumi.Context) error{
		KarpenterToken:         func(ctx *pulumi.Context) error { _, err := NewKarpenter(ctx, "k", nil); return err },
		KarpenterIAMToken:      func(ctx *pulumi.Context) error { _, err := NewKarpenterIAM(ctx, "k", nil); return err },
		InterruptionQueueToken: func(ctx *pulumi.Context) error { _, err := NewInterruptionQueue(ctx, "k", nil); return err },
		NodeAccessToken:        func(ctx *pulumi.Context) error { _, err := NewNodeAccess(ctx, "k", nil); return err },
		SubnetTaggingToken:     func(ctx *pulumi.Context) error { _, err := NewSubnetTagging(ctx, "k", nil); return err },
		KarpenterChartToken:    func(ctx *pulumi.Context) error { _, err := NewKarpenterChart(ctx, "k", nil); return err },
		NodePoolsToken:         func(ctx *pulumi.Context) error { _, err := NewNodePools(ctx, "k", nil); return err },
	} {
		t.Run(typ, func(t *testing.T) {
			r, err := pulumitest.Run(t, construct, nil)
			if err == nil || !strings.Contains(err.Error(), "Cluster: missing") || !strings.Contains(err.Error(), `"k"`) {
				t.Errorf("error: %v", err)
			}
			if len(r.Resources) != 0 {
				t.Errorf("registered %q", r.URNs())
			}
		})
	}
}

// Everything that is wrong in any part is reported at once, before anything is
// registered.
func TestKarpenterReportsAllFaults(t *testing.T) {
	cluster := exampleCluster()
	cluster.OidcProviderArn = nil
	cluster.AuthenticationMode = "EKS"
	cluster.KubernetesVersion = "1.19"
	cluster.Subnets = nil
	cluster.IpFamily = "ipv5"
	r, err := pulumitest.Run(t, func(ctx *pulumi.Context) error {
		_, err := NewKarpenter(ctx, "k", &KarpenterArgs{
			Cluster:   cluster,
			Replicas:  -1,
			QueueName: "a.fifo", NamePrefix: "-", NodeAccessMethod: "SOMEHOW", Version: "1.11.0", EnableZonalShift: true,
			QueueKmsMasterKeyId: pulumi.String("alias/aws/sqs"), NodeRoleArn: "nodes", NodeRoleName: "nodes",
			VolumeKmsKeyArns:     []pulumi.StringInput{pulumi.String("alias/mine")},
			AdditionalStatements: []policy.Statement{{Effect: "Maybe"}},
			ChartValues:          map[string]any{"settings": map[string]any{"clusterName": "x"}},
			NodePools:            map[string]nodepool.Pool{"p": {Preset: "none"}},
		})
		return err
	}, nil)
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		"Cluster.OidcProviderArn", "associate-iam-oidc-provider", "Cluster.AuthenticationMode", "supports Kubernetes",
		"Cluster.Subnets", "Cluster.IpFamily", "Replicas", "QueueName", "NamePrefix", "NodeAccessMethod", "EnableZonalShift", "QueueKmsMasterKeyId", "NodeRoleArn: found \"nodes\", allowed",
		"NodeRoleArn: found \"nodes\" beside", "VolumeKmsKeyArns[0]", "AdditionalStatements[0].Effect", `Values["settings"]["clusterName"]`, `nodePools["p"].preset`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%s is missing in: %v", want, err)
		}
	}
	if len(r.Resources) != 0 {
		t.Errorf("registered %q", r.URNs())
	}
}

func TestUnknownVersion(t *testing.T) {
	_, err := pulumitest.Run(t, func(ctx *pulumi.Context) error {
		_, err := NewKarpenter(ctx, "k", &KarpenterArgs{Cluster: exampleCluster(), Version: "9.9.9"})
		return err
	}, nil)
	if err == nil || strings.Count(err.Error(), "9.9.9") != 1 {
		t.Errorf("the version is not reported once: %v", err)
	}
}

// runKarpenter returns what a Karpenter registers.
func runKarpenter(t *testing.T, change func(*KarpenterArgs)) *pulumitest.Recorder {
	t.Helper()
	r, err := tryKarpenter(t, nil, change)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func tryKarpenter(t *testing.T, functions pulumitest.Functions, change func(*KarpenterArgs)) (*pulumitest.Recorder, error) {
	t.Helper()
	return pulumitest.Run(t, func(ctx *pulumi.Context) error {
		args := &KarpenterArgs{Cluster: exampleCluster()}
		if change != nil {
			change(args)
		}
		_, err := NewKarpenter(ctx, "k", args)
		return err
	}, functions)
}

// The controller outlives the pools, and what it needs outlives the controller:
// no other order of destruction ends.
func TestOrder(t *testing.T) {
	r := runKarpenter(t, nil)
	controller := r.Find(t, bindings.ReleaseToken, "k-chart-controller")
	crds := r.Find(t, bindings.ReleaseToken, "k-chart-crd")
	if !slices.Contains(controller.Dependencies, crds.URN) {
		t.Error("the controller does not wait for the definitions")
	}
	needed := []string{
		"aws:iam/rolePolicyAttachment:RolePolicyAttachment", "aws:sqs/queue:Queue", "aws:eks/accessEntry:AccessEntry",
		bindings.TagToken, "aws:cloudwatch/eventTarget:EventTarget",
	}
	for _, typ := range needed {
		for _, res := range r.OfType(typ) {
			if !slices.Contains(controller.Dependencies, res.URN) {
				t.Errorf("the controller does not wait for %s", res.URN)
			}
		}
	}
	class := r.Find(t, "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass", "k-pools-class-default")
	if !slices.Contains(class.Dependencies, controller.URN) {
		t.Error("the node class does not wait for the controller")
	}
	for _, pool := range r.OfType("kubernetes:karpenter.sh/v1:NodePool") {
		if !slices.Contains(pool.Dependencies, class.URN) {
			t.Errorf("%s does not wait for its class", pool.URN)
		}
	}
}

func TestQueueCanBeOff(t *testing.T) {
	r := runKarpenter(t, func(a *KarpenterArgs) { a.DisableInterruptionQueue = true })
	for _, typ := range []string{"aws:sqs/queue:Queue", "aws:cloudwatch/eventRule:EventRule", "aws:cloudwatch/eventTarget:EventTarget"} {
		if found := r.OfType(typ); len(found) > 0 {
			t.Errorf("%d of %s", len(found), typ)
		}
	}
	for _, p := range r.OfType("aws:iam/policy:Policy") {
		if strings.Contains(p.Inputs["policy"].StringValue(), "sqs") {
			t.Errorf("%s names a queue", p.Name)
		}
	}
	settings := chartValues(t, r)["settings"].ObjectValue()
	if _, ok := settings["interruptionQueue"]; ok {
		t.Error("the chart has a queue")
	}
}

func chartValues(t *testing.T, r *pulumitest.Recorder) resource.PropertyMap {
	t.Helper()
	return r.Find(t, bindings.ReleaseToken, "k-chart-controller").Inputs["values"].ObjectValue()
}

func TestChartGetsNamesThatMatch(t *testing.T) {
	r := runKarpenter(t, nil)
	values := chartValues(t, r)
	queue := r.OfType("aws:sqs/queue:Queue")[0].Inputs["name"].StringValue()
	if got := values["settings"].ObjectValue()["interruptionQueue"].StringValue(); got != queue {
		t.Errorf("the chart has queue %q, and it is %q", got, queue)
	}
	sa := values["serviceAccount"].ObjectValue()
	trust := r.Find(t, "aws:iam/role:Role", "k-iam-controller").Inputs["assumeRolePolicy"].StringValue()
	if want := `"system:serviceaccount:kube-system:` + sa["name"].StringValue() + `"`; !strings.Contains(trust, want) {
		t.Errorf("the trust %s does not name %s", trust, want)
	}
	class := r.Find(t, "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass", "k-pools-class-default")
	role := r.Find(t, "aws:iam/role:Role", "k-iam-node").Inputs["name"].StringValue()
	if got := class.Inputs["spec"].ObjectValue()["role"].StringValue(); got != role {
		t.Errorf("the node class has role %q, and it is %q", got, role)
	}
	if r := r.Find(t, bindings.ReleaseToken, "k-chart-controller").Inputs; r["version"].StringValue() != "1.15.2" || !r["skipCrds"].BoolValue() {
		t.Errorf("release: %v", r)
	}
}

func TestReplicas(t *testing.T) {
	for nodes, want := range map[int]float64{0: 2, 1: 1, 2: 2, 9: 2} {
		r := runKarpenter(t, func(a *KarpenterArgs) { a.Cluster.SystemNodes = nodes })
		if got := chartValues(t, r)["replicas"].NumberValue(); got != want {
			t.Errorf("%d nodes: %v replicas", nodes, got)
		}
	}
	r := runKarpenter(t, func(a *KarpenterArgs) { a.Cluster.SystemNodes, a.Replicas = 1, 3 })
	if got := chartValues(t, r)["replicas"].NumberValue(); got != 3 {
		t.Errorf("asked for 3, got %v", got)
	}
}

func TestChartRegistry(t *testing.T) {
	for registry, want := range map[string]string{
		"":                     "oci://public.ecr.aws/karpenter/karpenter",
		"oci://mirror/charts/": "oci://mirror/charts/karpenter",
		"charts":               "charts/karpenter-1.15.2.tgz",
	} {
		r := runKarpenter(t, func(a *KarpenterArgs) { a.ChartRegistry = registry })
		if got := r.Find(t, bindings.ReleaseToken, "k-chart-controller").Inputs["chart"].StringValue(); got != want {
			t.Errorf("%q: %s", registry, got)
		}
	}
}

// A cluster that is made in the same program has no value at preview.
func TestUnknownCluster(t *testing.T) {
	var applied atomic.Bool
	_, err := pulumitest.Preview(t, func(ctx *pulumi.Context) error {
		var made pulumi.CustomResourceState
		if err := ctx.RegisterResource("aws:eks/cluster:Cluster", "made", pulumi.Map{}, &made); err != nil {
			return err
		}
		unknown := made.ID().ToStringOutput()
		c := exampleCluster()
		c.Name, c.Partition, c.Region, c.AccountId, c.Endpoint = unknown, unknown, unknown, unknown, unknown
		c.CertificateAuthority, c.OidcIssuer, c.OidcProviderArn, c.SecurityGroupId = unknown, unknown, unknown, unknown
		c.Subnets = map[string]pulumi.StringInput{"a": unknown}
		k, err := NewKarpenter(ctx, "k", &KarpenterArgs{Cluster: c})
		if err != nil {
			return err
		}
		k.QueueName.ApplyT(func(string) error {
			applied.Store(true)
			return nil
		})
		return nil
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if applied.Load() {
		t.Error("an unknown value was applied")
	}
}
