package policy

// iamIntegration lets the controller give its instances the node role, through
// instance profiles that it tags as the cluster's.
func (c controller) iamIntegration() []Statement {
	profiles := List{"*"}
	if c.release.TagsClusterName {
		profiles = List{c.instanceProfiles()}
	}
	region := func(key func(string) string) Conditions {
		return only("StringEquals", map[string]string{key(regionTag): c.in.Region})
	}
	requested := c.requestsOwned().and(region(requestTag), exists(requestTag(nodeClassTag)))
	owned := c.isOwned().and(region(resourceTag), exists(resourceTag(nodeClassTag)))
	return []Statement{
		{
			Sid:      "AllowPassingInstanceRole",
			Effect:   Allow,
			Action:   List{"iam:PassRole"},
			Resource: List{c.in.NodeRoleArn},
			Condition: Conditions{"StringEquals": {
				"iam:PassedToService": {"ec2.amazonaws.com", "ec2.amazonaws.com.cn"},
			}},
		},
		{
			Sid:       "AllowScopedInstanceProfileCreationActions",
			Effect:    Allow,
			Action:    List{"iam:CreateInstanceProfile"},
			Resource:  profiles,
			Condition: requested,
		},
		{
			Sid:       "AllowScopedInstanceProfileTagActions",
			Effect:    Allow,
			Action:    List{"iam:TagInstanceProfile"},
			Resource:  profiles,
			Condition: owned.and(requested),
		},
		{
			Sid:    "AllowScopedInstanceProfileActions",
			Effect: Allow,
			Action: List{
				"iam:AddRoleToInstanceProfile", "iam:DeleteInstanceProfile", "iam:RemoveRoleFromInstanceProfile",
			},
			Resource:  profiles,
			Condition: owned,
		},
	}
}

func (c controller) instanceProfiles() string {
	return "arn:" + c.in.Partition + ":iam::" + c.in.Account + ":instance-profile/*"
}

// eksIntegration lets the controller read its own cluster.
func (c controller) eksIntegration() Statement {
	return Statement{
		Sid:      "AllowAPIServerEndpointDiscovery",
		Effect:   Allow,
		Action:   List{"eks:DescribeCluster"},
		Resource: List{c.clusterArn()},
	}
}

// interruption lets the controller read its own queue.
func (c controller) interruption() Statement {
	return Statement{
		Sid:      "AllowInterruptionQueueActions",
		Effect:   Allow,
		Action:   List{"sqs:DeleteMessage", "sqs:GetQueueUrl", "sqs:ReceiveMessage"},
		Resource: List{c.in.QueueArn},
	}
}

// zonalShift lets the controller see whether a zone of its own cluster is
// shifted away.
func (c controller) zonalShift() Statement {
	return Statement{
		Sid:       "AllowZonalShiftStatusReadOnly",
		Effect:    Allow,
		Action:    List{"arc-zonal-shift:GetManagedResource"},
		Resource:  List{"*"},
		Condition: only("StringEquals", map[string]string{"arc-zonal-shift:ResourceIdentifier": c.clusterArn()}),
	}
}

// resourceDiscovery lets the controller read what it chooses from. These
// actions have no resource to name.
func (c controller) resourceDiscovery() []Statement {
	profiles := List{"*"}
	if c.release.TagsClusterName {
		profiles = List{c.instanceProfiles()}
	}
	statements := []Statement{
		{
			Sid:       "AllowRegionalReadActions",
			Effect:    Allow,
			Action:    c.reads(),
			Resource:  List{"*"},
			Condition: c.inRegion(),
		},
		{
			Sid:      "AllowSSMReadActions",
			Effect:   Allow,
			Action:   List{"ssm:GetParameter"},
			Resource: List{"arn:" + c.in.Partition + ":ssm:" + c.in.Region + "::parameter/aws/service/*"},
		},
		{
			Sid:      "AllowPricingReadActions",
			Effect:   Allow,
			Action:   List{"pricing:GetProducts"},
			Resource: List{"*"},
		},
		{
			Sid:      "AllowInstanceProfileReadActions",
			Effect:   Allow,
			Action:   List{"iam:GetInstanceProfile"},
			Resource: profiles,
		},
	}
	if c.release.ListsInstanceProfiles {
		statements = append(statements, Statement{
			Sid:      "AllowUnscopedInstanceProfileListAction",
			Effect:   Allow,
			Action:   List{"iam:ListInstanceProfiles"},
			Resource: List{"*"},
		})
	}
	return statements
}

func (c controller) reads() List {
	actions := List{
		"ec2:DescribeImages",
		"ec2:DescribeInstanceTypeOfferings",
		"ec2:DescribeInstanceTypes",
		"ec2:DescribeInstances",
		"ec2:DescribeLaunchTemplates",
		"ec2:DescribeSecurityGroups",
		"ec2:DescribeSpotPriceHistory",
		"ec2:DescribeSubnets",
	}
	for _, more := range []struct {
		needed bool
		action string
	}{
		{c.release.DescribesZones, "ec2:DescribeAvailabilityZones"},
		{c.release.UsesCapacityReservations, "ec2:DescribeCapacityReservations"},
		{c.release.UsesPlacementGroups, "ec2:DescribePlacementGroups"},
		{c.release.DescribesInstanceStatus, "ec2:DescribeInstanceStatus"},
	} {
		if more.needed {
			actions = append(actions, more.action)
		}
	}
	return actions
}
