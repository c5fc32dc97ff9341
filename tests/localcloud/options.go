package localcloud

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// ToolsVariable names the folder of the programs when Options.Tools is empty.
const ToolsVariable = "AUTOSCALING_TOOLS"

// Region is the AWS region of every local cloud.
const Region = "us-east-1"

// Options say where a cloud lives and what it is seeded with. The zero value is a cloud in a new
// temporary folder with the cluster ml-prod.
type Options struct {
	// Dir is the folder of the cloud: it is made by Start and removed by Stop. Default: a new
	// temporary folder.
	Dir string
	// Tools is the folder of the programs. Default: the environment variable AUTOSCALING_TOOLS.
	Tools string
	// Cluster is the EKS cluster to seed.
	Cluster ClusterOptions
	// Log gets a line for each step of the start. Default: none.
	Log io.Writer
	// KeepRunning lets the parts outlive this process. Otherwise the kernel ends them with it, also
	// when it is killed.
	KeepRunning bool
	// RecordCalls writes down every call of AWS, for Calls.
	RecordCalls bool

	// choosePort replaces the choice of ports in tests.
	choosePort func() (int, error)
}

// ClusterOptions describe an EKS cluster. The zero value is ml-prod, Kubernetes 1.34,
// API_AND_CONFIG_MAP, with an OIDC provider in IAM and two managed node groups.
type ClusterOptions struct {
	// Name of the cluster, 1 to 100 letters, digits, hyphens and underscores. Default: ml-prod.
	Name string
	// KubernetesVersion that EKS reports, 1.30 to 1.36. The API server stays 1.34. Default: 1.34.
	KubernetesVersion string
	// AuthenticationMode is API, API_AND_CONFIG_MAP or CONFIG_MAP. Default: API_AND_CONFIG_MAP.
	AuthenticationMode string
	// WithoutNodeGroups leaves out the node groups and their nodes.
	WithoutNodeGroups bool
	// WithoutOIDCProvider leaves out the IAM OIDC provider of the cluster's issuer.
	WithoutOIDCProvider bool
}

var (
	clusterName         = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z_-]{0,99}$`)
	kubernetesVersion   = regexp.MustCompile(`^1\.3[0-6]$`)
	authenticationModes = []string{"API", "API_AND_CONFIG_MAP", "CONFIG_MAP"}
)

// withDefaults fills what is empty and checks the rest.
func (o ClusterOptions) withDefaults() (ClusterOptions, error) {
	setDefault(&o.Name, "ml-prod")
	setDefault(&o.KubernetesVersion, "1.34")
	setDefault(&o.AuthenticationMode, "API_AND_CONFIG_MAP")
	var problems []error
	if !clusterName.MatchString(o.Name) {
		problems = append(problems, fmt.Errorf("cluster name %q does not match %s", o.Name, clusterName))
	}
	if !kubernetesVersion.MatchString(o.KubernetesVersion) {
		problems = append(problems, fmt.Errorf("kubernetes version %q is not one of 1.30 to 1.36", o.KubernetesVersion))
	}
	if !slices.Contains(authenticationModes, o.AuthenticationMode) {
		problems = append(problems, fmt.Errorf("authentication mode %q is not one of %v", o.AuthenticationMode, authenticationModes))
	}
	return o, errors.Join(problems...)
}

// withDefaults fills what is empty and checks the rest. The folder's path becomes absolute.
func (o Options) withDefaults() (Options, error) {
	var err error
	if o.Cluster, err = o.Cluster.withDefaults(); err != nil {
		return o, err
	}
	if o.Log == nil {
		o.Log = io.Discard
	}
	if o.choosePort == nil {
		o.choosePort = freePort
	}
	if o.Dir == "" {
		o.Dir, err = os.MkdirTemp("", "localcloud-")
	} else {
		o.Dir, err = filepath.Abs(o.Dir)
	}
	return o, err
}

func setDefault(value *string, fallback string) {
	if *value == "" {
		*value = fallback
	}
}
