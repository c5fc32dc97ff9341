package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/internal/golden"
	"github.com/valohai/pulumi-kubernetes-autoscaling/components/release"
)

// setup is one way to run the controller.
type setup struct {
	release   release.Release
	partition string
	identity  string
	queue     bool
}

// name is how the setup is called in golden files.
func (s setup) name() string {
	queue := "queue"
	if !s.queue {
		queue = "no-queue"
	}
	return strings.Join([]string{s.release.Version, s.partition, s.identity, queue}, " ")
}

// documents renders the trust and every permission of the setup for review.
func (s setup) documents(t *testing.T) string {
	t.Helper()
	in := input(s.partition, partitions[s.partition])
	sa := ServiceAccount{Namespace: "kube-system", Name: "karpenter"}
	host := "oidc.eks." + in.Region + ".amazonaws.com/id/0123456789ABCDEF0123456789ABCDEF"
	trust := IRSATrust("arn:"+in.Partition+":iam::"+in.Account+":oidc-provider/"+host, "https://"+host, sa)
	if s.identity == "pod-identity" {
		trust = PodIdentityTrust("arn:"+in.Partition+":eks:"+in.Region+":"+in.Account+":cluster/"+in.Cluster, sa)
	}
	all := indented(t, "Trust", trust)
	for _, g := range Groups(s.release, Features{InterruptionQueue: s.queue}) {
		all += indented(t, string(g), Controller(s.release, g, in))
	}
	return all
}

// setups are every release in every partition, with IRSA and Pod Identity, with
// and without the interruption queue.
func setups() []setup {
	var all []setup
	for _, r := range release.All() {
		for _, partition := range slices.Sorted(maps.Keys(partitions)) {
			for _, identity := range []string{"irsa", "pod-identity"} {
				for _, queue := range []bool{true, false} {
					all = append(all, setup{r, partition, identity, queue})
				}
			}
		}
	}
	return all
}

// Every setup has its line: size and hash of everything that it grants. The
// text of each release is in TestReleaseGolden's files, and that of each
// partition in TestPartitionGolden's.
func TestEverySetupGolden(t *testing.T) {
	var lines strings.Builder
	for _, s := range setups() {
		text := s.documents(t)
		sum := sha256.Sum256([]byte(text))
		fmt.Fprintf(&lines, "%-45s %6d %s\n", s.name(), len(text), hex.EncodeToString(sum[:])[:16])
	}
	golden.Check(t, "setups.txt", lines.String())
}

// The text of every release in the partition aws, with IRSA and a queue.
func TestReleaseGolden(t *testing.T) {
	for _, r := range release.All() {
		golden.Check(t, "release-"+r.Version+".txt", setup{r, "aws", "irsa", true}.documents(t))
	}
}

// The text of every partition at the newest release, with Pod Identity.
func TestPartitionGolden(t *testing.T) {
	for partition := range partitions {
		golden.Check(t, "partition-"+partition+".txt", setup{find(t, release.Newest), partition, "pod-identity", true}.documents(t))
	}
}

// The text of what is switched on beside the reference template.
func TestOptionGolden(t *testing.T) {
	r := find(t, release.Newest)
	in := input("aws", "eu-west-1")
	in.QueueKmsKeyArn = "arn:aws:kms:eu-west-1:111122223333:key/queue"
	in.VolumeKmsKeyArns = List{"arn:aws:kms:eu-west-1:111122223333:key/volumes"}
	in.Additional = []Statement{{Sid: "Mine", Effect: Allow, Action: List{"s3:GetObject"}, Resource: List{"arn:aws:s3:::mine/*"}}}
	in.NodeRoleArns = append(in.NodeRoleArns, "arn:aws:iam::111122223333:role/KarpenterWindowsNodeRole-ml-prod")
	in.GivesInstanceProfile = true
	all := ""
	for _, g := range []Group{IAMIntegration, Interruption, ZonalShift, VolumeEncryption, Additional} {
		all += indented(t, string(g), Controller(r, g, in))
	}
	golden.Check(t, "options.txt", all)
}
