package engine

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/nodepool"
	"github.com/valohai/pulumi-kubernetes-autoscaling/tests/localcloud"
)

// userKey is a key of the user. The local AWS does not look for it.
const userKey = "arn:aws:kms:us-east-1:123456789012:key/11111111-2222-3333-4444-555555555555"

// TestPodIdentity runs the stack on a cluster with the longest name that EKS
// takes, with access entries only, with Pod Identity, with a key of the user for
// the queue, without a single tag, and with a pool of every preset.
func TestPodIdentity(t *testing.T) {
	t.Parallel()
	name := strings.Repeat("n", 90) + "-ml-prod-1"
	cloud := startCloudWith(t, localcloud.ClusterOptions{Name: name, AuthenticationMode: "API"})
	p := newProject(t, cloud, "", config{
		"clusterName": name, "chartRegistry": charts(), "identity": "PodIdentity", "selectByIds": true, "rolePath": "/team/",
		"queueKmsMasterKeyId": userKey, "queueName": "notices", "nodePools": everyPreset(),
	})
	const remedy = "aws eks create-addon --cluster-name CLUSTER --addon-name eks-pod-identity-agent"
	mustRefuse(t, run(t, p, "preview"), []string{"the cluster lacks the add-on eks-pod-identity-agent", remedy})
	if _, err := cloud.AWS(t.Context(), strings.Fields(strings.Replace(remedy, "CLUSTER", name, 1))[1:]...); err != nil {
		t.Fatal(err)
	}
	before := snapshot(t, cloud)
	if up := mustRun(t, p, "up"); !strings.Contains(up.Output, `"kms:GenerateDataKey"`) {
		t.Error("nobody says what the key's policy needs")
	}
	after := snapshot(t, cloud)
	has(t, "key of the queue", after.AWS.Queues["notices"].Attributes["KmsMasterKeyId"], userKey)
	association := after.AWS.PodIdentityAssociations[name]["kube-system/karpenter"]
	role := association[strings.LastIndex(association, "/")+1:]
	if _, ok := after.AWS.Roles[role]; !ok || !strings.Contains(association, ":role/team/KarpenterControllerRole-nnn") {
		t.Errorf("the service account has role %q", association)
	}
	for role := range after.AWS.Roles {
		if len(role) > 64 {
			t.Errorf("role %s", role)
		}
	}
	has(t, "tags of subnets", after.AWS.SubnetTags, before.AWS.SubnetTags)
	has(t, "tags of security groups", after.AWS.SecurityGroupTags, before.AWS.SecurityGroupTags)
	has(t, "OIDC providers", after.AWS.OIDCProviders, before.AWS.OIDCProviders)
	has(t, "access entries", len(after.AWS.AccessEntries[name]), len(before.AWS.AccessEntries[name])+1)
	has(t, "aws-auth", after.Kubernetes.AWSAuth, before.Kubernetes.AWSAuth)
	mustRenderTheSame(t, p, cloud, groupSubnets(cloud))
	mustStoreAll(t, p, cloud)
	mustStay(t, p, "up")
	mustStay(t, p, "refresh")
	mustRun(t, p, "destroy")
	mustEqual(t, "destroy", before, snapshot(t, cloud))
}

// everyPreset is a pool of each preset, under its name.
func everyPreset() map[string]any {
	pools := map[string]any{}
	for _, name := range nodepool.PresetNames() {
		pools[name] = map[string]any{"preset": name}
	}
	return pools
}

// groupSubnets are the subnets of all node groups, each once, sorted.
func groupSubnets(cloud *localcloud.Cloud) []string {
	all := map[string]bool{}
	for _, subnets := range cloud.Facts().NodeGroups {
		for _, id := range subnets {
			all[id] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// TestExistingNodeRole runs the stack with the role of the node groups, in a
// VPC without a way out, with Windows nodes, keys of the user, and one inline
// policy. The role, its access and its policies are the user's.
func TestExistingNodeRole(t *testing.T) {
	t.Parallel()
	cloud := startCloud(t)
	facts := cloud.Facts()
	before := snapshot(t, cloud)
	p := newProject(t, cloud, "", config{
		"clusterName": "ml-prod", "chartRegistry": charts(), "nodeRoleArn": facts.NodeRoleARN, "isolatedVPC": true,
		"additionalSubnetIds": facts.PublicSubnets, "privateSubnetsOnly": true, "enableInlinePolicy": true, "enableZonalShift": true,
		"enableSpotTermination": false, "namePrefix": "ml-",
		"nodePools": map[string]any{
			"cpu": map[string]any{"preset": "cpu"},
			"windows": map[string]any{"preset": "cpu", "nodeClass": "windows", "requirements": []any{
				map[string]any{"key": "kubernetes.io/os", "operator": "In", "values": []any{"windows"}},
			}},
		},
		"nodeClasses": map[string]any{"default": map[string]any{"volumeKmsKeyArn": userKey}, "windows": map[string]any{"amiAlias": "windows2022@latest"}},
	})
	mustRun(t, p, "up")
	after := snapshot(t, cloud)
	name := facts.NodeRoleARN[strings.LastIndex(facts.NodeRoleARN, "/")+1:]
	has(t, "the user's role", after.AWS.Roles[name], before.AWS.Roles[name])
	has(t, "its access entry", after.AWS.AccessEntries["ml-prod"][facts.NodeRoleARN], before.AWS.AccessEntries["ml-prod"][facts.NodeRoleARN])
	has(t, "instance profiles", after.AWS.InstanceProfiles["ml-NodeInstanceProfile-ml-prod"], []string{name})
	windows := after.AWS.Roles["ml-WindowsNodeRole-ml-prod"]
	has(t, "access of Windows nodes", after.AWS.AccessEntries["ml-prod"][windows.ARN].Type, "EC2_WINDOWS")
	has(t, "managed policies of the controller", len(after.AWS.Roles["ml-ControllerRole-ml-prod"].AttachedPolicies), 0)
	for _, id := range facts.PublicSubnets {
		has(t, "discovery tag of public subnet "+id, after.AWS.SubnetTags[id]["karpenter.sh/discovery"], "")
	}
	for _, id := range groupSubnets(cloud) {
		has(t, "discovery tag of "+id, after.AWS.SubnetTags[id]["karpenter.sh/discovery"], "ml-prod")
	}
	mustRenderTheSame(t, p, cloud, groupSubnets(cloud))
	mustStay(t, p, "up")

	// A tag that the owner of the subnet took off is drift, and comes back.
	if _, err := cloud.AWS(t.Context(), "ec2", "delete-tags", "--resources", groupSubnets(cloud)[0], "--tags", "Key=karpenter.sh/discovery"); err != nil {
		t.Fatal(err)
	}
	if r := mustRun(t, p, "up", "--refresh"); r.Changed() == 0 {
		t.Error("the missing tag is no drift")
	}
	mustEqual(t, "after the drift", after, snapshot(t, cloud))
	mustRun(t, p, "destroy")
	mustEqual(t, "destroy", before, snapshot(t, cloud))
}
