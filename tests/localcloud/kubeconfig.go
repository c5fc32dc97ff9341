package localcloud

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// writeKubeconfig writes the administrator's kubeconfig; it holds the certificates themselves.
func writeKubeconfig(path string, p pki, server string) error {
	const name = "localcloud"
	config := api.NewConfig()
	config.Clusters[name] = &api.Cluster{Server: server, CertificateAuthority: p.file("ca.crt")}
	config.AuthInfos[name] = &api.AuthInfo{ClientCertificate: p.file("admin.crt"), ClientKey: p.file("admin.key")}
	config.Contexts[name] = &api.Context{Cluster: name, AuthInfo: name}
	config.CurrentContext = name
	if err := api.FlattenConfig(config); err != nil {
		return fmt.Errorf("reading the administrator's certificates: %w", err)
	}
	return clientcmd.WriteToFile(*config, path)
}

// writeWebhookConfig tells the API server whom to ask about bearer tokens.
func writeWebhookConfig(path, awsEndpoint string) error {
	const name = "aws"
	config := api.NewConfig()
	config.Clusters[name] = &api.Cluster{Server: awsEndpoint + "/localcloud/token-review"}
	config.AuthInfos[name] = &api.AuthInfo{}
	config.Contexts[name] = &api.Context{Cluster: name, AuthInfo: name}
	config.CurrentContext = name
	return clientcmd.WriteToFile(*config, path)
}

// writeControlPlane tells the EKS of the local AWS about the API server.
func writeControlPlane(path string, p pki, server string) error {
	authority, err := os.ReadFile(p.file("ca.crt"))
	if err != nil {
		return err
	}
	data, err := json.Marshal(map[string]string{"endpoint": server, "certificateAuthority": string(authority)})
	if err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", data, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// Kubeconfig is the path of a kubeconfig with a certificate of system:masters.
func (c *Cloud) Kubeconfig() string { return filepath.Join(c.dir, "kubeconfig") }

// RESTConfig is the administrator's access to the API server.
func (c *Cloud) RESTConfig() (*rest.Config, error) {
	config, err := clientcmd.BuildConfigFromFlags("", c.Kubeconfig())
	if err != nil {
		return nil, fmt.Errorf("reading the kubeconfig of the cloud: %w", err)
	}
	config.QPS, config.Burst = 200, 400
	return config, nil
}
