package policy

import "strings"

// NodeTrust lets EC2 instances become the node role.
func NodeTrust(partition string) Document {
	return newDocument(Statement{
		Sid:       "EC2AssumeRole",
		Effect:    Allow,
		Principal: Principal{"Service": {ec2Service(partition)}},
		Action:    List{"sts:AssumeRole"},
	})
}

// ServiceAccount is who the controller is inside the cluster.
type ServiceAccount struct {
	Namespace, Name string
}

// IRSATrust lets one service account of one cluster become the controller role,
// through the cluster's OIDC provider. The issuer may be written with or
// without its scheme.
//
// Source: https://docs.aws.amazon.com/eks/latest/userguide/associate-service-account-role.html
func IRSATrust(oidcProviderArn, issuer string, sa ServiceAccount) Document {
	host := IssuerHost(issuer)
	return newDocument(Statement{
		Sid:       "KarpenterServiceAccount",
		Effect:    Allow,
		Principal: Principal{"Federated": {oidcProviderArn}},
		Action:    List{"sts:AssumeRoleWithWebIdentity"},
		Condition: only("StringEquals", map[string]string{
			host + ":aud": "sts.amazonaws.com",
			host + ":sub": "system:serviceaccount:" + sa.Namespace + ":" + sa.Name,
		}),
	})
}

// PodIdentityTrust lets EKS Pod Identity give the controller role to one service
// account of one cluster of the role's own account. EKS sets the three tags on
// each session, unless an association switches them off, which ours does not.
//
// Source: https://docs.aws.amazon.com/eks/latest/userguide/pod-id-role.html
func PodIdentityTrust(clusterArn string, sa ServiceAccount) Document {
	account := ""
	if parts := strings.SplitN(clusterArn, ":", 6); len(parts) == 6 {
		account = parts[4]
	}
	return newDocument(Statement{
		Sid:       "KarpenterServiceAccount",
		Effect:    Allow,
		Principal: Principal{"Service": {"pods.eks.amazonaws.com"}},
		Action:    List{"sts:AssumeRole", "sts:TagSession"},
		Condition: only("StringEquals", map[string]string{
			"aws:SourceAccount":                         account,
			"aws:RequestTag/eks-cluster-arn":            clusterArn,
			"aws:RequestTag/kubernetes-namespace":       sa.Namespace,
			"aws:RequestTag/kubernetes-service-account": sa.Name,
		}),
	})
}

// IssuerHost returns an OIDC issuer as IAM names it: without its scheme and
// without a slash at its end.
func IssuerHost(issuer string) string {
	return strings.TrimSuffix(strings.TrimPrefix(issuer, "https://"), "/")
}

// ec2Service is the name by which EC2 appears in a trust policy.
func ec2Service(partition string) string {
	if partition == "aws-cn" {
		return "ec2.amazonaws.com.cn"
	}
	return "ec2.amazonaws.com"
}
