package components

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/internal/pulumitest"
)

type object = map[string]any

func answer(o object) func(resource.PropertyMap) (resource.PropertyMap, error) {
	return func(resource.PropertyMap) (resource.PropertyMap, error) {
		return resource.NewPropertyMapFromMap(o), nil
	}
}

func failure(message string) func(resource.PropertyMap) (resource.PropertyMap, error) {
	return func(resource.PropertyMap) (resource.PropertyMap, error) { return nil, errors.New(message) }
}

func describedCluster() object {
	return object{
		"id": "ml-prod", "name": "ml-prod", "arn": "arn:aws-cn:eks:cn-north-1:111122223333:cluster/ml-prod", "status": "ACTIVE",
		"version": "1.34", "endpoint": "https://example", "certificateAuthorities": []any{object{"data": "Y2E="}},
		"identities":               []any{object{"oidcs": []any{object{"issuer": "https://oidc/id/A"}}}},
		"accessConfigs":            []any{object{"authenticationMode": "API"}},
		"kubernetesNetworkConfigs": []any{object{"ipFamily": "ipv6"}},
		"vpcConfig":                object{"clusterSecurityGroupId": "sg-1"},
	}
}

func fakeAWS() pulumitest.Functions {
	return pulumitest.Functions{
		"aws:eks/getCluster:getCluster":       answer(describedCluster()),
		"aws:eks/getNodeGroups:getNodeGroups": answer(object{"names": []any{"b", "a"}}),
		"aws:eks/getNodeGroup:getNodeGroup": func(args resource.PropertyMap) (resource.PropertyMap, error) {
			group := args["nodeGroupName"].StringValue()
			return resource.NewPropertyMapFromMap(object{
				"nodeGroupName": group, "subnetIds": []any{"subnet-shared", "subnet-" + group},
				"scalingConfigs": []any{object{"desiredSize": 2}},
			}), nil
		},
		"aws:iam/getOpenIdConnectProvider:getOpenIdConnectProvider": answer(object{"arn": "arn:provider"}),
		"aws:ec2/getSubnets:getSubnets":                             answer(object{"ids": []any{}}),
		"aws:index/getRegion:getRegion":                             answer(object{"name": "cn-north-1"}),
	}
}

func look(t *testing.T, functions pulumitest.Functions, args *LookupClusterArgs) (*Cluster, *pulumitest.Recorder, error) {
	t.Helper()
	var cluster *Cluster
	r, err := pulumitest.Run(t, func(ctx *pulumi.Context) (err error) {
		cluster, err = LookupCluster(ctx, args)
		return err
	}, functions)
	return cluster, r, err
}

func TestLookupCluster(t *testing.T) {
	c, r, err := look(t, fakeAWS(), &LookupClusterArgs{Name: "ml-prod"})
	if err != nil {
		t.Fatal(err)
	}
	for what, pair := range map[string][2]any{
		"partition": {c.Partition, pulumi.String("aws-cn")}, "region": {c.Region, pulumi.String("cn-north-1")},
		"account": {c.AccountId, pulumi.String("111122223333")}, "version": {c.KubernetesVersion, "1.34"},
		"mode": {c.AuthenticationMode, "API"}, "family": {c.IpFamily, "ipv6"}, "group": {c.SecurityGroupId, pulumi.String("sg-1")},
		"provider": {c.OidcProviderArn, pulumi.String("arn:provider")}, "nodes": {c.SystemNodes, 4}, "subnets": {len(c.Subnets), 3},
		"node groups": {strings.Join(c.NodeGroups, " "), "a b"}, "ca": {c.CertificateAuthority, pulumi.String("Y2E=")},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: %v and not %v", what, pair[0], pair[1])
		}
	}
	if len(r.Calls) != 7 {
		t.Errorf("%d calls", len(r.Calls))
	}
	c, _, err = look(t, fakeAWS(), &LookupClusterArgs{Name: "ml-prod", SubnetIds: []string{"subnet-x"}})
	if err != nil || len(c.Subnets) != 1 {
		t.Errorf("%v, %v", c, err)
	}
}

