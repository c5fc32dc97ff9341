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
)

// Limits of AWS, in characters.
// Sources: the API references of IAM, SQS and EventBridge.
const (
	maxRole   = 64
	maxPolicy = 128
	maxQueue  = 80
	maxRule   = 64
)

// NodeRole is the role of the nodes that Karpenter makes.
func NodeRole(cluster string) string { return bounded("KarpenterNodeRole-", cluster, "", maxRole) }

// ControllerRole is the role of the Karpenter controller.
func ControllerRole(cluster string) string {
	return bounded("KarpenterControllerRole-", cluster, "", maxRole)
}

// ControllerPolicy is one of the controller role's managed policies, by group:
// "NodeLifecycle".
func ControllerPolicy(cluster, group string) string {
	return bounded("KarpenterController"+group+"Policy-", cluster, "", maxPolicy)
}

// NodePolicy is a managed policy of the node role, by what it is for: "IPv6CNI".
func NodePolicy(cluster, purpose string) string {
	return bounded("KarpenterNode"+purpose+"Policy-", cluster, "", maxPolicy)
}

// Queue is the interruption queue.
func Queue(cluster string) string { return bounded("Karpenter-", cluster, "", maxQueue) }

// Rule is an EventBridge rule that feeds the interruption queue, by its event.
func Rule(cluster, event string) string { return bounded("Karpenter-", cluster, "-"+event, maxRule) }

// Forms of IAM.
var (
	roleForm = regexp.MustCompile(fmt.Sprintf(`^[\w+=,.@-]{1,%d}$`, maxRole))
	pathForm = regexp.MustCompile(`^/([!-~]+/)*$`)
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

const hashLength = 8

// bounded joins prefix, cluster and suffix, and shortens the cluster's part so
// that the whole has at most limit characters.
func bounded(prefix, cluster, suffix string, limit int) string {
	room := limit - len(prefix) - len(suffix)
	if len(cluster) <= room {
		return prefix + cluster + suffix
	}
	sum := sha256.Sum256([]byte(cluster))
	return prefix + cluster[:room-hashLength-1] + "-" + hex.EncodeToString(sum[:])[:hashLength] + suffix
}
