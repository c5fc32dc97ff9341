package engine

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/valohai/pulumi-kubernetes-autoscaling/tests/localcloud"
)

// theirs is an entry that somebody adds between two runs.
const theirs = `- rolearn: arn:aws:iam::123456789012:role/auditor  # until March
  username: auditor
  groups: [view]
`

// TestConfigMapCluster runs the stack on a cluster without access entries and
// without an OIDC provider, and lives with aws-auth beside others.
func TestConfigMapCluster(t *testing.T) {
	t.Parallel()
	cloud := startCloudWith(t, localcloud.ClusterOptions{AuthenticationMode: "CONFIG_MAP", WithoutOIDCProvider: true})
	before := snapshot(t, cloud)
	given := before.Kubernetes.AWSAuth
	c := config{"clusterName": "ml-prod", "chartRegistry": charts(), "createOidcProvider": true, "enableSpotTermination": false, "rolePath": "/team/"}
	p := newProject(t, cloud, "", c)

	mustRun(t, p, "preview")
	mustEqual(t, "preview", before, snapshot(t, cloud))
	mustRun(t, p, "up")
	auth := snapshot(t, cloud).Kubernetes.AWSAuth
	has(t, "mapRoles", auth["mapRoles"], given["mapRoles"]+entry("KarpenterNodeRole-ml-prod"))
	has(t, "mapUsers", auth["mapUsers"], given["mapUsers"])
	has(t, "OIDC providers", len(snapshot(t, cloud).AWS.OIDCProviders), 1)
	mustRenderTheSame(t, p, cloud, groupSubnets(cloud))
	mustStay(t, p, "up")
	mustStay(t, p, "refresh")
	mustStay(t, p, "up")

	// Somebody adds an entry.
	editAuth(t, cloud, auth["mapRoles"]+theirs)
	mustRun(t, p, "up")
	has(t, "mapRoles with theirs", mapRoles(t, cloud), auth["mapRoles"]+theirs)
	mustRun(t, p, "refresh")
	mustStay(t, p, "up")

	// Another role: the entry of the first goes, since it was ours.
	c["nodeRoleName"] = "nodes"
	if err := p.WriteConfig(keys(c)); err != nil {
		t.Fatal(err)
	}
	mustRun(t, p, "up")
	has(t, "mapRoles with another role", mapRoles(t, cloud), given["mapRoles"]+theirs+entry("nodes"))

	// A text that nobody understands is refused and left as it is.
	editAuth(t, cloud, "- rolearn: [")
	mustRefuse(t, run(t, p, "preview"), []string{"ConfigMap kube-system/aws-auth, mapRoles", "it is left as it is"})
	mustRefuse(t, run(t, p, "up"), []string{"it is left as it is"})
	has(t, "damaged mapRoles", mapRoles(t, cloud), "- rolearn: [")
	editAuth(t, cloud, given["mapRoles"]+theirs+entry("nodes"))

	// Destroy leaves everybody's entries, ours too; the next run finds ours.
	mustRun(t, p, "destroy")
	after := snapshot(t, cloud)
	has(t, "mapRoles after destroy", after.Kubernetes.AWSAuth["mapRoles"], given["mapRoles"]+theirs+entry("nodes"))
	after.Kubernetes.AWSAuth["mapRoles"] = given["mapRoles"]
	mustEqual(t, "destroy", before, after)
	mustRun(t, p, "up")
	has(t, "mapRoles found by a later stack", mapRoles(t, cloud), given["mapRoles"]+theirs+entry("nodes"))
}

// entry is how the nodes with a role are let in: by its ARN without the path.
func entry(role string) string {
	return strings.ReplaceAll(`- groups:
  - system:bootstrappers
  - system:nodes
  rolearn: arn:aws:iam::123456789012:role/ROLE
  username: system:node:{{EC2PrivateDNSName}}
`, "ROLE", role)
}

func mapRoles(t *testing.T, cloud *localcloud.Cloud) string {
	t.Helper()
	return snapshot(t, cloud).Kubernetes.AWSAuth["mapRoles"]
}

// editAuth replaces mapRoles, as somebody with kubectl would.
func editAuth(t *testing.T, cloud *localcloud.Cloud, mapRoles string) {
	t.Helper()
	rest, err := cloud.RESTConfig()
	if err != nil {
		t.Fatal(err)
	}
	client, err := kubernetes.NewForConfig(rest)
	if err != nil {
		t.Fatal(err)
	}
	maps := client.CoreV1().ConfigMaps("kube-system")
	auth, err := maps.Get(t.Context(), "aws-auth", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	auth.Data["mapRoles"] = mapRoles
	if _, err := maps.Update(t.Context(), auth, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
}