func TestLookupClusterRefuses(t *testing.T) {
	creating := describedCluster()
	creating["status"] = "CREATING"
	for _, c := range []struct {
		token  string
		answer func(resource.PropertyMap) (resource.PropertyMap, error)
		want   string
	}{
		{"aws:eks/getCluster:getCluster", failure("couldn't find resource"), `EKS cluster "ml-prod" could not be read in region cn-north-1: check the name`},
		{"aws:eks/getCluster:getCluster", answer(creating), "wait until it is ACTIVE"},
		{"aws:eks/getNodeGroups:getNodeGroups", answer(object{"names": []any{}}), "no managed node groups"},
		{"aws:eks/getNodeGroup:getNodeGroup", failure("throttled"), "throttled"},
		{"aws:iam/getOpenIdConnectProvider:getOpenIdConnectProvider", failure("AccessDenied"), "AccessDenied"},
	} {
		functions := fakeAWS()
		functions[c.token] = c.answer
		if _, _, err := look(t, functions, &LookupClusterArgs{Name: "ml-prod"}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.want, err)
		}
	}
	if _, _, err := look(t, fakeAWS(), nil); err == nil || !strings.Contains(err.Error(), "LookupClusterArgs.Name") {
		t.Error(err)
	}
}

// A subnet that another cluster's Karpenter uses is not taken from it.
func TestLookupClusterRefusesForeignSubnets(t *testing.T) {
	functions := fakeAWS()
	functions["aws:ec2/getSubnets:getSubnets"] = func(args resource.PropertyMap) (resource.PropertyMap, error) {
		ids := []any{"subnet-a"}
		if filter := args["filters"].ArrayValue()[1].ObjectValue(); filter["name"].StringValue() == "tag-key" {
			ids = append(ids, "subnet-shared")
		}
		return resource.NewPropertyMapFromMap(object{"ids": ids}), nil
	}
	functions["aws:ec2/getSubnet:getSubnet"] = answer(object{"tags": object{"karpenter.sh/discovery": "other"}})
	_, _, err := look(t, functions, &LookupClusterArgs{Name: "ml-prod"})
	if err == nil || !strings.Contains(err.Error(), `subnet subnet-shared: its tag karpenter.sh/discovery names "other"`) ||
		strings.Contains(err.Error(), "subnet-a:") {
		t.Error(err)
	}
}

