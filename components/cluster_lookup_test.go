package components

import (
	"errors"
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
