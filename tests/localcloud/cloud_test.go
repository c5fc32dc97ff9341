package localcloud

import (
	"encoding/base64"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// TestCloud looks at all sides of one cloud, from its start to its end.
func TestCloud(t *testing.T) {
	c := startCloud(t, Options{RecordCalls: true})
	id := c.state.ID

	t.Run("parts", func(t *testing.T) { testParts(t, c) })
	t.Run("facts", func(t *testing.T) { testFacts(t, c) })
	t.Run("tokens", func(t *testing.T) { testTokens(t, c) })
	t.Run("pods", func(t *testing.T) { testPods(t, c) })
	t.Run("access entries", func(t *testing.T) { testAccessEntries(t, c) })
	t.Run("authentication mode", func(t *testing.T) { testAuthenticationMode(t, c) })
	t.Run("pod identity and add-ons", func(t *testing.T) { testPodIdentity(t, c) })
	t.Run("IAM", func(t *testing.T) { testIAM(t, c) })
	t.Run("other services", func(t *testing.T) { testOtherServices(t, c) })
	t.Run("snapshot", func(t *testing.T) { testSnapshot(t, c) })
	t.Run("calls", func(t *testing.T) { testCalls(t, c) })
	t.Run("unknown call", func(t *testing.T) { testUnknownCall(t, c) })
	t.Run("instance profiles", func(t *testing.T) { testInstanceProfiles(t, c) })
	t.Run("prices", func(t *testing.T) { testPrices(t, c) })
	t.Run("fleet", func(t *testing.T) { testFleet(t, c) })
	t.Run("program", func(t *testing.T) { testProgram(t, c) })

	if err := c.Stop(); err != nil {
		t.Fatal(err)
	}
	requireGone(t, c.Dir(), id)
	if err := c.Err(); err != nil {
		t.Errorf("after Stop: %v", err)
	}
}

func testParts(t *testing.T, c *Cloud) {
	var names []string
	for _, part := range c.Status() {
		names = append(names, part.Name)
		if part.State != StateRunning || part.Memory == 0 || !listens(part.PID, part.Port) {
			t.Errorf("unexpected status %+v", part)
		}
	}
	slices.Sort(names)
	want := []string{partAWS, partEtcd, partAPIServer, partControllerManager, partScheduler, partKwok}
	slices.Sort(want)
	if !slices.Equal(names, want) {
		t.Errorf("parts %v, want %v", names, want)
	}
	if err := c.Err(); err != nil {
		t.Error(err)
	}
}

func testFacts(t *testing.T, c *Cloud) {
	facts := c.Facts()
	cluster := aws[object](t, c, "eks", "describe-cluster", "--name", "ml-prod")["cluster"].(object)
	network := cluster["resourcesVpcConfig"].(object)
	config, err := c.RESTConfig()
	if err != nil {
		t.Fatal(err)
	}
	authority, err := os.ReadFile(c.file("pki/ca.crt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, check := range []struct {
		what      string
		got, want any
	}{
		{"version", cluster["version"], "1.34"},
		{"endpoint", cluster["endpoint"], config.Host},
		{"CA", cluster["certificateAuthority"].(object)["data"], base64.StdEncoding.EncodeToString(authority)},
		{"issuer", cluster["identity"].(object)["oidc"].(object)["issuer"], facts.Issuer},
		{"mode", cluster["accessConfig"].(object)["authenticationMode"], "API_AND_CONFIG_MAP"},
		{"VPC", network["vpcId"], facts.VPC},
		{"security group", network["clusterSecurityGroupId"], facts.ClusterSecurityGroup},
		{"service range", cluster["kubernetesNetworkConfig"].(object)["serviceIpv4Cidr"], serviceRange},
		{"IP family", cluster["kubernetesNetworkConfig"].(object)["ipFamily"], "ipv4"},
	} {
		if check.got != check.want {
			t.Errorf("%s: got %v, want %v", check.what, check.got, check.want)
		}
	}
	shared := slices.DeleteFunc(slices.Clone(facts.NodeGroups["system"]), func(subnet string) bool {
		return !slices.Contains(facts.NodeGroups["workers"], subnet)
	})
	if len(shared) != 1 || !slices.Contains(facts.PrivateSubnets, shared[0]) {
		t.Errorf("the node groups share %v, want one private subnet", shared)
	}
	group := aws[object](t, c, "eks", "describe-nodegroup", "--cluster-name", "ml-prod", "--nodegroup-name", "system")
	if access, invented := group["nodegroup"].(object)["remoteAccess"]; invented {
		t.Errorf("the node group has remoteAccess %v", access)
	}
	provider := "arn:aws:iam::" + facts.Account + ":oidc-provider/" + strings.TrimPrefix(facts.Issuer, "https://")
	if facts.OIDCProviderARN != provider {
		t.Errorf("OIDC provider %s, want %s", facts.OIDCProviderARN, provider)
	}
}

// testPods needs every part of Kubernetes: the scheduler binds the pod, kwok runs it, and the
// controller manager makes a job's pod and notices its end.
func testPods(t *testing.T, c *Cloud) {
	config, err := c.RESTConfig()
	if err != nil {
		t.Fatal(err)
	}
	client := kubernetes.NewForConfigOrDie(config)
	spec := corev1.PodSpec{
		RestartPolicy: corev1.RestartPolicyNever,
		Containers:    []corev1.Container{{Name: "main", Image: "example.com/none"}},
	}
	pods := client.CoreV1().Pods(WorkersNamespace)
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "one"}, Spec: spec}
	if _, err := pods.Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	jobs := client.BatchV1().Jobs(WorkersNamespace)
	job := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: "two"},
		Spec:       batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: spec}},
	}
	if _, err := jobs.Create(t.Context(), job, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the pod runs on a node", func() bool {
		pod, err := pods.Get(t.Context(), "one", metav1.GetOptions{})
		return err == nil && pod.Status.Phase == corev1.PodRunning && pod.Spec.NodeName != ""
	})
	eventually(t, "the job is complete", func() bool {
		job, err := jobs.Get(t.Context(), "two", metav1.GetOptions{})
		return err == nil && job.Status.Succeeded == 1
	})
	if err := pods.Delete(t.Context(), "one", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the deleted pod is gone", func() bool {
		_, err := pods.Get(t.Context(), "one", metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	})
	background := metav1.DeletePropagationBackground
	if err := jobs.Delete(t.Context(), "two", metav1.DeleteOptions{PropagationPolicy: &background}); err != nil {
		t.Fatal(err)
	}
}