// Where new nodes may go: everything that node groups use and what is named
// beside, each once; the private ones alone; or one list.
func TestLookupClusterSubnets(t *testing.T) {
	functions := fakeAWS()
	functions["aws:ec2/getSubnets:getSubnets"] = func(args resource.PropertyMap) (resource.PropertyMap, error) {
		ids := []any{}
		if args["filters"].ArrayValue()[1].ObjectValue()["name"].StringValue() == "map-public-ip-on-launch" {
			ids = append(ids, "subnet-shared", "subnet-a")
		}
		return resource.NewPropertyMapFromMap(object{"ids": ids}), nil
	}
	for want, args := range map[string]LookupClusterArgs{
		"subnet-a subnet-b subnet-shared":             {},
		"subnet-a subnet-b subnet-self subnet-shared": {AdditionalSubnetIds: []string{"subnet-self", "subnet-a"}},
		"subnet-a subnet-shared":                      {PrivateSubnetsOnly: true},
		"subnet-x":                                    {SubnetIds: []string{"subnet-x", "subnet-x"}},
	} {
		args.Name = "ml-prod"
		c, _, err := look(t, functions, &args)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(slices.Sorted(maps.Keys(c.Subnets)), " "); got != want {
			t.Errorf("%+v: %s and not %s", args, got, want)
		}
	}
	functions["aws:ec2/getSubnets:getSubnets"] = answer(object{"ids": []any{}})
	for want, args := range map[string]LookupClusterArgs{
		"none of the subnets":                {Name: "c", PrivateSubnetsOnly: true},
		"SubnetIds: they are the whole list": {Name: "c", SubnetIds: []string{"s"}, AdditionalSubnetIds: []string{"t"}},
		`DiscoveryTag: found "k"`:            {Name: "c", SelectByIds: true, DiscoveryTag: "k"},
	} {
		if _, _, err := look(t, functions, &args); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// Selection by ids asks for no tag, and so another cluster's is no fault.
func TestLookupClusterByIds(t *testing.T) {
	functions := fakeAWS()
	functions["aws:ec2/getSubnets:getSubnets"] = failure("asked for tags")
	c, _, err := look(t, functions, &LookupClusterArgs{Name: "ml-prod", SelectByIds: true})
	if err != nil || !c.SelectByIds {
		t.Errorf("%v, %v", c, err)
	}
}

// The agent is looked for only where it is needed, and Auto Mode has it built in.
func TestLookupPodIdentityAgent(t *testing.T) {
	const getAddon, getProvider = "aws:eks/getAddon:getAddon", "aws:iam/getOpenIdConnectProvider:getOpenIdConnectProvider"
	auto := describedCluster()
	auto["computeConfigs"] = []any{object{"enabled": true}}
	missing := failure("reading EKS Add-On: couldn't find resource")
	for name, c := range map[string]struct {
		cluster object
		addon   func(resource.PropertyMap) (resource.PropertyMap, error)
		lacks   bool
		want    string
	}{
		"installed":   {describedCluster(), answer(object{}), false, ""},
		"missing":     {describedCluster(), missing, true, ""},
		"Auto Mode":   {auto, missing, false, ""},
		"not allowed": {describedCluster(), failure("AccessDenied"), false, "AccessDenied"},
	} {
		functions := fakeAWS()
		functions["aws:eks/getCluster:getCluster"], functions[getAddon] = answer(c.cluster), c.addon
		delete(functions, getProvider)
		cluster, _, err := look(t, functions, &LookupClusterArgs{Name: "ml-prod", PodIdentity: true})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil && cluster.LacksPodIdentityAgent != c.lacks {
			t.Errorf("%s: lacks the agent: %v", name, cluster.LacksPodIdentityAgent)
		}
	}
}

// A provider that this library made is known by its tag.
func TestLookupOwnProvider(t *testing.T) {
	functions := fakeAWS()
	functions["aws:iam/getOpenIdConnectProvider:getOpenIdConnectProvider"] = answer(object{"arn": "arn:p", "tags": object{ownerTagKey: ownerTagValue}})
	if c, _, err := look(t, functions, &LookupClusterArgs{Name: "ml-prod"}); err != nil || !c.OwnsOidcProvider {
		t.Errorf("%v, %v", c, err)
	}
}

func TestClusterFacts(t *testing.T) {
	for _, arn := range []string{"", "ml-prod", "arn:aws:eks:eu-west-1:1:cluster/a", "arn:aws:eks:eu-west-1:111122223333:nodegroup/a", "arn:aws:eks:eu-west-1:111122223333:cluster/" + strings.Repeat("a", 101)} {
		if _, err := (ClusterFacts{Arn: arn}).Cluster(); err == nil || !strings.Contains(err.Error(), "describe-cluster") {
			t.Errorf("%q: %v", arn, err)
		}
	}
	c, err := ClusterFacts{Arn: "arn:aws-us-gov:eks:us-gov-west-1:111122223333:cluster/a_b-C"}.Cluster()
	if err != nil || c.Name != pulumi.String("a_b-C") || c.Partition != pulumi.String("aws-us-gov") || c.OidcIssuer != nil {
		t.Errorf("%+v, %v", c, err)
	}
}

// A cluster without an OIDC provider is a cluster; KarpenterIAM needs one.
func TestLookupClusterWithoutProvider(t *testing.T) {
	functions := fakeAWS()
	functions["aws:iam/getOpenIdConnectProvider:getOpenIdConnectProvider"] = failure("finding IAM OIDC Provider by url: not found")
	c, _, err := look(t, functions, &LookupClusterArgs{Name: "ml-prod"})
	if err != nil || c.OidcProviderArn != nil {
		t.Errorf("%v, %v", c, err)
	}
}

func TestKubeconfig(t *testing.T) {
	got, err := kubeconfig("ml-prod", "eu-west-1", "https://example", "Y2E=", "work")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"server":"https://example"`, `"get-token","--cluster-name","ml-prod","--region","eu-west-1"`, `"name":"AWS_PROFILE","value":"work"`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in %s", want, got)
		}
	}
	if got, _ := kubeconfig("a", "b", "c", "d", ""); strings.Contains(got, "AWS_PROFILE") {
		t.Error("a profile that nobody named")
	}
}
