package policy_test

import (
	"strings"
	"testing"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/policy"
	"github.com/valohai/pulumi-kubernetes-autoscaling/components/release"
	"github.com/valohai/pulumi-kubernetes-autoscaling/internal/authorize"
)

// Names of the requests: our cluster, and everything of others.
const (
	ourAccount  = "111122223333"
	ourCluster  = "ml-prod"
	ourNodeRole = "arn:aws:iam::111122223333:role/team/KarpenterNodeRole-ml-prod"
	ourQueue    = "arn:aws:sqs:eu-west-1:111122223333:Karpenter-ml-prod"
)

func ec2Arn(resource string) string { return "arn:aws:ec2:eu-west-1:111122223333:" + resource }

// tags is a context in which a request, a resource, or both carry tags.
type tags map[string]string

func (tg tags) context(prefix string) map[string][]string {
	context := map[string][]string{}
	for key, value := range tg {
		context[prefix+key] = []string{value}
	}
	return context
}

func requestTags(tg tags) map[string][]string  { return tg.context("aws:RequestTag/") }
func resourceTags(tg tags) map[string][]string { return tg.context("aws:ResourceTag/") }

// with joins contexts.
func with(contexts ...map[string][]string) map[string][]string {
	all := map[string][]string{}
	for _, c := range contexts {
		for key, values := range c {
			all[key] = values
		}
	}
	return all
}

func key(name string, values ...string) map[string][]string { return map[string][]string{name: values} }

// Tags as the controller sets them, and as another cluster's would.
var (
	owned   = tags{"kubernetes.io/cluster/ml-prod": "owned", "eks:eks-cluster-name": "ml-prod", "karpenter.sh/nodepool": "cpu"}
	foreign = tags{"kubernetes.io/cluster/other": "owned", "eks:eks-cluster-name": "other", "karpenter.sh/nodepool": "cpu"}
	pooled  = tags{"karpenter.sh/nodepool": "cpu"}
	mine    = tags{"kubernetes.io/cluster/ml-prod": "owned"}

	ownedProfile = tags{
		"kubernetes.io/cluster/ml-prod": "owned", "eks:eks-cluster-name": "ml-prod",
		"topology.kubernetes.io/region": "eu-west-1", "karpenter.k8s.aws/ec2nodeclass": "default",
	}
	foreignProfile = tags{
		"kubernetes.io/cluster/other": "owned", "eks:eks-cluster-name": "other",
		"topology.kubernetes.io/region": "eu-west-1", "karpenter.k8s.aws/ec2nodeclass": "default",
	}
	otherRegionProfile = tags{
		"kubernetes.io/cluster/ml-prod": "owned", "eks:eks-cluster-name": "ml-prod",
		"topology.kubernetes.io/region": "us-east-1", "karpenter.k8s.aws/ec2nodeclass": "default",
	}

	here     = key("aws:RequestedRegion", "eu-west-1")
	there    = key("aws:RequestedRegion", "us-east-1")
	toEC2    = key("iam:PassedToService", "ec2.amazonaws.com")
	toChina  = key("iam:PassedToService", "ec2.amazonaws.com.cn")
	toLambda = key("iam:PassedToService", "lambda.amazonaws.com")
)

// request is one line of the table.
type request struct {
	action, resource string
	context          map[string][]string
}

const ourKey, otherKey = "arn:aws:kms:eu-west-1:111122223333:key/ours", "arn:aws:kms:eu-west-1:111122223333:key/other"

// verdict says in which releases a request is allowed.
type verdict func(release.Release) bool

func always(release.Release) bool { return true }
func never(release.Release) bool  { return false }

const (
	profileArn = "arn:aws:iam::111122223333:instance-profile/p"
	clusterArn = "arn:aws:eks:eu-west-1:111122223333:cluster/ml-prod"
)

