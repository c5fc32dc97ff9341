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
	actions := List{"iam:AddRoleToInstanceProfile", "iam:DeleteInstanceProfile", "iam:RemoveRoleFromInstanceProfile"}
	if c.in.GivesInstanceProfile {
		// What an earlier node class made still has to go.
		actions = actions[1:]
	}
	manage := Statement{
		Sid: "AllowScopedInstanceProfileActions", Effect: Allow, Action: actions, Resource: profiles, Condition: owned,
	}
	if c.in.GivesInstanceProfile {
		return []Statement{c.passRole(), manage}
	}
	return []Statement{
		c.passRole(),
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
		manage,
	}
}

// passRole lets the controller give the node roles to EC2 and to nobody else.
func (c controller) passRole() Statement {
	return Statement{
		Sid:      "AllowPassingInstanceRole",
		Effect:   Allow,
		Action:   List{"iam:PassRole"},
		Resource: c.in.NodeRoleArns,
		Condition: Conditions{"StringEquals": {
			"iam:PassedToService": {"ec2.amazonaws.com", "ec2.amazonaws.com.cn"},
		}},
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

// interruption lets the controller read its own queue, and decrypt what is in
// it if a key of the user encrypts it.
func (c controller) interruption() []Statement {
	statements := []Statement{{
		Sid:      "AllowInterruptionQueueActions",
		Effect:   Allow,
		Action:   List{"sqs:DeleteMessage", "sqs:GetQueueUrl", "sqs:ReceiveMessage"},
		Resource: List{c.in.QueueArn},
	}}
	if c.in.QueueKmsKeyArn != "" {
		statements = append(statements, Statement{
			Sid:       "AllowInterruptionQueueDecryption",
			Effect:    Allow,
			Action:    List{"kms:Decrypt"},
			Resource:  List{c.in.QueueKmsKeyArn},
			Condition: c.keyUsedBy("sqs"),
		})
	}
	return statements
}

// volumeEncryption lets EC2, on the controller's behalf, encrypt the volumes of
// nodes with keys of the user. The keys' own policies must allow it too.
//
// Source: https://docs.aws.amazon.com/ebs/latest/userguide/ebs-encryption-requirements.html
func (c controller) volumeEncryption() []Statement {
	return []Statement{
		{
			Sid:    "AllowVolumeEncryption",
			Effect: Allow,
			Action: List{
				"kms:Decrypt", "kms:DescribeKey", "kms:GenerateDataKeyWithoutPlaintext", "kms:ReEncryptFrom", "kms:ReEncryptTo",
			},
			Resource:  c.in.VolumeKmsKeyArns,
			Condition: c.keyUsedBy("ec2"),
		},
		{
			Sid:       "AllowVolumeEncryptionGrants",
			Effect:    Allow,
			Action:    List{"kms:CreateGrant"},
			Resource:  c.in.VolumeKmsKeyArns,
			Condition: c.keyUsedBy("ec2").and(only("Bool", map[string]string{"kms:GrantIsForAWSResource": "true"})),
		},
	}
}

// keyUsedBy holds if a service of the cluster's region uses a key on behalf of
// the controller. The service's domain differs between partitions.
func (c controller) keyUsedBy(service string) Conditions {
	return only("StringLike", map[string]string{"kms:ViaService": service + "." + c.in.Region + ".*"})
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
			Sid:      "AllowInstanceProfileReadActions",
			Effect:   Allow,
			Action:   List{"iam:GetInstanceProfile"},
			Resource: profiles,
		},
	}
	if HasPricing(c.in.Partition) {
		statements = append(statements, Statement{
			Sid:      "AllowPricingReadActions",
			Effect:   Allow,
			Action:   List{"pricing:GetProducts"},
			Resource: List{"*"},
		})
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

// HasPricing tells whether a partition has the service from which the
// controller reads prices. Elsewhere it uses the prices that it was built with,
// and must be told so.
//
// Source: https://docs.aws.amazon.com/general/latest/gr/billing.html
func HasPricing(partition string) bool { return partition == "aws" || partition == "aws-cn" }

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
