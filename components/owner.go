package components

import "github.com/pulumi/pulumi/sdk/v3/go/pulumi"

// The owner tag tells what a component of this library made from what was there
// before, where a lookup finds both.
const (
	ownerTagKey   = "kubernetes-autoscaling/owner"
	ownerTagValue = "pulumi"
)

// withOwner returns a user's tags and the owner tag.
func withOwner(tags pulumi.StringMapInput) pulumi.StringMapInput {
	own := pulumi.StringMap{ownerTagKey: pulumi.String(ownerTagValue)}
	if tags == nil {
		return own
	}
	return tags.ToStringMapOutput().ApplyT(func(m map[string]string) map[string]string {
		all := map[string]string{ownerTagKey: ownerTagValue}
		for k, v := range m {
			all[k] = v
		}
		return all
	}).(pulumi.StringMapOutput)
}

// isOwn tells whether tags are those of something that a component made.
func isOwn(tags map[string]string) bool { return tags[ownerTagKey] == ownerTagValue }
