package permissions

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/valohai/pulumi-kubernetes-autoscaling/internal/authorize"
	"github.com/valohai/pulumi-kubernetes-autoscaling/tests/localcloud"
)

// call is a recorded call and the account that it reached.
type call struct {
	localcloud.Call
	account string
}

// request is one thing that AWS authorises for the call. Every request says where it goes.
func (c call) request(action, resource string, contexts ...conditions) authorize.Request {
	context := conditions{"aws:RequestedRegion": {c.Region}}
	for _, more := range contexts {
		maps.Copy(context, more)
	}
	return authorize.Request{Action: action, Resource: resource, Context: context}
}

// action is the action of the call's own name.
func (c call) action() string { return c.Service + ":" + c.Operation }

// ec2 is the ARN of a resource of EC2. The id * is what is not made yet.
func (c call) ec2(kind, id string) string {
	return "arn:aws:ec2:" + c.Region + ":" + c.account + ":" + kind + "/" + id
}

// text is a parameter of the call.
func (c call) text(parameter string) (string, error) {
	if s, ok := c.Parameters[parameter].(string); ok && s != "" {
		return s, nil
	}
	return "", fmt.Errorf("it has no %s", parameter)
}

// names are the values of parameters that are a name or a list of names.
func (c call) names(parameters ...string) []string {
	var found []string
	for _, parameter := range parameters {
		values, ok := c.Parameters[parameter].([]any)
		if !ok {
			values = []any{c.Parameters[parameter]}
		}
		for _, value := range values {
			if name, ok := value.(string); ok {
				found = append(found, name)
			}
		}
	}
	return found
}

// of returns the resources of a kind that the call leads to, such as "subnet".
func (c call) of(kind string) []localcloud.CallResource {
	var found []localcloud.CallResource
	for _, r := range c.Resources {
		if kindOf(r) == kind {
			found = append(found, r)
		}
	}
	return found
}

// errGone is a call that names something that is not there.
var errGone = errors.New("there is no such thing")

// named returns the resource of a kind, or of any kind (""), with a name.
func (c call) named(kind, name string) (localcloud.CallResource, error) {
	for _, r := range c.Resources {
		if r.Name == name && (kind == "" || kindOf(r) == kind) {
			return r, nil
		}
	}
	return localcloud.CallResource{}, fmt.Errorf("%s %s: %w", cmp.Or(kind, "resource"), name, errGone)
}

// kindOf takes "subnet" from "arn:aws:ec2:us-east-1:111122223333:subnet/subnet-1".
func kindOf(r localcloud.CallResource) string {
	kind, _, _ := strings.Cut(r.ARN[strings.LastIndex(r.ARN, ":")+1:], "/")
	return kind
}

// conditions are condition keys with their values.
type conditions = map[string][]string

// tags are those of one resource.
type tags = map[string]string

// asked are the conditions of tags that a call sets.
func asked(t tags) conditions {
	c := conditions{}
	for key, value := range t {
		c["aws:RequestTag/"+key] = []string{value}
		c["aws:TagKeys"] = append(c["aws:TagKeys"], key)
	}
	slices.Sort(c["aws:TagKeys"])
	return c
}

// present are the conditions of tags that a resource has.
func present(t tags) conditions {
	c := conditions{}
	for key, value := range t {
		c["aws:ResourceTag/"+key] = []string{value}
	}
	return c
}

// list returns a list of objects in parameters. Without the key there are none.
func list(parameters map[string]any, key string) []map[string]any {
	var objects []map[string]any
	values, _ := parameters[key].([]any)
	for _, value := range values {
		if object, ok := value.(map[string]any); ok {
			objects = append(objects, object)
		}
	}
	return objects
}

// tagsIn reads the list Tags of parameters.
func tagsIn(parameters map[string]any) tags {
	t := tags{}
	for _, tag := range list(parameters, "Tags") {
		key, _ := tag["Key"].(string)
		value, _ := tag["Value"].(string)
		t[key] = value
	}
	return t
}

// tagsByKind reads the list TagSpecifications of parameters.
func tagsByKind(parameters map[string]any) map[string]tags {
	byKind := map[string]tags{}
	for _, spec := range list(parameters, "TagSpecifications") {
		kind, _ := spec["ResourceType"].(string)
		byKind[kind] = tagsIn(spec)
	}
	return byKind
}
