package permissions

import (
	"maps"
	"net/http"
	"slices"
	"testing"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/policy"
	"github.com/valohai/pulumi-kubernetes-autoscaling/tests/localcloud"
)

// program is the controller in the folder of the programs.
const program = "karpenter"

// TestController leads the real controller through the lives of two nodes, and holds every call of
// AWS that it made against the documents of its role.
func TestController(t *testing.T) {
	cloud := startCloud(t)
	k := connect(t, cloud)
	k.installDefinitions(t)
	makeAWS(t, cloud)
	session := assumeRole(t, cloud)
	documents := attachedDocuments(t, cloud)

	live(t, cloud, k, session)

	calls, err := cloud.Calls(session.AccessKeyID)
	if err != nil {
		t.Fatal(err)
	}
	needs, gone, err := Needs(cloud.Facts().Account, calls)
	if err != nil {
		t.Fatal(err)
	}
	report(t, documents, calls, needs)
	t.Logf("came too late: %q", gone)
	t.Run("the local AWS answers", func(t *testing.T) { testAnswers(t, calls) })
	t.Run("all calls are allowed", func(t *testing.T) {
		for _, need := range denied(t, slices.Collect(maps.Values(documents)), needs) {
			t.Errorf("AWS would deny %s", need)
		}
	})
	t.Run("without a document", func(t *testing.T) { testWithoutDocument(t, documents, needs) })
	t.Run("of another cluster", func(t *testing.T) { testOtherCluster(t, cloud.Facts(), needs) })
	t.Run("without an action", func(t *testing.T) { testWithoutAction(t, documents, needs) })
}

// testAnswers finds calls that the local AWS broke down on: what the controller would have done after
// them is not seen.
func testAnswers(t *testing.T, calls []localcloud.Call) {
	for _, c := range calls {
		if c.Status >= http.StatusInternalServerError {
			t.Errorf("the local AWS lacks %s:%s, its answer was %d: mend it in tests/localcloud/aws", c.Service, c.Operation, c.Status)
		}
	}
}

// testWithoutDocument takes away one document after the other: each time the check must see it.
func testWithoutDocument(t *testing.T, documents map[string]policy.Document, needs []Need) {
	for name := range documents {
		less := maps.Clone(documents)
		delete(less, name)
		if len(denied(t, slices.Collect(maps.Values(less)), needs)) == 0 {
			t.Errorf("nothing is denied without the document %s", name)
		}
	}
}

// testOtherCluster asks the documents for another cluster of the same account: whoever has them may
// look, and change nothing of this cluster.
func testOtherCluster(t *testing.T, facts localcloud.Facts, needs []Need) {
	facts.ClusterName = "other"
	others := slices.Collect(maps.Values(controllerDocuments(t, facts)))
	want := []string{
		"ec2:CreateFleet", "ec2:CreateLaunchTemplate", "ec2:CreateTags", "ec2:DeleteLaunchTemplate", "ec2:RunInstances",
		"ec2:TerminateInstances", "eks:DescribeCluster", "iam:AddRoleToInstanceProfile", "iam:CreateInstanceProfile",
		"iam:DeleteInstanceProfile", "iam:RemoveRoleFromInstanceProfile", "iam:TagInstanceProfile",
	}
	if got := Exercised(denied(t, others, needs)); !slices.Equal(got, want) {
		t.Errorf("the documents of another cluster deny %v, want %v", got, want)
	}
}

// testWithoutAction takes away one action after the other, of those that the controller used: each
// time the check must see it, and nothing else.
func testWithoutAction(t *testing.T, documents map[string]policy.Document, needs []Need) {
	all := slices.Collect(maps.Values(documents))
	for _, action := range Exercised(needs) {
		missed := Exercised(denied(t, Without(all, action), needs))
		if !slices.Equal(missed, []string{action}) {
			t.Errorf("without %s are denied: %v", action, missed)
		}
	}
}

func denied(t *testing.T, documents []policy.Document, needs []Need) []Need {
	t.Helper()
	found, err := Denied(documents, needs)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// report says what the test has seen, and what the documents grant beyond that.
func report(t *testing.T, documents map[string]policy.Document, calls []localcloud.Call, needs []Need) {
	t.Helper()
	operations, failed := map[string]int{}, map[string]int{}
	for _, c := range calls {
		operations[c.Service+":"+c.Operation]++
		if c.Status >= 400 {
			failed[c.Service+":"+c.Operation]++
		}
	}
	exercised := Exercised(needs)
	unused := Granted(slices.Collect(maps.Values(documents)))
	unused = slices.DeleteFunc(unused, func(a string) bool { return slices.Contains(exercised, a) })
	t.Logf("%d calls of %d operations: %v", len(calls), len(operations), operations)
	t.Logf("answered with an error: %v", failed)
	t.Logf("AWS would authorise %d different requests for %d actions", len(needs), len(exercised))
	t.Logf("granted and never used here: %v", unused)
}
