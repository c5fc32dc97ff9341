// Package config is the configuration of a stack: its keys, how they are read
// and checked, and what they mean for the components.
package config

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
	"github.com/valohai/pulumi-kubernetes-autoscaling/components/policy"
)

// Config is the configuration of a stack, one file Pulumi.<stack>.yaml a
// cluster. Every key is a field here, and a key that is none is an error. The
// region and the account come from the AWS provider (aws:region, aws:profile).
type Config struct {
	// ClusterName is the EKS cluster. Required.
	ClusterName string `json:"clusterName"`
	// SubnetIds are the subnets for new nodes. Default: those of the managed
	// node groups and AdditionalSubnetIds.
	SubnetIds []string `json:"subnetIds"`
	// AdditionalSubnetIds are those of self-managed nodes, which AWS does not
	// list.
	AdditionalSubnetIds []string `json:"additionalSubnetIds"`
	// PrivateSubnetsOnly leaves out subnets that give their instances public
	// addresses.
	PrivateSubnetsOnly bool `json:"privateSubnetsOnly"`
	// DiscoveryTag is the key of the tag by which node classes find subnets and
	// security group. Default: karpenter.sh/discovery.
	DiscoveryTag string `json:"discoveryTag"`
	// SelectByIds makes node classes name subnets and security group by their
	// ids, and sets no tags.
	SelectByIds bool `json:"selectByIds"`
	// NodeAccessMethod is ACCESS_ENTRY, CONFIG_MAP or NONE. Default: as the
	// cluster's authentication mode allows, an access entry first.
	NodeAccessMethod string `json:"nodeAccessMethod"`

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
	// ChartRegistry is a mirror of the charts, also of that of NVIDIA's device
	// plugin: oci://... or a local folder.
	ChartRegistry string `json:"chartRegistry"`
	// ChartValues are further values of the karpenter chart.
	ChartValues map[string]any `json:"chartValues"`

	// EnableSpotTermination makes the interruption queue. Default: true.
	EnableSpotTermination *bool `json:"enableSpotTermination"`
	// QueueName names the queue. Default: Karpenter-CLUSTER.
	QueueName string `json:"queueName"`
	// QueueKmsMasterKeyId is the ARN of your own key for the queue. Default: a
	// key of SQS.
	QueueKmsMasterKeyId string `json:"queueKmsMasterKeyId"`
	// IsolatedVPC is for a VPC without a way to the internet: nodes get an
	// instance profile that the stack makes.
	IsolatedVPC bool `json:"isolatedVPC"`
	// EnableZonalShift lets the controller follow zonal shifts of the cluster.
	EnableZonalShift bool `json:"enableZonalShift"`

	// Identity is how the controller becomes its role, IRSA or PodIdentity.
	// Default: IRSA.
	Identity string `json:"identity"`
	// CreateOidcProvider makes the cluster's OIDC provider in IAM if there is
	// none.
	CreateOidcProvider bool `json:"createOidcProvider"`
	// NamePrefix starts the names of everything in AWS. Default: Karpenter.
	NamePrefix string `json:"namePrefix"`
	// NodeRoleArn is a role that is there already, for the nodes. Default: one is
	// made.
	NodeRoleArn string `json:"nodeRoleArn"`
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
	// AdditionalStatements are what the controller may do beside the release's
	// needs, in the words of an IAM policy.
	AdditionalStatements []policy.Statement `json:"additionalStatements"`
	// VolumeKmsKeyArns are the ARNs of your own keys for volumes of nodes, beside
	// those that node classes name.
	VolumeKmsKeyArns []string `json:"volumeKmsKeyArns"`
	// NodePools are the pools by name. Default: the presets cpu and gpu.
	NodePools map[string]nodepool.Pool `json:"nodePools"`
	// NodeClasses are the node classes by name. Default: one named default.
	NodeClasses map[string]nodepool.NodeClass `json:"nodeClasses"`
	// EnableNvidiaDevicePlugin installs NVIDIA's device plugin if a pool needs it.
	// Default: true.
	EnableNvidiaDevicePlugin *bool `json:"enableNvidiaDevicePlugin"`
	// NvidiaDevicePluginRegistry is a mirror of the plugin's chart: https://...,
	// oci://... or a local folder. Default: ChartRegistry if that is set, or NVIDIA's
	// own.
	NvidiaDevicePluginRegistry string `json:"nvidiaDevicePluginRegistry"`
	// NvidiaDevicePluginValues are further values of the plugin's chart.
	NvidiaDevicePluginValues map[string]any `json:"nvidiaDevicePluginValues"`
	// Tags are set on all AWS resources of the stack.
	Tags map[string]string `json:"tags"`
}

