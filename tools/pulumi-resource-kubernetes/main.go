// Command pulumi-resource-kubernetes is the Kubernetes provider of Pulumi,
// built from its Go module.
//
// Upstream's own command embeds two files that its repository ignores and that
// its module therefore lacks. Package ./embed derives them from the files that
// the module has; this command embeds them and calls the same public entry
// point as upstream's.
package main

import (
	_ "embed"

	"github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/provider"
	"github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/version"
)

//go:embed schema-embed.json
var pulumiSchema []byte

//go:embed terraform-mapping-embed.json
var terraformMapping []byte

func main() {
	provider.Serve("kubernetes", version.Version, pulumiSchema, terraformMapping)
}
