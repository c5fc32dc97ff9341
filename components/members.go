package components

import "github.com/pulumi/pulumi/sdk/v3/go/pulumi"

// members are the resources that a component registered.
//
// Pulumi's Go SDK resolves a dependency on a component to the children that it
// knows of at that moment, and it learns of children in the background: a
// dependency on a component may miss some of them. What must outlive the
// controller is therefore named, resource by resource.
type members struct{ list []pulumi.Resource }

func (m *members) add(r ...pulumi.Resource) { m.list = append(m.list, r...) }

func (m *members) concrete() []pulumi.Resource { return m.list }

// concrete returns dependencies with the components of this library replaced by
// their members.
func concrete(dependencies []pulumi.Resource) []pulumi.Resource {
	var all []pulumi.Resource
	for _, d := range dependencies {
		if component, ok := d.(interface{ concrete() []pulumi.Resource }); ok {
			all = append(all, component.concrete()...)
			continue
		}
		all = append(all, d)
	}
	return all
}
