package permissions

import (
	"fmt"
	"maps"

	"github.com/valohai/pulumi-kubernetes-autoscaling/internal/authorize"
)

// launch is a call that launches instances: AWS asks for each action on each resource that is made
// or used. A fleet of type "instant" launches as RunInstances does, in its caller's name.
func launch(actions ...string) mapping {
	return func(c call) ([]authorize.Request, error) {
		var requests []authorize.Request
		t := c.launchTags()
		for _, kind := range c.launchedKinds() {
			requests = append(requests, c.made(kind, t[kind], actions...)...)
		}
		if c.Operation == "CreateFleet" {
			requests = append(requests, c.made("fleet", t["fleet"], c.action())...)
		}
		used, err := c.usedByLaunch(actions)
		return append(requests, used...), err
	}
}

// launchedKinds are the kinds of resources that every instance brings, and a spot one besides.
func (c call) launchedKinds() []string {
	kinds := []string{"instance", "volume", "network-interface"}
	target, _ := c.Parameters["TargetCapacitySpecification"].(map[string]any)
	if target["DefaultTargetCapacityType"] == "spot" {
		kinds = append(kinds, "spot-instances-request")
	}
	return kinds
}

// launchTags are the tags of what a launch makes, by kind: those of the launch template, and over
// them those of the call.
func (c call) launchTags() map[string]tags {
	t := map[string]tags{}
	for _, template := range c.of("launch-template") {
		maps.Copy(t, tagsByKind(template.Data))
	}
	maps.Copy(t, tagsByKind(c.Parameters))
	return t
}

// usedByLaunch is what a launch needs and does not make, with the roles that it passes to EC2.
func (c call) usedByLaunch(actions []string) ([]authorize.Request, error) {
	templates := c.of("launch-template")
	if len(templates) == 0 {
		return nil, fmt.Errorf("launch template: %w", errGone)
	}
	for _, template := range templates {
		for _, device := range list(template.Data, "BlockDeviceMappings") {
			if volume, _ := device["Ebs"].(map[string]any); volume["KmsKeyId"] != nil {
				return nil, fmt.Errorf("nothing says what AWS authorises for the key of a volume: add it here")
			}
		}
	}
	var requests []authorize.Request
	for _, r := range c.Resources {
		switch kindOf(r) {
		case "role":
			pass, err := c.passRole(r.Name)
			if err != nil {
				return nil, err
			}
			requests = append(requests, pass)
		case "instance-profile": // it is no resource of a launch; its role is
		default:
			for _, action := range actions {
				requests = append(requests, c.request(action, r.ARN, present(r.Tags)))
			}
		}
	}
	return requests, nil
}
