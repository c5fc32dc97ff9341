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
