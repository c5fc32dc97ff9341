// Package names makes the names of AWS resources from the name of a cluster.
//
// An EKS cluster's name has up to 100 characters, and most AWS names may have
// fewer. A name that would be too long keeps as much of the cluster's name as
// fits and ends it with a hash of the whole, so that it is the same at every
// run and differs between two clusters that share a long prefix.
//
// The package is pure: it imports nothing of Pulumi.
package names

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
)

// Limits of AWS, in characters.
// Sources: the API references of IAM, SQS and EventBridge.
const (
	maxRole    = 64
	maxProfile = 128
	maxPolicy  = 128
	maxQueue   = 80
	maxRule    = 64
)

// DefaultPrefix starts every name.
const DefaultPrefix = "Karpenter"

// maxPrefix leaves room for a part of the cluster's name in the shortest name.
const maxPrefix = 20

// Names makes the names for one cluster.
type Names struct {
	prefix, cluster string
}

// For returns the names of what belongs to a cluster. The empty prefix is
// DefaultPrefix.
func For(prefix, cluster string) Names {
	if prefix == "" {
		prefix = DefaultPrefix
	}
	return Names{prefix: prefix, cluster: cluster}
}

// NodeRole is the role of the nodes that Karpenter makes.
func (n Names) NodeRole() string { return n.bounded("NodeRole-", "", maxRole) }

// WindowsNodeRole is the role of the Windows nodes that Karpenter makes.
func (n Names) WindowsNodeRole() string { return n.bounded("WindowsNodeRole-", "", maxRole) }

// ControllerRole is the role of the Karpenter controller.
func (n Names) ControllerRole() string { return n.bounded("ControllerRole-", "", maxRole) }

// InstanceProfile is the instance profile of a role of nodes, by what the role
// is for: "Node", "WindowsNode".
func (n Names) InstanceProfile(role string) string {
	return n.bounded(role+"InstanceProfile-", "", maxProfile)
}

// ControllerPolicy is one of the controller role's managed policies, by group:
// "NodeLifecycle".
func (n Names) ControllerPolicy(group string) string {
	return n.bounded("Controller"+group+"Policy-", "", maxPolicy)
}

// NodePolicy is a managed policy of the node role, by what it is for: "IPv6CNI".
func (n Names) NodePolicy(purpose string) string {
	return n.bounded("Node"+purpose+"Policy-", "", maxPolicy)
}

// Queue is the interruption queue.
func (n Names) Queue() string { return n.bounded("-", "", maxQueue) }

// Rule is an EventBridge rule that feeds the interruption queue, by its event.
func (n Names) Rule(event string) string { return n.bounded("-", "-"+event, maxRule) }

// Forms of IAM.
var (
	roleForm    = regexp.MustCompile(fmt.Sprintf(`^[\w+=,.@-]{1,%d}$`, maxRole))
	pathForm    = regexp.MustCompile(`^/([!-~]+/)*$`)
	roleArnForm = regexp.MustCompile(fmt.Sprintf(`^arn:aws[a-z-]*:iam::[0-9]{12}:role/([!-~]+/)*[\w+=,.@-]{1,%d}$`, maxRole))
	queueForm   = regexp.MustCompile(fmt.Sprintf(`^[\w-]{1,%d}$`, maxQueue))
	prefixForm  = regexp.MustCompile(fmt.Sprintf(`^[A-Za-z0-9][\w-]{0,%d}$`, maxPrefix-1))
	keyArnForm  = regexp.MustCompile(`^arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:key/[A-Za-z0-9-]+$`)
)

// maxPath is the limit of IAM for a path, in characters.
const maxPath = 512

// CheckRole returns an error if a user's name for a role is none that IAM takes.
func CheckRole(name string) error {
	if !roleForm.MatchString(name) {
		return fmt.Errorf("found %q (%d characters), allowed are 1 to %d letters, digits and _+=,.@-: "+
			"give the bare name, without ARN and path", name, len(name), maxRole)
	}
	return nil
}

// CheckPath returns an error if a user's path for roles is none that IAM takes.
func CheckPath(path string) error {
	if !pathForm.MatchString(path) || len(path) > maxPath {
		return fmt.Errorf("found %q, allowed is a path of at most %d characters that starts and ends with /: "+
			"write it as \"/team/\"", path, maxPath)
	}
	return nil
}

// CheckRoleArn returns an error if a role is not given by its full ARN.
func CheckRoleArn(arn string) error {
	if !roleArnForm.MatchString(arn) {
		return fmt.Errorf("found %q, allowed is the ARN of a role, such as arn:aws:iam::111122223333:role/team/nodes, with its path: "+
			"`aws iam get-role --role-name NAME --query Role.Arn` prints it", arn)
	}
	return nil
}

// RoleOfArn returns the bare name of a role, which is the last part of its ARN.
func RoleOfArn(arn string) string { return arn[strings.LastIndex(arn, "/")+1:] }

// CheckQueue returns an error if a user's name for a queue is none that SQS takes.
func CheckQueue(name string) error {
	if !queueForm.MatchString(name) {
		return fmt.Errorf("found %q (%d characters), allowed are 1 to %d letters, digits, - and _: give the name, not the ARN or the URL",
			name, len(name), maxQueue)
	}
	return nil
}

// CheckPrefix returns an error if a prefix cannot start all names.
func CheckPrefix(prefix string) error {
	if !prefixForm.MatchString(prefix) {
		return fmt.Errorf("found %q (%d characters), allowed are 1 to %d letters, digits, - and _ that start with a letter or a digit: "+
			"shorten it", prefix, len(prefix), maxPrefix)
	}
	return nil
}

// CheckKeyArn returns an error if a key of KMS is not given by its ARN, the only
// form that a policy can name.
func CheckKeyArn(arn string) error {
	if !keyArnForm.MatchString(arn) {
		return fmt.Errorf("found %q, allowed is the ARN of a key, such as arn:aws:kms:eu-west-1:111122223333:key/ID, no alias and no bare id: "+
			"`aws kms describe-key --key-id ALIAS-OR-ID --query KeyMetadata.Arn` prints it", arn)
	}
	return nil
}

const hashLength = 8

// bounded joins the prefix, what the name is for, the cluster and a suffix, and
// shortens the cluster's part so that the whole has at most limit characters.
func (n Names) bounded(kind, suffix string, limit int) string {
	room := limit - len(n.prefix) - len(kind) - len(suffix)
	if len(n.cluster) <= room {
		return n.prefix + kind + n.cluster + suffix
	}
	sum := sha256.Sum256([]byte(n.cluster))
	return n.prefix + kind + n.cluster[:room-hashLength-1] + "-" + hex.EncodeToString(sum[:])[:hashLength] + suffix
}
