package components

import (
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/internal/bindings"
	"github.com/valohai/pulumi-kubernetes-autoscaling/components/internal/pulumitest"
	"github.com/valohai/pulumi-kubernetes-autoscaling/components/nodepool"
	"github.com/valohai/pulumi-kubernetes-autoscaling/components/policy"
)

const (
	roleType       = "aws:iam/role:Role"
	policyType     = "aws:iam/policy:Policy"
	profileType    = "aws:iam/instanceProfile:InstanceProfile"
	attachmentType = "aws:iam/rolePolicyAttachment:RolePolicyAttachment"
	providerType   = "aws:iam/openIdConnectProvider:OpenIdConnectProvider"
	nodeClassType  = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"
)

func text(r pulumitest.Resource, property string) string {
	v := r.Inputs[resource.PropertyKey(property)]
	if !v.IsString() {
		return ""
	}
	return v.StringValue()
}

func nodeClass(t *testing.T, r *pulumitest.Recorder, name string) map[string]any {
	t.Helper()
	return r.Find(t, nodeClassType, "k-pools-class-"+name).Inputs["spec"].ObjectValue().Mappable()
}

// mustOutlive checks that the controller is made after a resource and ends
// before it.
func mustOutlive(t *testing.T, r *pulumitest.Recorder, res pulumitest.Resource) {
	t.Helper()
	if !slices.Contains(r.Find(t, bindings.ReleaseToken, "k-chart-controller").Dependencies, res.URN) {
		t.Errorf("the controller does not wait for %s", res.Name)
	}
}

// granted is all that the controller may do, as one text.
func granted(r *pulumitest.Recorder) string {
	all := ""
	for _, p := range r.OfType(policyType) {
		all += text(p, "policy")
	}
	return all
}

func TestIPv6(t *testing.T) {
	r := runKarpenter(t, func(a *KarpenterArgs) { a.Cluster.IpFamily = "ipv6" })
	r.Find(t, "aws:iam/policy:Policy", "k-iam-node-IPv6CNI")
	r.Find(t, "aws:iam/rolePolicyAttachment:RolePolicyAttachment", "k-iam-node-IPv6CNI")
	for _, a := range r.OfType("aws:iam/rolePolicyAttachment:RolePolicyAttachment") {
		if strings.HasSuffix(a.Name, "AmazonEKS_CNI_Policy") {
			t.Error("the IPv4 policy is attached")
		}
	}
}

func TestRoleOptions(t *testing.T) {
	r := runKarpenter(t, func(a *KarpenterArgs) {
		a.NodeRoleName, a.ControllerRoleName, a.RolePath = "nodes", "controller", "/team/"
		a.PermissionsBoundaryArn = pulumi.String("arn:boundary")
	})
	for logical, name := range map[string]string{"k-iam-node": "nodes", "k-iam-controller": "controller"} {
		inputs := r.Find(t, "aws:iam/role:Role", logical).Inputs
		if inputs["name"].StringValue() != name || inputs["path"].StringValue() != "/team/" ||
			inputs["permissionsBoundary"].StringValue() != "arn:boundary" {
			t.Errorf("%s: %v", logical, inputs)
		}
	}
	_, err := pulumitest.Run(t, func(ctx *pulumi.Context) error {
		_, err := NewKarpenter(ctx, "k", &KarpenterArgs{
			Cluster: exampleCluster(), NodeRoleName: "team/nodes", ControllerRoleName: strings.Repeat("c", 65), RolePath: "team",
		})
		return err
	}, nil)
	for _, field := range []string{"NodeRoleName:", "ControllerRoleName:", "RolePath:"} {
		if err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%s is not refused: %v", field, err)
		}
	}
}

