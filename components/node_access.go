package components

import (
	"fmt"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/eks"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// NodeAccessToken is the type token of NodeAccess.
const NodeAccessToken = "kubernetes-autoscaling:index:NodeAccess"

// How nodes get access to a cluster.
const (
	// AccessEntry is an access entry of EKS: the authentication modes API and
	// API_AND_CONFIG_MAP have them.
	AccessEntry = "ACCESS_ENTRY"
	// AccessConfigMap is an entry of the ConfigMap aws-auth: the authentication
	// modes CONFIG_MAP and API_AND_CONFIG_MAP read it.
	AccessConfigMap = "CONFIG_MAP"
	// AccessNone is for roles that have access already.
	AccessNone = "NONE"
)

// Types of access entries for nodes. EKS gives such an entry its groups and its
// user name, and a role can have one entry only.
const (
	entryLinux   = "EC2_LINUX"
	entryWindows = "EC2_WINDOWS"
	// entryAuto is that of Auto Mode, and does for Linux nodes too.
	entryAuto = "EC2"
)

// NodeAccessArgs are the arguments of NewNodeAccess.
type NodeAccessArgs struct {
	// Cluster is the EKS cluster. Required.
	Cluster *Cluster
	// NodeRoleArn is the full ARN of the node role. Required. A plain
	// pulumi.String is a role that was there before: an access entry that it has
	// already is found and left alone.
	NodeRoleArn pulumi.StringInput
	// WindowsNodeRoleArn is the full ARN of the role of Windows nodes. Default:
	// none.
	WindowsNodeRoleArn pulumi.StringInput
	// Method is AccessEntry, AccessConfigMap or AccessNone. Default: AccessEntry
	// where the cluster's authentication mode has access entries, otherwise
	// AccessConfigMap.
	Method string
	// Tags are set on the access entries.
	Tags pulumi.StringMapInput
}

// NodeAccess lets nodes with a role join the cluster. A cluster takes one
// NodeAccess, for all roles of nodes.
//
// By access entry, it makes one of type EC2_LINUX (or EC2_WINDOWS) for each role,
// and nothing in the cluster. By ConfigMap, it adds an entry for each role to
// aws-auth and leaves everybody else's there as they are, byte by byte. What it
// added stays when the stack is destroyed: the only way to take a key of a
// ConfigMap back would take everybody's entries with it, and lock all nodes out.
// aws-auth is read at preview, so the cluster must be there already: give a
// cluster that the same program makes access entries.
//
// Source: https://docs.aws.amazon.com/eks/latest/userguide/grant-k8s-access.html
type NodeAccess struct {
	pulumi.ResourceState
	members

	// NodeAccessEntryArn is the ARN of the node role's access entry, empty if
	// there is none of ours.
	NodeAccessEntryArn pulumi.StringOutput `pulumi:"nodeAccessEntryArn"`
}

// NewNodeAccess registers a NodeAccess. It needs a provider for AWS and, for
// access by ConfigMap, one for Kubernetes.
func NewNodeAccess(ctx *pulumi.Context, name string, args *NodeAccessArgs, opts ...pulumi.ResourceOption) (*NodeAccess, error) {
	a := NodeAccessArgs{}
	if args != nil {
		a = *args
	}
	var f faults
	f.include(a.Cluster.check())
	a.check(&f)
	if err := f.of("NodeAccess", name); err != nil {
		return nil, err
	}
	c := &NodeAccess{}
	if err := ctx.RegisterComponentResource(NodeAccessToken, name, c, opts...); err != nil {
		return nil, err
	}
	c.NodeAccessEntryArn = pulumi.String("").ToStringOutput()
	var err error
	switch a.method() {
	case AccessEntry:
		err = c.entries(ctx, name, a)
	case AccessConfigMap:
		err = c.configMap(ctx, name, a)
	}
	if err != nil {
		return nil, err
	}
	return c, ctx.RegisterResourceOutputs(c, pulumi.Map{"nodeAccessEntryArn": c.NodeAccessEntryArn})
}

// check adds the faults of the component's own arguments.
func (a NodeAccessArgs) check(f *faults) {
	f.require("NodeRoleArn", a.NodeRoleArn != nil)
	if a.Cluster == nil {
		return
	}
	mode := defaulted(a.Cluster.AuthenticationMode, authenticationConfigMap)
	switch a.Method {
	case "", AccessNone:
	case AccessEntry:
		if mode == authenticationConfigMap {
			f.add("NodeAccessMethod", "found ACCESS_ENTRY, and the cluster has no access entries (CONFIG_MAP)",
				"leave it out, or let the cluster have both; entries of aws-auth stay valid: aws eks update-cluster-config "+
					"--name CLUSTER --access-config authenticationMode=API_AND_CONFIG_MAP")
		}
	case AccessConfigMap:
		if mode == authenticationAPI {
			f.add("NodeAccessMethod", "found CONFIG_MAP, and the cluster does not read aws-auth (API)", "leave it out")
		}
	default:
		f.add("NodeAccessMethod", fmt.Sprintf("found %q", a.Method), "use ACCESS_ENTRY, CONFIG_MAP or NONE, or leave it out")
	}
}

func (a NodeAccessArgs) method() string {
	switch {
	case a.Method != "":
		return a.Method
	case a.Cluster.AuthenticationMode == authenticationAPI || a.Cluster.AuthenticationMode == authenticationAPIAndConfigMap:
		return AccessEntry
	}
	return AccessConfigMap
}

// entries registers an access entry for each role.
func (c *NodeAccess) entries(ctx *pulumi.Context, name string, a NodeAccessArgs) error {
	arn, err := c.entry(ctx, name+"-entry", a, a.NodeRoleArn, entryLinux)
	if err != nil {
		return err
	}
	c.NodeAccessEntryArn = arn
	if a.WindowsNodeRoleArn == nil {
		return nil
	}
	_, err = c.entry(ctx, name+"-windows-entry", a, a.WindowsNodeRoleArn, entryWindows)
	return err
}

// entry registers the access entry of one role, unless somebody else made one
// that does.
func (c *NodeAccess) entry(ctx *pulumi.Context, name string, a NodeAccessArgs, role pulumi.StringInput, typ string) (pulumi.StringOutput, error) {
	theirs, err := c.foreignEntry(ctx, a, role, typ)
	if err != nil || theirs {
		return pulumi.String("").ToStringOutput(), err
	}
	entry, err := eks.NewAccessEntry(ctx, name, &eks.AccessEntryArgs{
		ClusterName:  a.Cluster.Name,
		PrincipalArn: role,
		Type:         pulumi.String(typ),
		Tags:         withOwner(a.Tags),
	}, pulumi.Parent(c))
	if err != nil {
		return pulumi.StringOutput{}, fmt.Errorf("creating access entry: %w", err)
	}
	c.add(entry)
	return entry.AccessEntryArn, nil
}

// foreignEntry tells whether a role that was there before has an access entry
// that is not ours. A role or a cluster that is made in the same program has
// none.
func (c *NodeAccess) foreignEntry(ctx *pulumi.Context, a NodeAccessArgs, role pulumi.StringInput, typ string) (bool, error) {
	cluster, clusterKnown := a.Cluster.Name.(pulumi.String)
	arn, roleKnown := role.(pulumi.String)
	if !clusterKnown || !roleKnown {
		return false, nil
	}
	found, err := eks.LookupAccessEntry(ctx, &eks.LookupAccessEntryArgs{ClusterName: string(cluster), PrincipalArn: string(arn)}, pulumi.Parent(c))
	switch {
	case isNotFound(err):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("looking for the access entry of %s: %w", arn, err)
	case isOwn(found.Tags):
		return false, nil
	case found.Type != typ && (typ != entryLinux || found.Type != entryAuto):
		return false, fmt.Errorf("the access entry of role %s: found type %s, allowed for its nodes is %s: "+
			"use another role, or delete the entry: aws eks delete-access-entry --cluster-name %s --principal-arn %s",
			arn, found.Type, typ, cluster, arn)
	}
	return true, nil
}

// isNotFound tells whether a lookup failed because there is no such thing.
func isNotFound(err error) bool {
	if err == nil {
		return false
	}
	for _, text := range []string{"couldn't find resource", ": not found", "ResourceNotFoundException", "NoSuchEntity", "empty result"} {
		if strings.Contains(err.Error(), text) {
			return true
		}
	}
	return false
}
