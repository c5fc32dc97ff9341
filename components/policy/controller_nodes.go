package policy

// nodeLifecycle lets the controller launch, tag and terminate instances. It can
// launch only what it tags as the cluster's, and terminate or re-tag only what
// carries those tags: no instance of another cluster or of no cluster.
func (c controller) nodeLifecycle() []Statement {
	made := c.ec2("fleet", "instance", "volume", "network-interface", "launch-template", "spot-instances-request")
	launched := made
	if c.release.TagsCapacityReservations {
		launched = append(c.ec2("capacity-reservation"), made...)
	}
	ownNode := c.isOwned().and(exists(resourceTag(nodePoolTag)))
	requested := c.requestsOwned().and(exists(requestTag(nodePoolTag)))
	statements := c.launch(ownNode)
	return append(statements,
		Statement{
			Sid:       "AllowScopedEC2InstanceActionsWithTags",
			Effect:    Allow,
			Action:    List{"ec2:CreateFleet", "ec2:CreateLaunchTemplate", "ec2:RunInstances"},
			Resource:  launched,
			Condition: requested,
		},
		Statement{
			Sid:      "AllowScopedResourceCreationTagging",
			Effect:   Allow,
			Action:   List{"ec2:CreateTags"},
			Resource: made,
			Condition: requested.and(Conditions{"StringEquals": {
				"ec2:CreateAction": {"CreateFleet", "CreateLaunchTemplate", "RunInstances"},
			}}),
		},
		c.tagging(ownNode),
		Statement{
			Sid:       "AllowScopedDeletion",
			Effect:    Allow,
			Action:    c.deletion(),
			Resource:  c.ec2("instance", "launch-template"),
			Condition: ownNode,
		},
	)
}

// launch names what a launch may use that the controller did not make, and the
// launch templates, which it made.
func (c controller) launch(ownNode Conditions) []Statement {
	used := append(c.public("image", "snapshot"), c.ec2("security-group", "subnet")...)
	if c.release.UsesCapacityReservations {
		used = append(used, c.ec2("capacity-reservation")...)
	}
	if c.release.UsesPlacementGroups {
		used = append(used, c.ec2("placement-group")...)
	}
	action := List{"ec2:CreateFleet", "ec2:RunInstances"}
	if !c.release.ScopesLaunchTemplates {
		return []Statement{{
			Sid: "AllowScopedEC2InstanceActions", Effect: Allow, Action: action,
			Resource: append(used, c.ec2("launch-template")...),
		}}
	}
	return []Statement{
		{Sid: "AllowScopedEC2InstanceAccessActions", Effect: Allow, Action: action, Resource: used},
		{
			Sid: "AllowScopedEC2LaunchTemplateAccessActions", Effect: Allow, Action: action,
			Resource: c.ec2("launch-template"), Condition: ownNode,
		},
	}
}

// tagging lets the controller set the tags that name a node, on instances of
// the cluster's own node pools.
func (c controller) tagging(ownNode Conditions) Statement {
	keys := List{"karpenter.sh/nodeclaim", "Name"}
	condition := ownNode
	if c.release.TagsClusterName {
		keys = append(keys, clusterNameTag)
		condition = condition.and(only("StringEqualsIfExists", map[string]string{requestTag(clusterNameTag): c.in.Cluster}))
	}
	return Statement{
		Sid:       "AllowScopedResourceTagging",
		Effect:    Allow,
		Action:    List{"ec2:CreateTags"},
		Resource:  c.ec2("instance"),
		Condition: condition.and(Conditions{"ForAllValues:StringEquals": {"aws:TagKeys": keys}}),
	}
}

func (c controller) deletion() List {
	actions := List{"ec2:DeleteLaunchTemplate", "ec2:TerminateInstances"}
	if c.release.RebootsInstances {
		actions = append(actions, "ec2:RebootInstances")
	}
	return actions
}
