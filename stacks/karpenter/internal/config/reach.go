package config

import (
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// dialTimeout bounds the wait for a connection to the API server.
const dialTimeout = 10 * time.Second

// kubeconfigFile is the part of a kubeconfig that leads to a server.
type kubeconfigFile struct {
	CurrentContext string `yaml:"current-context"`
	Contexts       []struct {
		Name    string `yaml:"name"`
		Context struct {
			Cluster string `yaml:"cluster"`
		} `yaml:"context"`
	} `yaml:"contexts"`
	Clusters []struct {
		Name    string `yaml:"name"`
		Cluster struct {
			Server   string `yaml:"server"`
			ProxyURL string `yaml:"proxy-url"`
		} `yaml:"cluster"`
	} `yaml:"clusters"`
}

// serverOf returns the server to which a context of a kubeconfig file leads,
// the current one if none is named, and "" if it is reached through a proxy.
func serverOf(path, context string) (string, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("kubeconfig: %w: write the path of a kubeconfig file, or leave it out for access through "+
			"`aws eks get-token`", err)
	}
	var file kubeconfigFile
	if err := yaml.Unmarshal(b, &file); err != nil {
		return "", fmt.Errorf("kubeconfig: %s is not a kubeconfig file: %w", path, err)
	}
	if context == "" {
		context = file.CurrentContext
	}
	contexts := map[string]string{}
	for _, c := range file.Contexts {
		contexts[c.Name] = c.Context.Cluster
	}
	cluster, ok := contexts[context]
	if !ok {
		return "", fmt.Errorf("kubeContext: %s has no context %q: it has %s", path, context,
			strings.Join(slices.Sorted(maps.Keys(contexts)), ", "))
	}
	for _, c := range file.Clusters {
		if c.Name == cluster {
			if c.Cluster.ProxyURL != "" {
				return "", nil
			}
			return c.Cluster.Server, nil
		}
	}
	return "", fmt.Errorf("kubeconfig: context %q of %s names cluster %q, which the file does not have", context, path, cluster)
}

// checkReachable connects to the API server, so that a preview ends with what
// to do and not with the provider's doubts about the state.
func checkReachable(server string) error {
	address, err := url.Parse(server)
	if err != nil || address.Host == "" {
		return fmt.Errorf("the Kubernetes API server %q is not a URL", server)
	}
	if proxy, err := http.ProxyFromEnvironment(&http.Request{URL: address}); err == nil && proxy != nil {
		return nil
	}
	port := address.Port()
	if port == "" {
		port = "443"
	}
	connection, err := net.DialTimeout("tcp", net.JoinHostPort(address.Hostname(), port), dialTimeout)
	if err != nil {
		return fmt.Errorf("the Kubernetes API server %s is unreachable: %w: is the context the right one, does the cluster "+
			"still exist, and does this machine have a way to it (VPN, public endpoint access, allowed addresses)?", server, err)
	}
	return connection.Close()
}
