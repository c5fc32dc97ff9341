package nodepool

import (
	"strings"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/release"
)

// amiFamilies are the families of images by the name that an alias has for them.
var amiFamilies = map[string]string{
	"al2": "AL2", "al2023": "AL2023", "bottlerocket": "Bottlerocket",
	"windows2019": "Windows2019", "windows2022": "Windows2022", "windows2025": "Windows2025",
}

// familyCustom starts an image as it is.
const familyCustom = "Custom"

// defaultAlias is the image of a class that names none.
func defaultAlias(rel release.Release) string {
	if _, lacks := rel.Lacks("family.al2023"); lacks {
		return "al2@latest"
	}
	return "al2023@latest"
}

// family is the family of an alias, as the alias has it.
func family(alias string) string {
	name, _, _ := strings.Cut(alias, "@")
	return name
}

// family is how the class's images are started, in the words of an alias.
func (c NodeClass) family(rel release.Release) string {
	if len(c.AMISelectorTerms) > 0 {
		if alias := c.AMISelectorTerms[0].Alias; alias != "" {
			return family(alias)
		}
		return strings.ToLower(c.AMIFamily)
	}
	return family(first(c.AMIAlias, defaultAlias(rel)))
}

// IsWindows tells whether the nodes of the class run Windows.
func (c NodeClass) IsWindows() bool {
	return strings.HasPrefix(c.family(release.Release{}), "windows")
}
