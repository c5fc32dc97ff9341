package policy

// NodeManagedPolicies returns the names of the AWS managed policies of the node
// role, the same in every partition. pullOnly is the release's capability
// PullsImagesOnly. An IPv6 cluster needs IPv6CNI instead of AmazonEKS_CNI_Policy.
//
// Source: https://docs.aws.amazon.com/eks/latest/userguide/create-node-role.html
func NodeManagedPolicies(pullOnly, ipv6 bool) []string {
	registry := "AmazonEC2ContainerRegistryReadOnly"
	if pullOnly {
		registry = "AmazonEC2ContainerRegistryPullOnly"
	}
	names := []string{registry, "AmazonEKSWorkerNodePolicy", "AmazonSSMManagedInstanceCore"}
	if !ipv6 {
		names = append(names, "AmazonEKS_CNI_Policy")
	}
	return names
}

// ManagedPolicyArn returns the ARN of an AWS managed policy.
func ManagedPolicyArn(partition, name string) string {
	return "arn:" + partition + ":iam::aws:policy/" + name
}

// IPv6CNI lets the VPC CNI of a node assign IPv6 addresses. AWS has no managed
// policy for it.
//
// Source: https://docs.aws.amazon.com/eks/latest/userguide/cni-iam-role.html
func IPv6CNI(partition string) Document {
	return newDocument(
		Statement{
			Sid:    "AssignAddresses",
			Effect: Allow,
			Action: List{
				"ec2:AssignIpv6Addresses",
				"ec2:DescribeInstanceTypes",
				"ec2:DescribeInstances",
				"ec2:DescribeNetworkInterfaces",
				"ec2:DescribeTags",
			},
			Resource: List{"*"},
		},
		Statement{
			Sid:      "TagNetworkInterfaces",
			Effect:   Allow,
			Action:   List{"ec2:CreateTags"},
			Resource: List{"arn:" + partition + ":ec2:*:*:network-interface/*"},
		},
	)
}