// snapshot takes an inventory, which must work.
func snapshot(t *testing.T, c *Cloud) Inventory {
	t.Helper()
	inventory, err := c.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return inventory
}

func testSnapshot(t *testing.T, c *Cloud) {
	before := snapshot(t, c)
	if lines, err := before.Diff(snapshot(t, c)); err != nil || len(lines) > 0 {
		t.Errorf("two snapshots of the same cloud differ (%v): %v", err, lines)
	}
	subnet := c.Facts().PrivateSubnets[0]
	aws[any](t, c, "ec2", "create-tags", "--resources", subnet, "--tags", "Key=karpenter.sh/discovery,Value=ml-prod")
	after := snapshot(t, c)
	want := []string{`+ /aws/subnetTags/` + subnet + `/karpenter.sh/discovery: "ml-prod"`}
	if lines, err := before.Diff(after); err != nil || !slices.Equal(lines, want) {
		t.Errorf("difference %q (%v), want %q", lines, err, want)
	}
	for _, node := range c.Facts().Nodes {
		if before.AWS.Instances[node.InstanceID].Type != node.InstanceType {
			t.Errorf("node %+v is not among the instances", node)
		}
	}
	if role := before.AWS.Roles["ml-prod-node"]; role.ARN != c.Facts().NodeRoleARN || len(role.AttachedPolicies) != 3 {
		t.Errorf("the node role is %+v", role)
	}
	if !slices.Contains(before.Kubernetes.Namespaces, WorkersNamespace) || !strings.Contains(before.Kubernetes.AWSAuth["mapRoles"], "# ") {
		t.Errorf("Kubernetes holds %+v", before.Kubernetes)
	}
}