func TestInlinePolicy(t *testing.T) {
	managed := runKarpenter(t, nil)
	inline := runKarpenter(t, func(a *KarpenterArgs) { a.EnableInlinePolicy = true })
	if n := len(inline.OfType("aws:iam/policy:Policy")); n != 0 {
		t.Errorf("%d managed policies", n)
	}
	mustOutlive(t, inline, inline.Find(t, "aws:iam/rolePolicy:RolePolicy", "k-iam-controller"))
	document := inline.Find(t, "aws:iam/rolePolicy:RolePolicy", "k-iam-controller").Inputs["policy"].StringValue()
	for _, p := range managed.OfType("aws:iam/policy:Policy") {
		_, statements, found := strings.Cut(p.Inputs["policy"].StringValue(), "[")
		if !found || !strings.Contains(document, strings.TrimSuffix(statements, "]}")) {
			t.Errorf("the inline policy lacks the statements of %s", p.Name)
		}
	}
}

func TestAdditionalPolicies(t *testing.T) {
	r := runKarpenter(t, func(a *KarpenterArgs) {
		a.NodeRoleAdditionalPolicies = map[string]pulumi.StringInput{"s3": pulumi.String("arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess")}
	})
	r.Find(t, "aws:iam/rolePolicyAttachment:RolePolicyAttachment", "k-iam-node-s3")
}

func TestPodIdentity(t *testing.T) {
	r := runKarpenter(t, func(a *KarpenterArgs) {
		a.Identity = PodIdentity
		a.Cluster.OidcIssuer, a.Cluster.OidcProviderArn = nil, nil
		a.Namespace, a.ServiceAccount = "karpenter", "autoscaler"
	})
	association := r.Find(t, "aws:eks/podIdentityAssociation:PodIdentityAssociation", "k-iam-association")
	role := r.Find(t, roleType, "k-iam-controller")
	sa := chartValues(t, r)["serviceAccount"].ObjectValue()
	if text(association, "namespace") != "karpenter" || text(association, "serviceAccount") != sa["name"].StringValue() {
		t.Errorf("%v, and the chart %v", association.Inputs, sa)
	}
	if _, ok := sa["annotations"]; ok {
		t.Error("the service account has the annotation of IRSA")
	}
	for _, want := range []string{
		`"Service":"pods.eks.amazonaws.com"`, `"aws:RequestTag/kubernetes-service-account":"autoscaler"`, `"aws:SourceAccount":"111122223333"`,
		`"aws:RequestTag/eks-cluster-arn":"arn:aws:eks:eu-west-1:111122223333:cluster/ml-prod"`,
	} {
		if trust := text(role, "assumeRolePolicy"); !strings.Contains(trust, want) {
			t.Errorf("the trust %s lacks %s", trust, want)
		}
	}
	if n := len(r.OfType(providerType)); n > 0 {
		t.Errorf("%d OIDC providers", n)
	}
	mustOutlive(t, r, association)
	if irsa := text(runKarpenter(t, nil).Find(t, roleType, "k-iam-controller"), "assumeRolePolicy"); strings.Contains(irsa, "pods.eks") {
		t.Errorf("IRSA trusts Pod Identity: %s", irsa)
	}
}

func TestOidcProvider(t *testing.T) {
	for name, c := range map[string]struct {
		exists, owned, create bool
		made                  int
	}{
		"somebody's":                {exists: true},
		"somebody's, asked for":     {exists: true, create: true},
		"none, asked for":           {create: true, made: 1},
		"ours of an earlier run":    {exists: true, owned: true, create: true, made: 1},
		"ours, no longer asked for": {exists: true, owned: true},
	} {
		r := runKarpenter(t, func(a *KarpenterArgs) {
			if !c.exists {
				a.Cluster.OidcProviderArn = nil
			}
			a.Cluster.OwnsOidcProvider, a.CreateOidcProvider = c.owned, c.create
			a.Cluster.OidcIssuer = pulumi.String("oidc.example/id/A")
		})
		made := r.OfType(providerType)
		if len(made) != c.made {
			t.Errorf("%s: %d made", name, len(made))
		}
		if c.made == 1 && (text(made[0], "url") != "https://oidc.example/id/A" || !made[0].Inputs["tags"].ObjectValue().HasValue(ownerTagKey)) {
			t.Errorf("%s: %v", name, made[0].Inputs)
		}
	}
}

