package components

import (
	"errors"
	"fmt"
	"slices"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/internal/bindings"
)

// keepPrivate leaves out the subnets that give their instances public addresses.
func (l *lookup) keepPrivate() error {
	private, err := bindings.GetSubnets(l.ctx, []bindings.Filter{
		{Name: "subnet-id", Values: l.facts.SubnetIds},
		{Name: "map-public-ip-on-launch", Values: []string{"false"}},
	}, l.opts...)
	if err != nil {
		return fmt.Errorf("reading the subnets of EKS cluster %q: %w", l.args.Name, err)
	}
	if len(private) == 0 {
		return fmt.Errorf("EKS cluster %q: none of the subnets %v is private (MapPublicIpOnLaunch is on): "+
			"leave out privateSubnetsOnly, or list the subnets for new nodes (subnetIds)", l.args.Name, l.facts.SubnetIds)
	}
	slices.Sort(private)
	l.facts.SubnetIds = private
	return nil
}

// checkDiscovery refuses subnets whose discovery tag names another cluster: the
// tag has one value, and the other cluster would lose its subnets.
func (l *lookup) checkDiscovery(tag string) error {
	name, ids := l.args.Name, l.facts.SubnetIds
	var tagged, own []string
	find := func(into *[]string, filter bindings.Filter) func() error {
		return func() (err error) {
			*into, err = bindings.GetSubnets(l.ctx, []bindings.Filter{{Name: "subnet-id", Values: ids}, filter}, l.opts...)
			return err
		}
	}
	err := parallel(
		find(&tagged, bindings.Filter{Name: "tag-key", Values: []string{tag}}),
		find(&own, bindings.Filter{Name: "tag:" + tag, Values: []string{name}}),
	)
	if err != nil {
		return fmt.Errorf("reading the tags of the subnets of EKS cluster %q: %w", name, err)
	}
	var f faults
	for _, id := range tagged {
		if slices.Contains(own, id) {
			continue
		}
		tags, err := bindings.GetSubnetTags(l.ctx, id, l.opts...)
		if err != nil {
			return fmt.Errorf("reading the tags of subnet %s: %w", id, err)
		}
		f.add("subnet "+id, fmt.Sprintf("its tag %s names %q, and changing it would take the subnet from that cluster", tag, tags[tag]),
			"choose a tag of your own (discoveryTag), no tags at all (selectByIds), or other subnets (subnetIds)")
	}
	return errors.Join(f...)
}
