package engine

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/valohai/pulumi-kubernetes-autoscaling/tests/localcloud"
)

// TestLifecycle runs the stack as a user does: preview, up, up without change,
// refresh without change, destroy. Access to the cluster goes through
// `aws eks get-token`, which is the default.
func TestLifecycle(t *testing.T) {
	t.Parallel()
	cloud := startCloud(t)
	before := snapshot(t, cloud)
	p := newProject(t, cloud, "", config{"clusterName": "ml-prod", "chartRegistry": charts()})

	preview := mustRun(t, p, "preview")
	mustEqual(t, "preview", before, snapshot(t, cloud))
	up := mustRun(t, p, "up")
	if preview.Changes["create"] != up.Changes["create"] {
		t.Errorf("preview announced %v and up did %v", preview.Changes, up.Changes)
	}
	after := snapshot(t, cloud)
	checkAWS(t, cloud.Facts(), after.AWS)
	checkKubernetes(t, before.Kubernetes, after.Kubernetes)

	outputs, err := p.Outputs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	has(t, "output queueName", outputs["queueName"], "Karpenter-ml-prod")
	has(t, "output nodeRoleName", outputs["nodeRoleName"], "KarpenterNodeRole-ml-prod")
	has(t, "output nodePoolNames", outputs["nodePoolNames"], "[cpu gpu]")

	mustRenderTheSame(t, p, cloud, groupSubnets(cloud))
	mustStay(t, p, "up")
	mustStay(t, p, "refresh")
	mustStay(t, p, "up")
	mustEqual(t, "running again", after, snapshot(t, cloud))

	mustRun(t, p, "destroy")
	mustEqual(t, "destroy", before, snapshot(t, cloud))
}

// checkAWS checks that AWS has what Karpenter needs, and no more.
func checkAWS(t *testing.T, facts localcloud.Facts, aws localcloud.AWSInventory) {
	t.Helper()
	node, controller := aws.Roles["KarpenterNodeRole-ml-prod"], aws.Roles["KarpenterControllerRole-ml-prod"]
	has(t, "policies of the node role", names(node.AttachedPolicies),
		"[AmazonEC2ContainerRegistryPullOnly AmazonEKSWorkerNodePolicy AmazonEKS_CNI_Policy AmazonSSMManagedInstanceCore]")
	has(t, "policies of the controller role", names(controller.AttachedPolicies), "["+
		"KarpenterControllerEKSIntegrationPolicy-ml-prod KarpenterControllerIAMIntegrationPolicy-ml-prod "+
		"KarpenterControllerInterruptionPolicy-ml-prod KarpenterControllerNodeLifecyclePolicy-ml-prod "+
		"KarpenterControllerResourceDiscoveryPolicy-ml-prod]")
	has(t, "inline policies", len(node.InlinePolicies)+len(controller.InlinePolicies), 0)
	has(t, "customer-managed policies", len(aws.Policies), 5)
	has(t, "queues", len(aws.Queues), 1)
	attributes := aws.Queues["Karpenter-ml-prod"].Attributes
	has(t, "retention", attributes["MessageRetentionPeriod"], "300")
	has(t, "encryption", attributes["SqsManagedSseEnabled"], "true")
	has(t, "queue policy is on the queue", attributes["Policy"] != nil, true)
	has(t, "rules", len(aws.EventRules), 5)
	for name, rule := range aws.EventRules {
		has(t, "targets of "+name, len(rule.Targets), 1)
	}
	entry := aws.AccessEntries["ml-prod"][node.ARN]
	has(t, "access entry", entry.Type, "EC2_LINUX")

	var tagged []string
	for id, tags := range aws.SubnetTags {
		if tags["karpenter.sh/discovery"] == "ml-prod" {
			tagged = append(tagged, id)
		}
	}
	slices.Sort(tagged)
	wanted := map[string]bool{}
	for _, subnets := range facts.NodeGroups {
		for _, id := range subnets {
			wanted[id] = true
		}
	}
	has(t, "tagged subnets", tagged, slices.Sorted(maps.Keys(wanted)))
	for id, tags := range aws.SecurityGroupTags {
		has(t, "discovery tag of "+id, tags["karpenter.sh/discovery"] == "ml-prod", id == facts.ClusterSecurityGroup)
	}
}

// names returns what stands behind the last slash of each ARN, sorted.
func names(arns []string) []string {
	list := make([]string, len(arns))
	for i, arn := range arns {
		list[i] = arn[strings.LastIndex(arn, "/")+1:]
	}
	slices.Sort(list)
	return list
}

// checkKubernetes checks what the charts and the pools made, and that aws-auth
// is as it was.
func checkKubernetes(t *testing.T, before, after localcloud.KubernetesInventory) {
	t.Helper()
	has(t, "definitions", after.CRDs, "[capacitybuffers.autoscaling.x-k8s.io ec2nodeclasses.karpenter.k8s.aws "+
		"nodeclaims.karpenter.sh nodeoverlays.karpenter.sh nodepools.karpenter.sh]")
	has(t, "node pools", after.NodePools, "[cpu gpu]")
	has(t, "node classes", after.EC2NodeClasses, "[default]")
	has(t, "deployments", after.Deployments, "[karpenter]")
	has(t, "aws-auth", after.AWSAuth, before.AWSAuth)
}
