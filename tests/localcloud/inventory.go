package localcloud

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Inventory is what exists in a cloud, so that the state before can be compared with the state
// after. It is stable: two inventories of an unchanged cloud are equal.
type Inventory struct {
	AWS        AWSInventory        `json:"aws"`
	Kubernetes KubernetesInventory `json:"kubernetes"`
}

// AWSInventory is what exists in AWS, see inventory.py.
type AWSInventory struct {
	// Roles by name; Policies are the customer-managed ones by ARN.
	Roles    map[string]Role          `json:"roles"`
	Policies map[string]ManagedPolicy `json:"policies"`
	// InstanceProfiles are the names of their roles.
	InstanceProfiles map[string][]string `json:"instanceProfiles"`
	OIDCProviders    []string            `json:"oidcProviders"`
	Queues           map[string]Queue    `json:"queues"`
	EventRules       map[string]Rule     `json:"eventRules"`
	// SubnetTags and SecurityGroupTags hold those with any tag, by id.
	SubnetTags        map[string]map[string]string `json:"subnetTags"`
	SecurityGroupTags map[string]map[string]string `json:"securityGroupTags"`
	// Instances are those that are not terminated, by id.
	Instances       map[string]Instance `json:"instances"`
	LaunchTemplates []string            `json:"launchTemplates"`
	// AccessEntries by cluster and principal.
	AccessEntries map[string]map[string]AccessEntry `json:"accessEntries"`
	// PodIdentityAssociations by cluster: role by namespace/account.
	PodIdentityAssociations map[string]map[string]string `json:"podIdentityAssociations"`
	// Addons by cluster.
	Addons map[string][]string `json:"addons"`
}

// Role is an IAM role.
type Role struct {
	ARN                 string            `json:"arn"`
	Trust               any               `json:"trust"`
	AttachedPolicies    []string          `json:"attachedPolicies"`
	InlinePolicies      map[string]any    `json:"inlinePolicies"`
	PermissionsBoundary string            `json:"permissionsBoundary"`
	Tags                map[string]string `json:"tags"`
}

// ManagedPolicy is a customer-managed IAM policy.
type ManagedPolicy struct {
	Document any `json:"document"`
}

// Queue is an SQS queue.
type Queue struct {
	// Attributes as SQS names them; Policy is a document, the others are strings.
	Attributes map[string]any    `json:"attributes"`
	Tags       map[string]string `json:"tags"`
}

// Rule is an EventBridge rule of the default bus.
type Rule struct {
	Pattern any      `json:"pattern"`
	State   string   `json:"state"`
	Targets []string `json:"targets"`
}

// Instance is an EC2 instance.
type Instance struct {
	Type   string            `json:"type"`
	State  string            `json:"state"`
	Subnet string            `json:"subnet"`
	Tags   map[string]string `json:"tags"`
}

// AccessEntry is an EKS access entry with its access policies.
type AccessEntry struct {
	Type     string            `json:"type"`
	Username string            `json:"username"`
	Groups   []string          `json:"groups"`
	Policies []string          `json:"policies"`
	Tags     map[string]string `json:"tags"`
}

// Snapshot asks AWS and the API server what exists.
func (c *Cloud) Snapshot(ctx context.Context) (Inventory, error) {
	var inventory Inventory
	err := inParallel(ctx,
		func(ctx context.Context) error {
			output, err := c.python(ctx, "inventory", "")
			if err != nil {
				return fmt.Errorf("taking the inventory of AWS: %w", err)
			}
			return json.Unmarshal(output, &inventory.AWS)
		},
		func(ctx context.Context) (err error) {
			if inventory.Kubernetes, err = c.kubernetesInventory(ctx); err != nil {
				return fmt.Errorf("taking the inventory of Kubernetes: %w", err)
			}
			return nil
		},
	)
	return inventory, err
}

// Diff are the differences to a later inventory, a line for each value: "+ path: value" for what
// is new, "- path: value" for what is gone; a changed value gives both. Empty when nothing differs.
func (i Inventory) Diff(later Inventory) ([]string, error) {
	before, after := map[string]string{}, map[string]string{}
	for _, side := range []struct {
		inventory Inventory
		flat      map[string]string
	}{{i, before}, {later, after}} {
		data, err := json.Marshal(side.inventory)
		if err != nil {
			return nil, err
		}
		var value any
		if err := json.Unmarshal(data, &value); err != nil {
			return nil, err
		}
		flatten("", value, side.flat)
	}
	paths := maps.Clone(before)
	maps.Copy(paths, after)
	var lines []string
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		was, existed := before[path] // JSON, never empty
		is, exists := after[path]
		if existed && was != is {
			lines = append(lines, fmt.Sprintf("- %s: %s", path, was))
		}
		if exists && was != is {
			lines = append(lines, fmt.Sprintf("+ %s: %s", path, is))
		}
	}
	return lines, nil
}

// flatten collects the leaves of a JSON value by their paths. Lists of strings count as leaves.
func flatten(path string, value any, into map[string]string) {
	fields, ok := value.(map[string]any)
	if !ok || len(fields) == 0 {
		text, _ := json.Marshal(value)
		if path != "" && string(text) != "null" {
			into[path] = string(text)
		}
		return
	}
	for key, field := range fields {
		flatten(path+"/"+key, field, into)
	}
}
