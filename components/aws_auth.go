package components

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	metav1 "github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes/meta/v1"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/awsauth"
	"github.com/valohai/pulumi-kubernetes-autoscaling/components/internal/bindings"
)

// forcePatch lets the patch set a key that EKS or a person set before.
const forcePatch = "pulumi.com/patchForce"

// configMap adds the entries of the roles to aws-auth. The ConfigMap is read at
// every run, at preview too, so that what others wrote in between is kept, and a
// text that is not understood ends the preview.
func (c *NodeAccess) configMap(ctx *pulumi.Context, name string, a NodeAccessArgs) error {
	found, err := bindings.GetConfigMap(ctx, name+"-aws-auth-found", awsauth.Namespace, awsauth.Name, pulumi.Parent(c))
	if err != nil {
		return fmt.Errorf("reading aws-auth: %w", err)
	}
	note := ownerAnnotation(ctx, name)
	merged := pulumi.All(found.Data, found.Metadata.Annotations(), a.NodeRoleArn, orEmpty(a.WindowsNodeRoleArn)).ApplyT(func(v []any) (mergedAuth, error) {
		entries := []awsauth.Entry{awsauth.NodeEntry(v[2].(string), false)}
		if role := v[3].(string); role != "" {
			entries = append(entries, awsauth.NodeEntry(role, true))
		}
		earlier := strings.Fields(v[1].(map[string]string)[note])
		text, ours, err := awsauth.Merge(v[0].(map[string]string)[awsauth.MapRolesKey], entries, earlier)
		return mergedAuth{text: text, ours: strings.Join(ours, " ")}, err
	}).(pulumi.AnyOutput)
	part := func(get func(mergedAuth) string) pulumi.StringOutput {
		return merged.ApplyT(func(v any) string { return get(v.(mergedAuth)) }).(pulumi.StringOutput)
	}
	patch, err := bindings.NewConfigMapPatch(ctx, name+"-aws-auth", &bindings.ConfigMapPatchArgs{
		Metadata: metav1.ObjectMetaPatchArgs{
			Namespace: pulumi.String(awsauth.Namespace),
			Name:      pulumi.String(awsauth.Name),
			Annotations: pulumi.StringMap{
				forcePatch: pulumi.String("true"),
				note:       part(func(m mergedAuth) string { return m.ours }),
			},
		},
		Data: pulumi.StringMap{awsauth.MapRolesKey: part(func(m mergedAuth) string { return m.text })},
	}, pulumi.Parent(c), pulumi.RetainOnDelete(true))
	if err != nil {
		return fmt.Errorf("adding to aws-auth: %w", err)
	}
	c.add(patch)
	return ctx.Log.Info("the entries of node roles in aws-auth stay when this stack is destroyed, since a ConfigMap's key cannot be taken "+
		"back in part: remove them with `eksctl delete iamidentitymapping --cluster CLUSTER --arn ROLE`", &pulumi.LogArgs{Resource: c})
}

// mergedAuth is an edited mapRoles, and the roles in it that are ours.
type mergedAuth struct{ text, ours string }

// ownerAnnotation is where aws-auth remembers which roles this component of this
// stack added, so that a later run can take an earlier role of its own out. An
// entry that somebody else made is never in it.
func ownerAnnotation(ctx *pulumi.Context, name string) string {
	sum := sha256.Sum256([]byte(ctx.Project() + "/" + ctx.Stack() + "/" + name))
	return "kubernetes-autoscaling/node-roles-" + hex.EncodeToString(sum[:])[:8]
}
