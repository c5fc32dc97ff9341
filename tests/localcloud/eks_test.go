package localcloud

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// token is what `aws eks get-token` gives.
func token(t *testing.T, c *Cloud, cluster string) string {
	t.Helper()
	answer := aws[object](t, c, "eks", "get-token", "--cluster-name", cluster)
	return answer["status"].(object)["token"].(string)
}

// whoAmI asks the API server who has a token.
func whoAmI(t *testing.T, c *Cloud, token string) (authenticationv1.UserInfo, error) {
	t.Helper()
	config, err := c.RESTConfig()
	if err != nil {
		t.Fatal(err)
	}
	config = rest.AnonymousClientConfig(config)
	config.BearerToken = token
	client := kubernetes.NewForConfigOrDie(config)
	review, err := client.AuthenticationV1().SelfSubjectReviews().Create(
		t.Context(), &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil {
		return authenticationv1.UserInfo{}, err
	}
	return review.Status.UserInfo, nil
}

// withKeys is the cloud as somebody else uses it.
func withKeys(c *Cloud, keys credentials) *Cloud {
	other := newCloud(c.dir, c.state)
	other.state.Credentials = keys
	return other
}

func testTokens(t *testing.T, c *Cloud) {
	output, err := c.AWS(t.Context(), "eks", "get-token", "--cluster-name", "ml-prod")
	if err != nil {
		t.Fatal(err)
	}
	var answer struct{ Status struct{ Token string } }
	if err := json.Unmarshal(output, &answer); err != nil {
		t.Fatal(err)
	}
	good := answer.Status.Token
	user, err := whoAmI(t, c, good)
	if err != nil || user.Username != "arn:aws:iam::"+c.Facts().Account+":user/local-admin" {
		t.Errorf("the creator's token makes %+v (%v)", user, err)
	}
	stranger := aws[object](t, c, "iam", "create-user", "--user-name", "stranger")["User"].(object)
	key := aws[object](t, c, "iam", "create-access-key", "--user-name", "stranger")["AccessKey"].(object)
	known := credentials{key["AccessKeyId"].(string), key["SecretAccessKey"].(string)}
	mine := c.state.Credentials
	for what, bad := range map[string]string{
		"an unknown key":        token(t, withKeys(c, credentials{"AKIAUNKNOWNUNKNOWN00", "x"}), "ml-prod"),
		"a wrong secret":        token(t, withKeys(c, credentials{mine.AccessKeyID, "x"}), "ml-prod"),
		"another cluster":       token(t, c, "elsewhere"),
		"nobody's entry":        token(t, withKeys(c, known), "ml-prod"),
		"a token of no kind":    "abc",
		"a token without a URL": "k8s-aws-v1.YWJj",
	} {
		if user, err := whoAmI(t, c, bad); !apierrors.IsUnauthorized(err) {
			t.Errorf("%s: got %+v (%v), want a refusal", what, user, err)
		}
	}
	entry := []string{"--cluster-name", "ml-prod", "--principal-arn", stranger["Arn"].(string)}
	aws[any](t, c, append([]string{"eks", "create-access-entry", "--kubernetes-groups", "viewers"}, entry...)...)
	eventually(t, "the stranger is let in", func() bool {
		user, err := whoAmI(t, c, token(t, withKeys(c, known), "ml-prod"))
		return err == nil && strings.Join(user.Groups, " ") == "viewers system:authenticated"
	})
	aws[any](t, c, append([]string{"eks", "delete-access-entry"}, entry...)...)
	_, err = c.AWS(t.Context(), "sqs", "get-queue-url", "--queue-name", "none") // not at the real SQS
	var refusal *AWSError
	if !errors.As(err, &refusal) || !strings.Contains(refusal.Message, "NonExistentQueue") {
		t.Errorf("got %v, want a refusal of the local SQS", err)
	}
	testUpdateKubeconfig(t, c)
}

// testUpdateKubeconfig uses the API server as users of EKS do: kubeconfig and token by the CLI.
func testUpdateKubeconfig(t *testing.T, c *Cloud) {
	path := t.TempDir() + "/kubeconfig"
	if _, err := c.AWS(t.Context(), "eks", "update-kubeconfig", "--name", "ml-prod", "--kubeconfig", path); err != nil {
		t.Fatal(err)
	}
	for _, variable := range c.Env() { // the plugin inherits the environment
		name, value, _ := strings.Cut(variable, "=")
		t.Setenv(name, value)
	}
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		t.Fatal(err)
	}
	nodes, err := kubernetes.NewForConfigOrDie(config).CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	if err != nil || len(nodes.Items) != 4 {
		t.Errorf("got %v (%v), want four nodes", nodes, err)
	}
}