func TestIdentityRefuses(t *testing.T) {
	for want, change := range map[string]func(*KarpenterArgs){
		"aws eks create-addon --cluster-name CLUSTER --addon-name eks-pod-identity-agent": func(a *KarpenterArgs) {
			a.Identity, a.Cluster.LacksPodIdentityAgent = PodIdentity, true
		},
		"CreateOidcProvider: PodIdentity needs no OIDC provider": func(a *KarpenterArgs) { a.Identity, a.CreateOidcProvider = PodIdentity, true },
		`Identity: found "OIDC"`:                                 func(a *KarpenterArgs) { a.Identity = "OIDC" },
		"associate-iam-oidc-provider":                            func(a *KarpenterArgs) { a.Cluster.OidcProviderArn = nil },
	} {
		if r, err := tryKarpenter(t, nil, change); err == nil || !strings.Contains(err.Error(), want) || len(r.Resources) > 0 {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestTooManyPolicies(t *testing.T) {
	_, err := tryKarpenter(t, nil, func(a *KarpenterArgs) {
		a.NodeRoleAdditionalPolicies = map[string]pulumi.StringInput{}
		for i := range 17 {
			a.NodeRoleAdditionalPolicies[strings.Repeat("p", i+1)] = pulumi.String("arn:aws:iam::aws:policy/P")
		}
	})
	if err == nil || !strings.Contains(err.Error(), "NodeRoleAdditionalPolicies: found 17") {
		t.Error(err)
	}
}

// A role that is there already is used and left as it is.
func TestExistingNodeRole(t *testing.T) {
	const arn = "arn:aws:iam::111122223333:role/team/nodes"
	functions := pulumitest.Functions{
		"aws:iam/getRole:getRole":               answer(object{"arn": arn, "name": "nodes", "assumeRolePolicy": policy.NodeTrust("aws").JSON()}),
		"aws:eks/getAccessEntry:getAccessEntry": failure("reading EKS Access Entry: couldn't find resource"),
	}
	existing := func(a *KarpenterArgs) { a.NodeRoleArn = arn }
	r, err := tryKarpenter(t, functions, existing)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(r.OfType(roleType)); n != 1 {
		t.Errorf("%d roles are made", n)
	}
	for _, a := range r.OfType(attachmentType) {
		if text(a, "role") == "nodes" {
			t.Errorf("%s is attached to it", text(a, "policyArn"))
		}
	}
	if role := nodeClass(t, r, "default")["role"]; role != "nodes" {
		t.Errorf("the node class has %v", role)
	}
	if !strings.Contains(granted(r), `"Resource":"`+arn+`"`) {
		t.Error("the controller may not pass it")
	}
	if got := text(r.Find(t, accessEntryType, "k-access-entry"), "principalArn"); got != arn {
		t.Errorf("access for %s", got)
	}
	for want, getRole := range map[string]func(resource.PropertyMap) (resource.PropertyMap, error){
		`there is no role "nodes"`: failure("reading IAM Role (nodes): couldn't find resource"),
		`the role of that name is "arn:aws:iam::111122223333:role/nodes"`: answer(object{"arn": "arn:aws:iam::111122223333:role/nodes"}),
		"which EC2 may not assume": answer(object{"arn": arn, "assumeRolePolicy": "{}"}),
		"AccessDenied":             failure("AccessDenied"),
	} {
		functions["aws:iam/getRole:getRole"] = getRole
		if _, err := tryKarpenter(t, functions, existing); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestIsolatedVPC(t *testing.T) {
	r := runKarpenter(t, func(a *KarpenterArgs) { a.IsolatedVPC = true })
	profile := r.Find(t, profileType, "k-iam-node-profile")
	mustOutlive(t, r, profile)
	class := nodeClass(t, r, "default")
	if _, ok := class["role"]; ok || class["instanceProfile"] != text(profile, "name") {
		t.Errorf("the node class %v, the profile %v", class, profile.Inputs)
	}
	settings := chartValues(t, r)["settings"].ObjectValue().Mappable()
	if settings["isolatedVPC"] != true || settings["clusterEndpoint"] == "" {
		t.Errorf("the chart has %v", settings)
	}
	if strings.Contains(granted(r), "iam:CreateInstanceProfile") {
		t.Error("the controller may make instance profiles")
	}
}

// Only AWS itself and China have a service for prices; nothing else changes.
func TestPartitionsWithoutPrices(t *testing.T) {
	for partition, want := range map[string]any{"aws": nil, "aws-cn": nil, "aws-us-gov": true, "aws-eusc": true, "aws-iso": true} {
		r := runKarpenter(t, func(a *KarpenterArgs) { a.Cluster.Partition = pulumi.String(partition) })
		settings := chartValues(t, r)["settings"].ObjectValue().Mappable()
		if settings["isolatedVPC"] != want || len(r.OfType(profileType)) != 0 {
			t.Errorf("%s: %v", partition, settings)
		}
		if strings.Contains(granted(r), "pricing:") != (want == nil) {
			t.Errorf("%s: prices are granted: %v", partition, want != nil)
		}
	}
}

// No ARN of a resource names another partition than the cluster's.
func TestPartitionEverywhere(t *testing.T) {
	r := runKarpenter(t, func(a *KarpenterArgs) {
		a.Cluster.Partition, a.Cluster.Region = pulumi.String("aws-cn"), pulumi.String("cn-northwest-1")
		a.Cluster.OidcProviderArn = pulumi.String("arn:aws-cn:iam::111122223333:oidc-provider/oidc/id/A")
		a.Cluster.IpFamily = familyIPv6
	})
	for _, res := range r.Resources {
		if inputs := resource.NewProperty(res.Inputs).String(); strings.Contains(inputs, "arn:aws:") && res.Custom {
			t.Errorf("%s: %s", res.Name, inputs)
		}
	}
	if trust := text(r.Find(t, roleType, "k-iam-node"), "assumeRolePolicy"); !strings.Contains(trust, "ec2.amazonaws.com.cn") {
		t.Errorf("the nodes' trust is %s", trust)
	}
	if trust := text(r.Find(t, roleType, "k-iam-controller"), "assumeRolePolicy"); !strings.Contains(trust, `:aud":"sts.amazonaws.com"`) {
		t.Errorf("the controller's trust is %s", trust)
	}
}

// Names fit, whatever the cluster's, and the chart has the queue's own.
func TestNamesFit(t *testing.T) {
	limits := map[string]int{
		roleType: 64, "aws:cloudwatch/eventRule:EventRule": 64, "aws:sqs/queue:Queue": 80, policyType: 128, profileType: 128,
	}
	for _, length := range []int{48, 60, 81, 100} {
		r := runKarpenter(t, func(a *KarpenterArgs) {
			a.Cluster.Name, a.IsolatedVPC, a.NamePrefix = pulumi.String(strings.Repeat("c", length)), true, strings.Repeat("p", 20)
		})
		for typ, limit := range limits {
			for _, res := range r.OfType(typ) {
				if n := len(text(res, "name")); n == 0 || n > limit {
					t.Errorf("%d: %s has a name of %d characters", length, res.Name, n)
				}
			}
		}
		queue := chartValues(t, r)["settings"].ObjectValue()["interruptionQueue"].StringValue()
		if want := text(r.OfType("aws:sqs/queue:Queue")[0], "name"); queue != want {
			t.Errorf("%d: the chart has queue %s, and it is %s", length, queue, want)
		}
	}
}

func TestKeysAndStatements(t *testing.T) {
	const volumes, queue = "arn:aws:kms:eu-west-1:111122223333:key/volumes", "arn:aws:kms:eu-west-1:111122223333:key/queue"
	r := runKarpenter(t, func(a *KarpenterArgs) {
		a.NodePools = map[string]nodepool.Pool{"a": {Preset: "cpu"}, "b": {Preset: "cpu", NodeClass: "more"}}
		a.NodeClasses = map[string]nodepool.NodeClass{"default": {VolumeKmsKeyArn: volumes}, "more": {VolumeKmsKeyArn: volumes}}
		a.QueueKmsMasterKeyId, a.QueueName = pulumi.String(queue), "notices"
		a.EnableZonalShift = true
		a.AdditionalStatements = []policy.Statement{{Effect: policy.Allow, Action: policy.List{"s3:GetObject"}, Resource: policy.List{"*"}}}
	})
	all := granted(r)
	for _, want := range []string{
		`"kms:GenerateDataKeyWithoutPlaintext"`, `"Resource":"` + volumes + `"`, `"Action":"kms:Decrypt","Resource":"` + queue + `"`,
		"arc-zonal-shift", `"s3:GetObject"`,
	} {
		if !strings.Contains(all, want) {
			t.Errorf("%s is not granted", want)
		}
	}
	q := r.OfType("aws:sqs/queue:Queue")[0]
	if text(q, "kmsMasterKeyId") != queue || text(q, "name") != "notices" || q.Inputs.HasValue("sqsManagedSseEnabled") {
		t.Errorf("%v", q.Inputs)
	}
	if settings := chartValues(t, r)["settings"].ObjectValue().Mappable(); settings["enableZonalShift"] != true || settings["interruptionQueue"] != "notices" {
		t.Errorf("%v", settings)
	}
	q = runKarpenter(t, nil).OfType("aws:sqs/queue:Queue")[0]
	if !q.Inputs["sqsManagedSseEnabled"].BoolValue() || q.Inputs.HasValue("kmsMasterKeyId") {
		t.Errorf("the default queue is %v", q.Inputs)
	}
}

// What IAM would refuse is refused at preview.
func TestTooManyStatements(t *testing.T) {
	_, err := tryKarpenter(t, nil, func(a *KarpenterArgs) {
		a.EnableInlinePolicy = true
		for range 50 {
			a.AdditionalStatements = append(a.AdditionalStatements, policy.Statement{
				Effect: policy.Allow, Action: policy.List{"s3:GetObject"}, Resource: policy.List{"arn:aws:s3:::" + strings.Repeat("b", 50)},
			})
		}
	})
	if err == nil || !strings.Contains(err.Error(), "allowed are 10240") {
		t.Error(err)
	}
}

func TestWindows(t *testing.T) {
	r := runKarpenter(t, func(a *KarpenterArgs) {
		a.NodePools = map[string]nodepool.Pool{
			"cpu": {Preset: "cpu"},
			"win": {Preset: "cpu", NodeClass: "win", Requirements: []nodepool.Requirement{{Key: "kubernetes.io/os", Operator: "In", Values: []nodepool.Scalar{"windows"}}}},
		}
		a.NodeClasses = map[string]nodepool.NodeClass{"default": {}, "win": {AMIAlias: "windows2022@latest"}}
	})
	linux, windows := r.Find(t, accessEntryType, "k-access-entry"), r.Find(t, accessEntryType, "k-access-windows-entry")
	if text(linux, "type") != "EC2_LINUX" || text(windows, "type") != "EC2_WINDOWS" || text(linux, "principalArn") == text(windows, "principalArn") {
		t.Errorf("%v and %v", linux.Inputs, windows.Inputs)
	}
	for _, role := range []string{text(linux, "principalArn"), text(windows, "principalArn")} {
		if !strings.Contains(text(r.Find(t, policyType, "k-iam-controller-IAMIntegration"), "policy"), role) {
			t.Errorf("the controller may not pass %s", role)
		}
	}
	if a, b := nodeClass(t, r, "default")["role"], nodeClass(t, r, "win")["role"]; a != "KarpenterNodeRole-ml-prod" || b != "KarpenterWindowsNodeRole-ml-prod" {
		t.Errorf("the classes have %v and %v", a, b)
	}
	r.Find(t, bindings.ReleaseToken, "k-chart-controller")
}

func TestSelectByIds(t *testing.T) {
	r := runKarpenter(t, func(a *KarpenterArgs) { a.Cluster.SelectByIds = true })
	if n := len(r.OfType(bindings.TagToken)) + len(r.OfType(SubnetTaggingToken)); n > 0 {
		t.Errorf("%d tags", n)
	}
	class := nodeClass(t, r, "default")
	if got := resource.NewPropertyValue(class["subnetSelectorTerms"]).String(); !strings.Contains(got, "subnet-1") || !strings.Contains(got, "subnet-2") {
		t.Errorf("subnets: %s", got)
	}
	if got := resource.NewPropertyValue(class["securityGroupSelectorTerms"]).String(); !strings.Contains(got, "sg-1") {
		t.Errorf("security groups: %s", got)
	}
}
