package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"gopkg.in/yaml.v3"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/policy"
	"github.com/valohai/pulumi-kubernetes-autoscaling/internal/recorded"
)

// Types of what has a document.
const (
	typeRole       = "aws:iam/role:Role"
	typePolicy     = "aws:iam/policy:Policy"
	typeRolePolicy = "aws:iam/rolePolicy:RolePolicy"
	typeProfile    = "aws:iam/instanceProfile:InstanceProfile"
	typeQueue      = "aws:sqs/queue:Queue"
	typeAttachment = "aws:iam/rolePolicyAttachment:RolePolicyAttachment"
	typeRule       = "aws:cloudwatch/eventRule:EventRule"
	typeRelease    = "kubernetes:helm.sh/v3:Release"
	typePatch      = "kubernetes:core/v1:ConfigMapPatch"
)

// document is one file to write.
type document struct {
	// Name is its path in the folder.
	Name string
	// What says what it is.
	What string
	// Content of the file.
	Content string
	// Size counts characters as IAM does, and Limit is the most that IAM takes.
	// Both are 0 for what is no policy.
	Size, Limit int
}

// documents returns the documents of everything that a program registers.
func documents(p *recorded.Program) (*files, error) {
	f := &files{attached: map[string][]string{}}
	for _, r := range p.Resources {
		if err := f.add(r); err != nil {
			return nil, fmt.Errorf("%s: %w", r.Name, err)
		}
	}
	for role, arns := range f.attached {
		slices.Sort(arns)
		f.list = append(f.list, document{
			Name: "iam/" + role + ".policies.txt", What: "managed policies of role " + role, Content: strings.Join(arns, "\n") + "\n",
		})
	}
	return f, nil
}

func (f *files) add(r recorded.Resource) error {
	text := func(key resource.PropertyKey) string { return r.Inputs[key].StringValue() }
	switch r.Type {
	case typeRole:
		return f.policy("iam/"+text("name")+".trust.json", "who may become role "+text("name"), text("assumeRolePolicy"), policy.MaxTrustSize)
	case typePolicy:
		return f.policy("iam/"+text("name")+".json", "managed policy "+text("name"), text("policy"), policy.MaxManagedSize)
	case typeRolePolicy:
		return f.policy("iam/"+text("role")+".inline.json", "inline policy of role "+text("role"), text("policy"), policy.MaxInlineSize)
	case typeAttachment:
		f.attached[text("role")] = append(f.attached[text("role")], text("policyArn"))
	case typeQueue:
		return f.queue(r)
	case typeRule:
		return f.json("events/"+text("name")+".json", "event pattern of rule "+text("name"), text("eventPattern"))
	case typeRelease:
		if r.Inputs.HasValue("values") {
			what := fmt.Sprintf("values of the chart %s %s", text("name"), text("version"))
			return f.yaml("charts/"+text("name")+"-values.yaml", what, r.Inputs["values"])
		}
	case typePatch:
		roles := r.Inputs["data"].ObjectValue()["mapRoles"].StringValue()
		f.list = append(f.list, document{Name: "kubernetes/aws-auth-mapRoles.yaml", What: "entries that are added to aws-auth", Content: roles})
	}
	if kind, ours := strings.CutPrefix(r.Type, "kubernetes:karpenter."); ours {
		return f.object(kind[strings.LastIndex(kind, ":")+1:], r)
	}
	return nil
}

// queue adds the policy of the queue, and what the policy of its key needs.
func (f *files) queue(r recorded.Resource) error {
	name := r.Inputs["name"].StringValue()
	if r.Inputs.HasValue("kmsMasterKeyId") {
		what := "what the policy of the queue's key must hold, which the stack does not manage"
		if err := f.policy("sqs/"+name+".key.json", what, policy.InterruptionQueueKey().JSON(), 0); err != nil {
			return err
		}
	}
	return f.policy("sqs/"+name+".json", "who may use queue "+name, r.Inputs["policy"].StringValue(), 0)
}

// object adds a manifest of Karpenter's API.
func (f *files) object(kind string, r recorded.Resource) error {
	manifest := r.Inputs.Copy()
	delete(manifest, "__fieldManager")
	name := manifest["metadata"].ObjectValue()["name"].StringValue()
	return f.yaml("kubernetes/"+strings.ToLower(kind)+"-"+name+".yaml", kind+" "+name, resource.NewProperty(manifest))
}

func (f *files) policy(name, what, text string, limit int) error {
	var d policy.Document
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		return err
	}
	if err := f.json(name, what, text); err != nil {
		return err
	}
	last := &f.list[len(f.list)-1]
	last.Size, last.Limit = d.Size(), limit
	return nil
}

func (f *files) json(name, what, text string) error {
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(text), "", "  "); err != nil {
		return err
	}
	f.list = append(f.list, document{Name: name, What: what, Content: b.String() + "\n"})
	return nil
}

func (f *files) yaml(name, what string, value resource.PropertyValue) error {
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	if err := encoder.Encode(value.Mappable()); err != nil {
		return err
	}
	f.list = append(f.list, document{Name: name, What: what, Content: b.String()})
	return encoder.Close()
}