// requests are what the controller must be able to do, and what it, or whoever
// has its credentials, must not.
var requests = map[string]struct {
	request
	want verdict
}{
	// Launching.
	"launch an instance with the cluster's tags":  {request{"ec2:RunInstances", ec2Arn("instance/*"), requestTags(owned)}, always},
	"launch an instance without tags":             {request{"ec2:RunInstances", ec2Arn("instance/*"), nil}, never},
	"launch an instance with the tags of another": {request{"ec2:RunInstances", ec2Arn("instance/*"), requestTags(foreign)}, never},
	"launch an instance without a node pool":      {request{"ec2:RunInstances", ec2Arn("instance/*"), requestTags(mine)}, never},
	"launch an instance in another region":        {request{"ec2:RunInstances", "arn:aws:ec2:us-east-1:111122223333:instance/*", requestTags(owned)}, never},
	"launch into a subnet":                        {request{"ec2:RunInstances", ec2Arn("subnet/subnet-1"), nil}, always},
	"launch into a shared subnet":                 {request{"ec2:RunInstances", "arn:aws:ec2:eu-west-1:444455556666:subnet/subnet-1", nil}, always},
	"launch into a subnet of another region":      {request{"ec2:RunInstances", "arn:aws:ec2:us-east-1:111122223333:subnet/subnet-1", nil}, never},
	"launch with a security group":                {request{"ec2:CreateFleet", ec2Arn("security-group/sg-1"), nil}, always},
	"launch a public image":                       {request{"ec2:RunInstances", "arn:aws:ec2:eu-west-1::image/ami-1", nil}, always},
	"launch from a snapshot":                      {request{"ec2:CreateFleet", "arn:aws:ec2:eu-west-1::snapshot/snap-1", nil}, always},
	"make a volume with the cluster's tags":       {request{"ec2:RunInstances", ec2Arn("volume/*"), requestTags(owned)}, always},
	"make a volume without tags":                  {request{"ec2:RunInstances", ec2Arn("volume/*"), nil}, never},
	"make a network interface with the tags":      {request{"ec2:CreateFleet", ec2Arn("network-interface/*"), requestTags(owned)}, always},
	"make a fleet with the tags":                  {request{"ec2:CreateFleet", ec2Arn("fleet/*"), requestTags(owned)}, always},
	"make a fleet without tags":                   {request{"ec2:CreateFleet", ec2Arn("fleet/*"), nil}, never},
	"make a spot request with the tags":           {request{"ec2:RunInstances", ec2Arn("spot-instances-request/*"), requestTags(owned)}, always},
	"make a spot request without tags":            {request{"ec2:RunInstances", ec2Arn("spot-instances-request/*"), nil}, never},
	"make a launch template with the tags":        {request{"ec2:CreateLaunchTemplate", ec2Arn("launch-template/*"), requestTags(owned)}, always},
	"make a launch template without tags":         {request{"ec2:CreateLaunchTemplate", ec2Arn("launch-template/*"), nil}, never},
	"launch by its own launch template":           {request{"ec2:CreateFleet", ec2Arn("launch-template/lt-1"), resourceTags(owned)}, always},
	"launch by a launch template of another":      {request{"ec2:CreateFleet", ec2Arn("launch-template/lt-2"), resourceTags(foreign)}, not(scopesTemplates)},
	"launch into a capacity reservation":          {request{"ec2:RunInstances", ec2Arn("capacity-reservation/cr-1"), nil}, func(r release.Release) bool { return r.UsesCapacityReservations }},
	"launch into a placement group":               {request{"ec2:RunInstances", ec2Arn("placement-group/pg-1"), nil}, func(r release.Release) bool { return r.UsesPlacementGroups }},
	"launch with a key pair":                      {request{"ec2:RunInstances", ec2Arn("key-pair/k"), nil}, never},
	"start a stopped instance":                    {request{"ec2:StartInstances", ec2Arn("instance/i-1"), resourceTags(owned)}, never},
	"stop an instance":                            {request{"ec2:StopInstances", ec2Arn("instance/i-1"), resourceTags(owned)}, never},
	"change the attributes of an instance":        {request{"ec2:ModifyInstanceAttribute", ec2Arn("instance/i-1"), resourceTags(owned)}, never},
	"open a security group":                       {request{"ec2:AuthorizeSecurityGroupIngress", ec2Arn("security-group/sg-1"), nil}, never},
	"make a new version of a launch template":     {request{"ec2:CreateLaunchTemplateVersion", ec2Arn("launch-template/lt-1"), resourceTags(owned)}, never},

	// Ending.
	"terminate an own instance":                       {request{"ec2:TerminateInstances", ec2Arn("instance/i-1"), resourceTags(owned)}, always},
	"terminate an instance of another cluster":        {request{"ec2:TerminateInstances", ec2Arn("instance/i-2"), resourceTags(foreign)}, never},
	"terminate an instance with a node pool tag only": {request{"ec2:TerminateInstances", ec2Arn("instance/i-2"), resourceTags(pooled)}, never},
	"terminate a node of a managed node group":        {request{"ec2:TerminateInstances", ec2Arn("instance/i-3"), resourceTags(mine)}, never},
	"terminate an instance without tags":              {request{"ec2:TerminateInstances", ec2Arn("instance/i-4"), nil}, never},
	"terminate an own instance in another region":     {request{"ec2:TerminateInstances", "arn:aws:ec2:us-east-1:111122223333:instance/i-1", resourceTags(owned)}, never},
	"delete an own launch template":                   {request{"ec2:DeleteLaunchTemplate", ec2Arn("launch-template/lt-1"), resourceTags(owned)}, always},
	"delete a launch template of another":             {request{"ec2:DeleteLaunchTemplate", ec2Arn("launch-template/lt-2"), resourceTags(foreign)}, never},
	"delete a volume":                                 {request{"ec2:DeleteVolume", ec2Arn("volume/vol-1"), resourceTags(owned)}, never},
	"reboot an own instance":                          {request{"ec2:RebootInstances", ec2Arn("instance/i-1"), resourceTags(owned)}, func(r release.Release) bool { return r.RebootsInstances }},
	"reboot an instance of another":                   {request{"ec2:RebootInstances", ec2Arn("instance/i-2"), resourceTags(foreign)}, never},

	// Tagging.
	"tag what it launches":                 {request{"ec2:CreateTags", ec2Arn("instance/*"), with(requestTags(owned), key("ec2:CreateAction", "RunInstances"))}, always},
	"tag a volume that it launches":        {request{"ec2:CreateTags", ec2Arn("volume/*"), with(requestTags(owned), key("ec2:CreateAction", "CreateFleet"))}, always},
	"tag what others launch":               {request{"ec2:CreateTags", ec2Arn("instance/*"), with(requestTags(foreign), key("ec2:CreateAction", "RunInstances"))}, never},
	"tag a volume that exists":             {request{"ec2:CreateTags", ec2Arn("volume/vol-1"), requestTags(owned)}, never},
	"name an own node":                     {request{"ec2:CreateTags", ec2Arn("instance/i-1"), with(resourceTags(owned), requestTags(tags{"Name": "n"}), key("aws:TagKeys", "Name"))}, always},
	"set another tag on an own node":       {request{"ec2:CreateTags", ec2Arn("instance/i-1"), with(resourceTags(owned), requestTags(tags{"team": "x"}), key("aws:TagKeys", "team"))}, never},
	"name a node of another cluster":       {request{"ec2:CreateTags", ec2Arn("instance/i-2"), with(resourceTags(foreign), requestTags(tags{"Name": "n"}), key("aws:TagKeys", "Name"))}, never},
	"claim a foreign instance by its tags": {request{"ec2:CreateTags", ec2Arn("instance/i-2"), with(resourceTags(foreign), requestTags(owned), key("aws:TagKeys", "kubernetes.io/cluster/ml-prod"))}, never},
	"tag a subnet":                         {request{"ec2:CreateTags", ec2Arn("subnet/subnet-1"), requestTags(owned)}, never},
	"tag a security group":                 {request{"ec2:CreateTags", ec2Arn("security-group/sg-1"), requestTags(owned)}, never},
	"remove tags":                          {request{"ec2:DeleteTags", ec2Arn("instance/i-1"), resourceTags(owned)}, never},

	// Roles and instance profiles.
	"pass the node role to EC2":                      {request{"iam:PassRole", ourNodeRole, toEC2}, always},
	"pass the node role to EC2 by its name in China": {request{"iam:PassRole", ourNodeRole, toChina}, always},
	"pass the node role to another service":          {request{"iam:PassRole", ourNodeRole, toLambda}, never},
	"pass the node role without a service":           {request{"iam:PassRole", ourNodeRole, nil}, never},
	"pass another role":                              {request{"iam:PassRole", "arn:aws:iam::111122223333:role/admin", toEC2}, never},
	"pass a role of the same name without the path":  {request{"iam:PassRole", "arn:aws:iam::111122223333:role/KarpenterNodeRole-ml-prod", toEC2}, never},
	"make an instance profile with the tags":         {request{"iam:CreateInstanceProfile", profileArn, requestTags(ownedProfile)}, always},
	"make an instance profile without tags":          {request{"iam:CreateInstanceProfile", profileArn, nil}, never},
	"make an instance profile for another cluster":   {request{"iam:CreateInstanceProfile", profileArn, requestTags(foreignProfile)}, never},
	"make an instance profile for another region":    {request{"iam:CreateInstanceProfile", profileArn, requestTags(otherRegionProfile)}, never},
	"put the role into an own profile":               {request{"iam:AddRoleToInstanceProfile", profileArn, resourceTags(ownedProfile)}, always},
	"put a role into the profile of another":         {request{"iam:AddRoleToInstanceProfile", profileArn, resourceTags(foreignProfile)}, never},
	"put a role into a profile of nobody":            {request{"iam:AddRoleToInstanceProfile", profileArn, nil}, never},
	"take the role out of an own profile":            {request{"iam:RemoveRoleFromInstanceProfile", profileArn, resourceTags(ownedProfile)}, always},
	"take a role out of the profile of another":      {request{"iam:RemoveRoleFromInstanceProfile", profileArn, resourceTags(foreignProfile)}, never},
	"delete an own profile":                          {request{"iam:DeleteInstanceProfile", profileArn, resourceTags(ownedProfile)}, always},
	"delete the profile of another":                  {request{"iam:DeleteInstanceProfile", profileArn, resourceTags(foreignProfile)}, never},
	"tag an own profile as its own":                  {request{"iam:TagInstanceProfile", profileArn, with(resourceTags(ownedProfile), requestTags(ownedProfile))}, always},
	"claim the profile of another by its tags":       {request{"iam:TagInstanceProfile", profileArn, with(resourceTags(foreignProfile), requestTags(ownedProfile))}, never},
	"read a profile":                                 {request{"iam:GetInstanceProfile", profileArn, nil}, always},
	"list profiles":                                  {request{"iam:ListInstanceProfiles", "arn:aws:iam::111122223333:instance-profile/", nil}, func(r release.Release) bool { return r.ListsInstanceProfiles }},
	"make a role":                                    {request{"iam:CreateRole", "arn:aws:iam::111122223333:role/new", nil}, never},
	"attach a policy":                                {request{"iam:AttachRolePolicy", ourNodeRole, nil}, never},
	"change the trust of the node role":              {request{"iam:UpdateAssumeRolePolicy", ourNodeRole, nil}, never},
	"become another role":                            {request{"sts:AssumeRole", "arn:aws:iam::111122223333:role/admin", nil}, never},

	// The cluster and the queue.
	"read its own cluster":                   {request{"eks:DescribeCluster", clusterArn, nil}, always},
	"read another cluster":                   {request{"eks:DescribeCluster", "arn:aws:eks:eu-west-1:111122223333:cluster/other", nil}, never},
	"read a cluster whose name starts alike": {request{"eks:DescribeCluster", clusterArn + "-2", nil}, never},
	"delete its own cluster":                 {request{"eks:DeleteCluster", clusterArn, nil}, never},
	"let somebody into the cluster":          {request{"eks:CreateAccessEntry", clusterArn, nil}, never},
	"read its queue":                         {request{"sqs:ReceiveMessage", ourQueue, nil}, always},
	"delete a message of its queue":          {request{"sqs:DeleteMessage", ourQueue, nil}, always},
	"find its queue":                         {request{"sqs:GetQueueUrl", ourQueue, nil}, always},
	"read another queue":                     {request{"sqs:ReceiveMessage", "arn:aws:sqs:eu-west-1:111122223333:other", nil}, never},
	"read a queue whose name starts alike":   {request{"sqs:ReceiveMessage", ourQueue + "-2", nil}, never},
	"send to its queue":                      {request{"sqs:SendMessage", ourQueue, nil}, never},
	"purge its queue":                        {request{"sqs:PurgeQueue", ourQueue, nil}, never},
	"delete its queue":                       {request{"sqs:DeleteQueue", ourQueue, nil}, never},

	// Reading.
	"describe instances":                         {request{"ec2:DescribeInstances", "*", here}, always},
	"describe instances of another region":       {request{"ec2:DescribeInstances", "*", there}, never},
	"describe subnets":                           {request{"ec2:DescribeSubnets", "*", here}, always},
	"describe spot prices":                       {request{"ec2:DescribeSpotPriceHistory", "*", here}, always},
	"describe zones":                             {request{"ec2:DescribeAvailabilityZones", "*", here}, func(r release.Release) bool { return r.DescribesZones }},
	"describe the status of instances":           {request{"ec2:DescribeInstanceStatus", "*", here}, func(r release.Release) bool { return r.DescribesInstanceStatus }},
	"describe capacity reservations":             {request{"ec2:DescribeCapacityReservations", "*", here}, func(r release.Release) bool { return r.UsesCapacityReservations }},
	"describe placement groups":                  {request{"ec2:DescribePlacementGroups", "*", here}, func(r release.Release) bool { return r.UsesPlacementGroups }},
	"describe volumes":                           {request{"ec2:DescribeVolumes", "*", here}, never},
	"read user data":                             {request{"ec2:DescribeInstanceAttribute", ec2Arn("instance/i-1"), here}, never},
	"read a public parameter":                    {request{"ssm:GetParameter", "arn:aws:ssm:eu-west-1::parameter/aws/service/eks/x", nil}, always},
	"read a parameter of the account":            {request{"ssm:GetParameter", "arn:aws:ssm:eu-west-1:111122223333:parameter/password", nil}, never},
	"read prices":                                {request{"pricing:GetProducts", "*", nil}, always},
	"read a zonal shift that is not switched on": {request{"arc-zonal-shift:GetManagedResource", "*", key("arc-zonal-shift:ResourceIdentifier", clusterArn)}, never},
	"use a key":                                  {request{"kms:Decrypt", "arn:aws:kms:eu-west-1:111122223333:key/k", nil}, never},
	"read an object":                             {request{"s3:GetObject", "arn:aws:s3:::bucket/object", nil}, never},
}

