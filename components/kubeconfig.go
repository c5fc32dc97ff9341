package components

import (
	"encoding/json"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// Kubeconfig returns a kubeconfig for the cluster, for the Kubernetes provider.
// It holds no credential: each use gets a token from `aws eks get-token` (AWS
// CLI 1.18 or later), with the AWS profile of that name, or as the environment
// says if the name is empty.
func (c *Cluster) Kubeconfig(profile string) pulumi.StringOutput {
	facts := pulumi.All(c.Name, c.Region, c.Endpoint, c.CertificateAuthority)
	return facts.ApplyT(func(v []any) (string, error) {
		return kubeconfig(v[0].(string), v[1].(string), v[2].(string), v[3].(string), profile)
	}).(pulumi.StringOutput)
}

func kubeconfig(name, region, endpoint, ca, profile string) (string, error) {
	type object = map[string]any
	exec := object{
		"apiVersion":      "client.authentication.k8s.io/v1beta1",
		"command":         "aws",
		"args":            []string{"eks", "get-token", "--cluster-name", name, "--region", region, "--output", "json"},
		"interactiveMode": "IfAvailable",
	}
	if profile != "" {
		exec["env"] = []object{{"name": "AWS_PROFILE", "value": profile}}
	}
	b, err := json.Marshal(object{
		"apiVersion":      "v1",
		"kind":            "Config",
		"current-context": name,
		"clusters":        []object{{"name": name, "cluster": object{"server": endpoint, "certificate-authority-data": ca}}},
		"contexts":        []object{{"name": name, "context": object{"cluster": name, "user": name}}},
		"users":           []object{{"name": name, "user": object{"exec": exec}}},
	})
	return string(b), err
}
