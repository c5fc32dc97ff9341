package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	pulumiconfig "github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components"
	"github.com/valohai/pulumi-kubernetes-autoscaling/components/nodepool"
)

// Config is the configuration of a stack, one file Pulumi.<stack>.yaml a
// cluster. Every key is a field here, and a key that is none is an error. The
// region and the account come from the AWS provider (aws:region, aws:profile).
type Config struct {
	// ClusterName is the EKS cluster. Required.
	ClusterName string `json:"clusterName"`
	// SubnetIds are the subnets for new nodes. Default: those of the managed
	// node groups.
	SubnetIds []string `json:"subnetIds"`
	// DiscoveryTag is the key of the tag by which node classes find subnets and
	// security group. Default: karpenter.sh/discovery.
	DiscoveryTag string `json:"discoveryTag"`

	// Kubeconfig is the path of a kubeconfig file. Default: access through
	// `aws eks get-token`.
	Kubeconfig string `json:"kubeconfig"`
	// KubeContext is a context of that file. Default: its current one.
	KubeContext string `json:"kubeContext"`

	// KarpenterVersion is the release to install. Default: the newest
	// catalogued one.
	KarpenterVersion string `json:"karpenterVersion"`
	// Namespace and ServiceAccount of the controller. Default: kube-system and
	// karpenter.
	Namespace      string `json:"namespace"`
	ServiceAccount string `json:"serviceAccount"`
	// Replicas is the number of controller pods. Default: 2, or 1 where the
	// node groups have one node.
	Replicas int `json:"replicas"`
	// ChartRegistry is a mirror of the charts: oci://... or a local folder.
	ChartRegistry string `json:"chartRegistry"`
	// ChartValues are further values of the karpenter chart.
	ChartValues map[string]any `json:"chartValues"`

	// EnableSpotTermination makes the interruption queue. Default: true.
	EnableSpotTermination *bool `json:"enableSpotTermination"`
	// NodeRoleName and ControllerRoleName name the roles. Default:
	// KarpenterNodeRole-CLUSTER and KarpenterControllerRole-CLUSTER.
	NodeRoleName       string `json:"nodeRoleName"`
	ControllerRoleName string `json:"controllerRoleName"`
	// RolePath is the IAM path of roles and policies. Default: /.
	RolePath string `json:"rolePath"`
	// PermissionsBoundaryArn is the permissions boundary of both roles.
	PermissionsBoundaryArn string `json:"permissionsBoundaryArn"`
	// EnableInlinePolicy writes the controller's permissions as one inline
	// policy instead of managed ones.
	EnableInlinePolicy bool `json:"enableInlinePolicy"`
	// NodeRoleAdditionalPolicies are ARNs of further managed policies for the
	// nodes, by a name of your choice.
	NodeRoleAdditionalPolicies map[string]string `json:"nodeRoleAdditionalPolicies"`
	// NodePools are the pools by name. Default: the presets cpu and gpu.
	NodePools map[string]nodepool.Pool `json:"nodePools"`
	// NodeClasses are the node classes by name. Default: one named default.
	NodeClasses map[string]nodepool.NodeClass `json:"nodeClasses"`
	// Tags are set on all AWS resources of the stack.
	Tags map[string]string `json:"tags"`
}

// loadConfig reads and checks the configuration of the running stack.
//
// The SDK has no way to list the keys of a stack, so the variable is read in
// which the engine passes them all.
func loadConfig(project string) (*Config, error) {
	values := map[string]string{}
	if err := json.Unmarshal([]byte(os.Getenv(pulumi.EnvConfig)), &values); err != nil {
		return nil, fmt.Errorf("reading %s, which the Pulumi engine sets: %w", pulumi.EnvConfig, err)
	}
	var c Config
	if err := decode(project, values, &c); err != nil {
		return nil, fmt.Errorf("stack configuration: %w", err)
	}
	if err := c.check(project); err != nil {
		return nil, fmt.Errorf("stack configuration: %w", err)
	}
	return &c, nil
}

// check returns every fault that can be seen without AWS and without the
// cluster.
func (c *Config) check(project string) error {
	var errs []error
	if c.ClusterName == "" {
		errs = append(errs, fmt.Errorf("%s:clusterName: missing: `pulumi config set clusterName NAME`; "+
			"`aws eks list-clusters` lists the clusters of a region", project))
	}
	if c.Kubeconfig == "" && c.KubeContext != "" {
		errs = append(errs, fmt.Errorf("%s:kubeContext: %q has no file to look in: set %s:kubeconfig as well",
			project, c.KubeContext, project))
	}
	if c.Kubeconfig != "" {
		server, err := serverOf(c.Kubeconfig, c.KubeContext)
		if err == nil && server != "" {
			err = checkReachable(server)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s:%w", project, err))
		}
	}
	return errors.Join(errs...)
}

// provider returns how to reach the Kubernetes API of the cluster.
func (c *Config) provider(ctx *pulumi.Context, cluster *components.Cluster) (*kubernetes.ProviderArgs, error) {
	if c.Kubeconfig != "" {
		args := &kubernetes.ProviderArgs{Kubeconfig: pulumi.String(c.Kubeconfig)}
		if c.KubeContext != "" {
			args.Context = pulumi.String(c.KubeContext)
		}
		return args, nil
	}
	if endpoint, known := cluster.Endpoint.(pulumi.String); known {
		if err := checkReachable(string(endpoint)); err != nil {
			return nil, err
		}
	}
	kubeconfig := pulumi.ToSecret(cluster.Kubeconfig(pulumiconfig.Get(ctx, "aws:profile"))).(pulumi.StringOutput)
	return &kubernetes.ProviderArgs{Kubeconfig: kubeconfig}, nil
}

// karpenter returns the arguments of the component.
func (c *Config) karpenter(cluster *components.Cluster) *components.KarpenterArgs {
	args := &components.KarpenterArgs{
		Cluster:                  cluster,
		Version:                  c.KarpenterVersion,
		Namespace:                c.Namespace,
		ServiceAccount:           c.ServiceAccount,
		Replicas:                 c.Replicas,
		ChartRegistry:            c.ChartRegistry,
		ChartValues:              c.ChartValues,
		DisableInterruptionQueue: c.EnableSpotTermination != nil && !*c.EnableSpotTermination,
		NodeRoleName:             c.NodeRoleName,
		ControllerRoleName:       c.ControllerRoleName,
		RolePath:                 c.RolePath,
		EnableInlinePolicy:       c.EnableInlinePolicy,
		NodePools:                c.NodePools,
		NodeClasses:              c.NodeClasses,
	}
	if c.PermissionsBoundaryArn != "" {
		args.PermissionsBoundaryArn = pulumi.String(c.PermissionsBoundaryArn)
	}
	if len(c.Tags) > 0 {
		args.Tags = pulumi.ToStringMap(c.Tags)
	}
	args.NodeRoleAdditionalPolicies = map[string]pulumi.StringInput{}
	for name, arn := range c.NodeRoleAdditionalPolicies {
		args.NodeRoleAdditionalPolicies[name] = pulumi.String(arn)
	}
	return args
}