// allowed evaluates one request.
func allowed(t *testing.T, documents []policy.Document, r request) bool {
	t.Helper()
	ok, err := authorize.Allowed(documents, authorize.Request{Action: r.action, Resource: r.resource, Context: r.context})
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

func scopesTemplates(r release.Release) bool { return r.ScopesLaunchTemplates }

func not(v verdict) verdict { return func(r release.Release) bool { return !v(r) } }

// TestRequests evaluates every request against the documents of every release.
func TestRequests(t *testing.T) {
	in := policy.ControllerInput{
		Partition: "aws", Region: "eu-west-1", Account: ourAccount, Cluster: ourCluster, NodeRoleArns: policy.List{ourNodeRole}, QueueArn: ourQueue,
	}
	for _, r := range release.All() {
		var documents []policy.Document
		for _, g := range policy.Groups(r, policy.Features{InterruptionQueue: true}) {
			documents = append(documents, policy.Controller(r, g, in))
		}
		for name, c := range requests {
			if got, want := allowed(t, documents, c.request), c.want(r); got != want {
				t.Errorf("karpenter %s: %s: allowed is %v, should be %v", r.Version, name, got, want)
			}
		}
	}
}

// Without a queue nobody may read one; a zonal shift is read only if it is
// switched on, and only of the own cluster.
func TestFeatures(t *testing.T) {
	in := policy.ControllerInput{Partition: "aws", Region: "eu-west-1", Account: ourAccount, Cluster: ourCluster, NodeRoleArns: policy.List{ourNodeRole}, QueueArn: ourQueue}
	for _, r := range release.All() {
		var without, with []policy.Document
		for _, g := range policy.Groups(r, policy.Features{}) {
			without = append(without, policy.Controller(r, g, in))
		}
		for _, g := range policy.Groups(r, policy.Features{ZonalShift: true}) {
			with = append(with, policy.Controller(r, g, in))
		}
		if allowed(t, without, request{"sqs:ReceiveMessage", ourQueue, nil}) {
			t.Errorf("karpenter %s reads a queue that it has not", r.Version)
		}
		shift := func(cluster string) request {
			return request{"arc-zonal-shift:GetManagedResource", "*", key("arc-zonal-shift:ResourceIdentifier", cluster)}
		}
		if got := allowed(t, with, shift(clusterArn)); got != r.SupportsZonalShift {
			t.Errorf("karpenter %s reads the shift of its cluster: %v", r.Version, got)
		}
		if allowed(t, with, shift(clusterArn+"-2")) {
			t.Errorf("karpenter %s reads the shift of another cluster", r.Version)
		}
	}
}

// What a user switches on beside the reference template is as narrow as it.
func TestOptions(t *testing.T) {
	viaEC2, viaSQS := key("kms:ViaService", "ec2.eu-west-1.amazonaws.com"), key("kms:ViaService", "sqs.eu-west-1.amazonaws.com")
	forAWS := key("kms:GrantIsForAWSResource", "true")
	windowsRole := "arn:aws:iam::111122223333:role/KarpenterWindowsNodeRole-ml-prod"
	in := policy.ControllerInput{
		Partition: "aws-us-gov", Region: "eu-west-1", Account: ourAccount, Cluster: ourCluster, NodeRoleArns: policy.List{ourNodeRole, windowsRole},
		GivesInstanceProfile: true, QueueArn: ourQueue, QueueKmsKeyArn: ourKey, VolumeKmsKeyArns: policy.List{ourKey},
		Additional: []policy.Statement{{Effect: policy.Allow, Action: policy.List{"s3:GetObject"}, Resource: policy.List{"arn:aws:s3:::mine/*"}}},
	}
	own := "arn:aws-us-gov:iam::111122223333:instance-profile/p"
	for name, c := range map[string]struct {
		request
		want bool
	}{
		"encrypt a volume":                         {request{"kms:GenerateDataKeyWithoutPlaintext", ourKey, viaEC2}, true},
		"encrypt a volume with another key":        {request{"kms:GenerateDataKeyWithoutPlaintext", otherKey, viaEC2}, false},
		"use the key without EC2":                  {request{"kms:Decrypt", ourKey, nil}, false},
		"use the key through EC2 in China's words": {request{"kms:Decrypt", ourKey, key("kms:ViaService", "ec2.eu-west-1.amazonaws.com.cn")}, true},
		"use the key through another service":      {request{"kms:Decrypt", ourKey, key("kms:ViaService", "s3.eu-west-1.amazonaws.com")}, false},
		"grant the key to EC2":                     {request{"kms:CreateGrant", ourKey, with(viaEC2, forAWS)}, true},
		"grant the key to somebody":                {request{"kms:CreateGrant", ourKey, viaEC2}, false},
		"read messages of an encrypted queue":      {request{"kms:Decrypt", ourKey, viaSQS}, true},
		"write messages with the key":              {request{"kms:GenerateDataKey", ourKey, viaSQS}, false},
		"read prices where nobody sells them":      {request{"pricing:GetProducts", "*", nil}, false},
		"make a profile beside the given one":      {request{"iam:CreateInstanceProfile", own, requestTags(ownedProfile)}, false},
		"put a role into a profile":                {request{"iam:AddRoleToInstanceProfile", own, resourceTags(ownedProfile)}, false},
		"delete an own profile of earlier":         {request{"iam:DeleteInstanceProfile", own, resourceTags(ownedProfile)}, true},
		"pass the role of the Windows nodes":       {request{"iam:PassRole", windowsRole, toEC2}, true},
		"do what the user adds":                    {request{"s3:GetObject", "arn:aws:s3:::mine/a", nil}, true},
		"do what the user does not add":            {request{"s3:GetObject", "arn:aws:s3:::other/a", nil}, false},
	} {
		for _, r := range release.All() {
			if !r.TagsClusterName && strings.Contains(name, "profile") {
				continue // bound by tags only, see TestNoWildcards
			}
			var documents []policy.Document
			for _, g := range policy.Groups(r, policy.Features{InterruptionQueue: true, VolumeEncryption: true, Additional: true}) {
				documents = append(documents, policy.Controller(r, g, in))
			}
			if got := allowed(t, documents, c.request); got != c.want {
				t.Errorf("karpenter %s: %s: allowed is %v", r.Version, name, got)
			}
		}
	}
}

// Nobody but the controller's service account becomes the controller role,
// nobody but EC2 the node role, and nobody but EventBridge writes to the queue.
func TestWhoMay(t *testing.T) {
	sa := policy.ServiceAccount{Namespace: "kube-system", Name: "karpenter"}
	const provider, host = "arn:aws:iam::111122223333:oidc-provider/oidc.example/id/A", "oidc.example/id/A"
	irsa := policy.IRSATrust(provider, "https://"+host, sa)
	podIdentity := policy.PodIdentityTrust(clusterArn, sa)
	web := func(sub, aud string) map[string][]string { return with(key(host+":sub", sub), key(host+":aud", aud)) }
	session := func(account, cluster, namespace, name string) map[string][]string {
		return with(key("aws:SourceAccount", account), key("aws:RequestTag/eks-cluster-arn", cluster),
			key("aws:RequestTag/kubernetes-namespace", namespace), key("aws:RequestTag/kubernetes-service-account", name))
	}
	const eks, events = "pods.eks.amazonaws.com", "events.amazonaws.com"
	plain, tls := key("aws:SecureTransport", "false"), key("aws:SecureTransport", "true")
	for name, c := range map[string]struct {
		document  policy.Document
		principal string
		action    string
		context   map[string][]string
		want      bool
	}{
		"the controller by IRSA":              {irsa, provider, "sts:AssumeRoleWithWebIdentity", web("system:serviceaccount:kube-system:karpenter", "sts.amazonaws.com"), true},
		"another service account":             {irsa, provider, "sts:AssumeRoleWithWebIdentity", web("system:serviceaccount:kube-system:default", "sts.amazonaws.com"), false},
		"another namespace":                   {irsa, provider, "sts:AssumeRoleWithWebIdentity", web("system:serviceaccount:jobs:karpenter", "sts.amazonaws.com"), false},
		"another audience":                    {irsa, provider, "sts:AssumeRoleWithWebIdentity", web("system:serviceaccount:kube-system:karpenter", "other"), false},
		"another cluster's provider":          {irsa, provider + "2", "sts:AssumeRoleWithWebIdentity", web("system:serviceaccount:kube-system:karpenter", "sts.amazonaws.com"), false},
		"Pod Identity with IRSA":              {irsa, eks, "sts:AssumeRole", session(ourAccount, clusterArn, "kube-system", "karpenter"), false},
		"the controller by Pod Identity":      {podIdentity, eks, "sts:AssumeRole", session(ourAccount, clusterArn, "kube-system", "karpenter"), true},
		"its session's tags":                  {podIdentity, eks, "sts:TagSession", session(ourAccount, clusterArn, "kube-system", "karpenter"), true},
		"another account's association":       {podIdentity, eks, "sts:AssumeRole", session("444455556666", clusterArn, "kube-system", "karpenter"), false},
		"another cluster's association":       {podIdentity, eks, "sts:AssumeRole", session(ourAccount, clusterArn+"-2", "kube-system", "karpenter"), false},
		"another service account's":           {podIdentity, eks, "sts:AssumeRole", session(ourAccount, clusterArn, "kube-system", "default"), false},
		"another namespace's":                 {podIdentity, eks, "sts:AssumeRole", session(ourAccount, clusterArn, "jobs", "karpenter"), false},
		"a session without tags":              {podIdentity, eks, "sts:AssumeRole", key("aws:SourceAccount", ourAccount), false},
		"EC2 as the controller":               {podIdentity, "ec2.amazonaws.com", "sts:AssumeRole", nil, false},
		"EC2 as a node":                       {policy.NodeTrust("aws"), "ec2.amazonaws.com", "sts:AssumeRole", nil, true},
		"EC2 of China as a node":              {policy.NodeTrust("aws-cn"), "ec2.amazonaws.com.cn", "sts:AssumeRole", nil, true},
		"a function as a node":                {policy.NodeTrust("aws"), "lambda.amazonaws.com", "sts:AssumeRole", nil, false},
		"an event to the queue":               {policy.InterruptionQueue(ourQueue), events, "sqs:SendMessage", tls, true},
		"an event in the clear":               {policy.InterruptionQueue(ourQueue), events, "sqs:SendMessage", plain, false},
		"a message of another service":        {policy.InterruptionQueue(ourQueue), "s3.amazonaws.com", "sqs:SendMessage", tls, false},
		"EventBridge reads the queue":         {policy.InterruptionQueue(ourQueue), events, "sqs:ReceiveMessage", tls, false},
		"EventBridge uses the queue's key":    {policy.InterruptionQueueKey(), events, "kms:GenerateDataKey", nil, true},
		"another service uses the key":        {policy.InterruptionQueueKey(), "s3.amazonaws.com", "kms:GenerateDataKey", nil, false},
		"EventBridge gives the key to others": {policy.InterruptionQueueKey(), events, "kms:CreateGrant", nil, false},
	} {
		got, err := authorize.Allowed([]policy.Document{c.document},
			authorize.Request{Principal: c.principal, Action: c.action, Resource: ourQueue, Context: c.context})
		if err != nil || got != c.want {
			t.Errorf("%s: allowed is %v, %v", name, got, err)
		}
	}
}