func testAccessEntries(t *testing.T, c *Cloud) {
	facts := c.Facts()
	call := func(name, principal string, args ...string) []string {
		return append([]string{"eks", name, "--cluster-name", "ml-prod", "--principal-arn", principal}, args...)
	}
	entry := func(answer object) object { return answer["accessEntry"].(object) }

	node := entry(aws[object](t, c, call("describe-access-entry", facts.NodeRoleARN)...))
	if node["type"] != "EC2_LINUX" || node["username"] != "system:node:{{EC2PrivateDNSName}}" {
		t.Errorf("the entry of the node groups' role is %v", node)
	}
	refused(t, c, "ResourceInUseException", "The specified access entry resource is already in use on this cluster.",
		call("create-access-entry", facts.NodeRoleARN, "--type", "EC2_LINUX")...)
	refused(t, c, "InvalidParameterException", "invalid principal", call("create-access-entry", facts.NodeRoleARN+"-none")...)
	refused(t, c, "InvalidParameterException", "EC2_LINUX",
		call("create-access-entry", facts.OldNodeRoleARN, "--type", "EC2_LINUX", "--kubernetes-groups", "a")...)
	refused(t, c, "InvalidParameterException", "EC2_LINUX",
		call("create-access-entry", facts.OldNodeRoleARN, "--type", "EC2_LINUX", "--username", "a")...)
	refused(t, c, "InvalidParameterException", "cannot start with system:",
		call("create-access-entry", facts.OldNodeRoleARN, "--kubernetes-groups", "system:masters")...)
	refused(t, c, "ResourceNotFoundException", "could not be found", call("describe-access-entry", facts.OldNodeRoleARN)...)

	made := entry(aws[object](t, c, call("create-access-entry", facts.AdminRoleARN, "--kubernetes-groups", "ops")...))
	session := "arn:aws:sts::" + facts.Account + ":assumed-role/ml-prod-admin/{{SessionName}}"
	if made["type"] != "STANDARD" || made["username"] != session {
		t.Errorf("the entry of the admin role is %v", made)
	}
	const policy = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy"
	aws[any](t, c, call("associate-access-policy", facts.AdminRoleARN, "--policy-arn", policy, "--access-scope", "type=cluster")...)
	listed := aws[object](t, c, call("list-associated-access-policies", facts.AdminRoleARN)...)
	if policies := listed["associatedAccessPolicies"].([]any); len(policies) != 1 {
		t.Errorf("associated policies: %v", policies)
	}
	assumed := aws[object](t, c, "sts", "assume-role", "--role-arn", facts.AdminRoleARN, "--role-session-name", "me")
	keys := assumed["Credentials"].(object)
	admin := withKeys(c, credentials{keys["AccessKeyId"].(string), keys["SecretAccessKey"].(string)})
	user, err := whoAmI(t, c, token(t, admin, "ml-prod"))
	if err != nil || user.Username != strings.Replace(session, "{{SessionName}}", "me", 1) || user.Groups[1] != "system:masters" {
		t.Errorf("the admin role's token makes %+v (%v)", user, err)
	}
	refused(t, c, "InvalidRequestException", "STANDARD",
		call("associate-access-policy", facts.NodeRoleARN, "--policy-arn", policy, "--access-scope", "type=cluster")...)
	aws[any](t, c, call("disassociate-access-policy", facts.AdminRoleARN, "--policy-arn", policy)...)
	aws[any](t, c, call("delete-access-entry", facts.AdminRoleARN)...)
	refused(t, c, "ResourceNotFoundException", "could not be found", call("delete-access-entry", facts.AdminRoleARN)...)
}