// Load reads and checks the configuration of the running stack, and whether
// the Kubernetes API that it names can be reached.
//
// The SDK has no way to list the keys of a stack, so the variable is read in
// which the engine passes them all.
func Load(project string) (*Config, error) {
	values := map[string]string{}
	if err := json.Unmarshal([]byte(os.Getenv(pulumi.EnvConfig)), &values); err != nil {
		return nil, fmt.Errorf("reading %s, which the Pulumi engine sets: %w", pulumi.EnvConfig, err)
	}
	c, err := parse(project, values)
	if err == nil && c.Kubeconfig != "" {
		err = c.checkAccess(project)
	}
	if err != nil {
		return nil, fmt.Errorf("stack configuration: %w", err)
	}
	return c, nil
}

// parse decodes values by their full keys, and returns every fault that can be
// seen in them alone.
func parse(project string, values map[string]string) (*Config, error) {
	var c Config
	if err := decode(project, values, &c); err != nil {
		return nil, err
	}
	var errs []error
	if c.ClusterName == "" {
		errs = append(errs, fmt.Errorf("%s:clusterName: missing: `pulumi config set clusterName NAME`; "+
			"`aws eks list-clusters` lists the clusters of a region", project))
	}
	if c.Kubeconfig == "" && c.KubeContext != "" {
		errs = append(errs, fmt.Errorf("%s:kubeContext: %q has no file to look in: set %s:kubeconfig as well",
			project, c.KubeContext, project))
	}
	return &c, errors.Join(errs...)
}

// checkAccess returns an error if the server of the kubeconfig is out of reach.
func (c *Config) checkAccess(project string) error {
	server, err := serverOf(c.Kubeconfig, c.KubeContext)
	if err == nil && server != "" {
		err = checkReachable(server)
	}
	if err != nil {
		return fmt.Errorf("%s:%w", project, err)
	}
	return nil
}

// Lookup says which cluster to read, and how nodes are placed in it.
func (c *Config) Lookup() *components.LookupClusterArgs {
	return &components.LookupClusterArgs{
		Name: c.ClusterName, SubnetIds: c.SubnetIds, AdditionalSubnetIds: c.AdditionalSubnetIds,
		PrivateSubnetsOnly: c.PrivateSubnetsOnly, DiscoveryTag: c.DiscoveryTag, SelectByIds: c.SelectByIds,
		PodIdentity: c.Identity == components.PodIdentity,
	}
}

// Provider returns how to reach the Kubernetes API of the cluster.
func (c *Config) Provider(ctx *pulumi.Context, cluster *components.Cluster) (*kubernetes.ProviderArgs, error) {
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

// Karpenter returns the arguments of the component.
func (c *Config) Karpenter(cluster *components.Cluster) *components.KarpenterArgs {
	args := &components.KarpenterArgs{
		Cluster:                    cluster,
		Version:                    c.KarpenterVersion,
		Namespace:                  c.Namespace,
		ServiceAccount:             c.ServiceAccount,
		Replicas:                   c.Replicas,
		ChartRegistry:              c.ChartRegistry,
		ChartValues:                c.ChartValues,
		DisableInterruptionQueue:   off(c.EnableSpotTermination),
		DisableNvidiaDevicePlugin:  off(c.EnableNvidiaDevicePlugin),
		NvidiaDevicePluginRegistry: c.NvidiaDevicePluginRegistry,
		NvidiaDevicePluginValues:   c.NvidiaDevicePluginValues,
		QueueName:                  c.QueueName,
		QueueKmsMasterKeyId:        text(c.QueueKmsMasterKeyId),
		IsolatedVPC:                c.IsolatedVPC,
		EnableZonalShift:           c.EnableZonalShift,
		NodeAccessMethod:           c.NodeAccessMethod,
		Identity:                   c.Identity,
		CreateOidcProvider:         c.CreateOidcProvider,
		NamePrefix:                 c.NamePrefix,
		NodeRoleArn:                c.NodeRoleArn,
		NodeRoleName:               c.NodeRoleName,
		ControllerRoleName:         c.ControllerRoleName,
		RolePath:                   c.RolePath,
		EnableInlinePolicy:         c.EnableInlinePolicy,
		AdditionalStatements:       c.AdditionalStatements,
		NodePools:                  c.NodePools,
		NodeClasses:                c.NodeClasses,
	}
	if c.PermissionsBoundaryArn != "" {
		args.PermissionsBoundaryArn = pulumi.String(c.PermissionsBoundaryArn)
	}
	if len(c.Tags) > 0 {
		args.Tags = pulumi.ToStringMap(c.Tags)
	}
	for _, arn := range c.VolumeKmsKeyArns {
		args.VolumeKmsKeyArns = append(args.VolumeKmsKeyArns, pulumi.String(arn))
	}
	args.NodeRoleAdditionalPolicies = map[string]pulumi.StringInput{}
	for name, arn := range c.NodeRoleAdditionalPolicies {
		args.NodeRoleAdditionalPolicies[name] = pulumi.String(arn)
	}
	return args
}

// text returns a value, or nil for one that is not set.
func text(value string) pulumi.StringInput {
	if value == "" {
		return nil
	}
	return pulumi.String(value)
}

// off tells whether a switch that is on by default was switched off.
func off(enabled *bool) bool { return enabled != nil && !*enabled }