// TestSideBySide runs two clouds at once: one finds its ports taken, the other loses a part.
func TestSideBySide(t *testing.T) {
	busy, err := freePort()
	if err != nil {
		t.Fatal(err)
	}
	listener := listenOn(t, busy)
	t.Cleanup(func() { _ = listener.Close() })
	calls := make(chan int, 100)
	choose := func() (int, error) { // each part's first choice is the busy port
		calls <- 0
		if len(calls)%2 == 1 {
			return busy, nil
		}
		return freePort()
	}
	name := strings.Repeat("a-long-name-", 8) + "long"
	clouds := make(chan *Cloud, 2)
	parent := t
	t.Run("start", func(t *testing.T) {
		for _, o := range []Options{
			{choosePort: choose, Dir: parent.TempDir() + "/variant", Cluster: ClusterOptions{
				Name: name, KubernetesVersion: "1.31", AuthenticationMode: "CONFIG_MAP",
				WithoutNodeGroups: true, WithoutOIDCProvider: true,
			}},
			{Dir: parent.TempDir() + "/plain"},
		} {
			t.Run(o.Dir[strings.LastIndex(o.Dir, "/")+1:], func(t *testing.T) {
				t.Parallel()
				o.Log = t.Output()
				c, err := Start(parent.Context(), o)
				if err != nil {
					t.Fatal(err)
				}
				clouds <- c
			})
		}
	})
	close(clouds)
	var variant, plain *Cloud
	for c := range clouds {
		t.Cleanup(func() { _ = c.Stop() })
		if c.Facts().ClusterName == name {
			variant = c
		} else {
			plain = c
		}
	}
	if variant == nil || plain == nil {
		t.FailNow()
	}
	testVariant(t, variant)
	testCrash(t, plain)
	if err := variant.Err(); err != nil {
		t.Errorf("the crash of one cloud's part is the other's too: %v", err)
	}
	for _, c := range []*Cloud{plain, variant} {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
		requireGone(t, c.Dir(), c.state.ID)
	}
}

// testVariant looks at a cluster in CONFIG_MAP mode, without node groups and OIDC provider.
func testVariant(t *testing.T, c *Cloud) {
	facts := c.Facts()
	cluster := aws[object](t, c, "eks", "describe-cluster", "--name", facts.ClusterName)["cluster"].(object)
	mode := cluster["accessConfig"].(object)["authenticationMode"]
	if cluster["version"] != "1.31" || mode != "CONFIG_MAP" {
		t.Errorf("version %v, mode %v", cluster["version"], mode)
	}
	if len(facts.NodeGroups) > 0 || len(facts.Nodes) > 0 || facts.OIDCProviderARN != "" {
		t.Errorf("unexpected facts %+v", facts)
	}
	if status, err := whoAmI(t, c, token(t, c, facts.ClusterName)); err != nil {
		t.Errorf("the creator of a cluster without access entries is refused: %v", err)
	} else if !slices.Contains(status.Groups, "system:masters") {
		t.Errorf("the creator is in %v", status.Groups)
	}
	refused(t, c, "InvalidRequestException", "authentication mode must be set to one of [API, API_AND_CONFIG_MAP]",
		"eks", "create-access-entry", "--cluster-name", facts.ClusterName, "--principal-arn", facts.NodeRoleARN)
}

// testCrash kills a part and expects to hear of it.
func testCrash(t *testing.T, c *Cloud) {
	opened, err := Open(c.Dir())
	if err != nil {
		t.Fatal(err)
	}
	if err := c.partState(partScheduler).kill(); err != nil {
		t.Fatal(err)
	}
	for _, cloud := range []*Cloud{c, opened} {
		<-cloud.Done()
		var crash *CrashError
		if !errors.As(cloud.Err(), &crash) || crash.Part != partScheduler || !strings.Contains(crash.LogTail, "Serving securely") {
			t.Errorf("got %v, want the crash of the scheduler with its log", cloud.Err())
		}
		for _, part := range cloud.Status() {
			if want := part.Name == partScheduler; (part.State == StateCrashed) != want {
				t.Errorf("%s is %s", part.Name, part.State)
			}
		}
	}
	if !strings.Contains(c.Err().Error(), "signal: killed") {
		t.Errorf("%v does not say how the scheduler ended", c.Err())
	}
}