// testAuthenticationMode adds a cluster in CONFIG_MAP mode to the running cloud and moves it on.
func testAuthenticationMode(t *testing.T, c *Cloud) {
	facts, err := c.AddCluster(t.Context(), ClusterOptions{Name: "second", AuthenticationMode: "CONFIG_MAP"})
	if err != nil {
		t.Fatal(err)
	}
	update := func(mode string) []string {
		return []string{"eks", "update-cluster-config", "--name", "second", "--access-config", "authenticationMode=" + mode}
	}
	create := []string{"eks", "create-access-entry", "--cluster-name", "second", "--principal-arn", facts.AdminRoleARN}
	refused(t, c, "InvalidRequestException", "must be set to one of [API, API_AND_CONFIG_MAP]", create...)
	refused(t, c, "InvalidParameterException", "from CONFIG_MAP to API", update("API")...)
	aws[any](t, c, update("API_AND_CONFIG_MAP")...)
	aws[any](t, c, create...)
	refused(t, c, "InvalidParameterException", "from API_AND_CONFIG_MAP to CONFIG_MAP", update("CONFIG_MAP")...)
	done := aws[object](t, c, update("API")...)["update"].(object)
	found := aws[object](t, c, "eks", "describe-update", "--name", "second", "--update-id", done["id"].(string))
	if status := found["update"].(object)["status"]; status != "Successful" {
		t.Errorf("the update is %v", status)
	}
	network := aws[object](t, c, "eks", "describe-cluster", "--name", "second")["cluster"].(object)["resourcesVpcConfig"].(object)
	if network["vpcId"] != facts.VPC {
		t.Errorf("the updates have changed the VPC: %v", network)
	}
	if _, err := c.AddCluster(t.Context(), ClusterOptions{Name: "second"}); err == nil {
		t.Error("a second cluster of the same name was made")
	}
}

func testPodIdentity(t *testing.T, c *Cloud) {
	facts := c.Facts()
	create := []string{
		"eks", "create-pod-identity-association", "--cluster-name", "ml-prod", "--namespace", "kube-system",
		"--service-account", "karpenter", "--role-arn",
	}
	refused(t, c, "InvalidParameterException", "does not exist", append(create, facts.AdminRoleARN+"-none")...)
	made := aws[object](t, c, append(create, facts.AdminRoleARN)...)["association"].(object)
	refused(t, c, "ResourceInUseException", "Association already exists", append(create, facts.AdminRoleARN)...)
	one := []string{"--cluster-name", "ml-prod", "--association-id", made["associationId"].(string)}
	aws[any](t, c, append([]string{"eks", "describe-pod-identity-association"}, one...)...)
	aws[any](t, c, append([]string{"eks", "delete-pod-identity-association"}, one...)...)
	refused(t, c, "ResourceNotFoundException", "", append([]string{"eks", "delete-pod-identity-association"}, one...)...)

	addon := []string{"--cluster-name", "ml-prod", "--addon-name", "eks-pod-identity-agent"}
	refused(t, c, "ResourceNotFoundException", "No addon", append([]string{"eks", "describe-addon"}, addon...)...)
	aws[any](t, c, append([]string{"eks", "create-addon"}, addon...)...)
	if found := aws[object](t, c, append([]string{"eks", "describe-addon"}, addon...)...); found["addon"].(object)["status"] != "ACTIVE" {
		t.Errorf("the add-on is %v", found)
	}
	aws[any](t, c, append([]string{"eks", "delete-addon"}, addon...)...)
}
