package components

import (
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/internal/bindings"
	"github.com/valohai/pulumi-kubernetes-autoscaling/components/internal/pulumitest"
	"github.com/valohai/pulumi-kubernetes-autoscaling/components/nodepool"
)

const accessEntryType = "aws:eks/accessEntry:AccessEntry"

const othersInAuth = "- rolearn: arn:aws:iam::111122223333:role/admin\n  username: admin\n  groups: [system:masters]\n"

// auth answers the read of aws-auth.
func auth(mapRoles string, annotations object) pulumitest.Functions {
	data := object{"mapUsers": "somebody's"}
	if mapRoles != "" {
		data["mapRoles"] = mapRoles
	}
	return pulumitest.Functions{bindings.ConfigMapToken: answer(object{"data": data, "metadata": object{"annotations": annotations}})}
}

// The authentication mode of the cluster decides how nodes get access, and there
// is one way at a time.
func TestAccessByMode(t *testing.T) {
	for _, c := range []struct {
		mode, method     string
		entries, patches int
		want             string
	}{
		{"API", "", 1, 0, ""},
		{"API_AND_CONFIG_MAP", "", 1, 0, ""},
		{"CONFIG_MAP", "", 0, 1, ""},
		{"", "", 0, 1, ""},
		{"API_AND_CONFIG_MAP", AccessConfigMap, 0, 1, ""},
		{"API", AccessNone, 0, 0, ""},
		{"CONFIG_MAP", AccessNone, 0, 0, ""},
		{"API", AccessConfigMap, 0, 0, "the cluster does not read aws-auth (API)"},
		{"CONFIG_MAP", AccessEntry, 0, 0, "authenticationMode=API_AND_CONFIG_MAP"},
		{"", AccessEntry, 0, 0, "the cluster has no access entries (CONFIG_MAP)"},
		{"API", "BOTH", 0, 0, `found "BOTH": use ACCESS_ENTRY, CONFIG_MAP or NONE`},
	} {
		r, err := tryKarpenter(t, auth(othersInAuth, nil), func(a *KarpenterArgs) {
			a.Cluster.AuthenticationMode, a.NodeAccessMethod = c.mode, c.method
		})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
		if n := len(r.OfType(accessEntryType)); n != c.entries {
			t.Errorf("%+v: %d entries", c, n)
		}
		if n := len(r.OfType(bindings.ConfigMapPatchToken)); n != c.patches {
			t.Errorf("%+v: %d patches", c, n)
		}
	}
}

// An entry for nodes has its type and nothing else: EKS refuses groups and user
// names beside it.
func TestAccessEntryIsBare(t *testing.T) {
	entry := runKarpenter(t, nil).Find(t, accessEntryType, "k-access-entry")
	for key := range entry.Inputs {
		switch key {
		case "clusterName", "principalArn", "type", "tags":
		default:
			t.Errorf("it has %s", key)
		}
	}
	if text(entry, "type") != "EC2_LINUX" {
		t.Errorf("%v", entry.Inputs)
	}
}

func patched(t *testing.T, functions pulumitest.Functions, windows bool) (pulumitest.Resource, error) {
	t.Helper()
	r, err := pulumitest.Run(t, func(ctx *pulumi.Context) error {
		c := exampleCluster()
		c.AuthenticationMode = "CONFIG_MAP"
		args := &NodeAccessArgs{Cluster: c, NodeRoleArn: pulumi.String("arn:aws:iam::111122223333:role/team/nodes")}
		if windows {
			args.WindowsNodeRoleArn = pulumi.String("arn:aws:iam::111122223333:role/windows")
		}
		_, err := NewNodeAccess(ctx, "k", args)
		return err
	}, functions)
	if err != nil {
		return pulumitest.Resource{}, err
	}
	return r.Find(t, bindings.ConfigMapPatchToken, "k-aws-auth"), nil
}

func TestAccessByConfigMap(t *testing.T) {
	patch, err := patched(t, auth(othersInAuth, nil), true)
	if err != nil {
		t.Fatal(err)
	}
	data := patch.Inputs["data"].ObjectValue()
	roles := data["mapRoles"].StringValue()
	if len(data) != 1 || !strings.HasPrefix(roles, othersInAuth) || strings.Count(roles, "rolearn:") != 3 {
		t.Errorf("%v", data)
	}
	for _, want := range []string{"role/nodes\n", "role/windows\n", "eks:kube-proxy-windows"} {
		if !strings.Contains(roles, want) {
			t.Errorf("%q is missing in\n%s", want, roles)
		}
	}
	if !patch.Retained {
		t.Error("a destroy would take everybody's entries away")
	}
	annotations := patch.Inputs["metadata"].ObjectValue()["annotations"].ObjectValue()
	if annotations[forcePatch].StringValue() != "true" || len(annotations) != 2 {
		t.Errorf("%v", annotations)
	}
}

// A later run knows what was ours, takes an earlier role out, and is calm
// otherwise.
func TestAccessByConfigMapAgain(t *testing.T) {
	first, err := patched(t, auth(othersInAuth, nil), true)
	if err != nil {
		t.Fatal(err)
	}
	roles := first.Inputs["data"].ObjectValue()["mapRoles"].StringValue()
	found := auth(roles, first.Inputs["metadata"].ObjectValue()["annotations"].ObjectValue().Mappable())
	again, err := patched(t, found, true)
	if err != nil || !again.Inputs.DeepEquals(first.Inputs) {
		t.Errorf("a second run changes %v to %v, %v", first.Inputs, again.Inputs, err)
	}
	later, err := patched(t, found, false)
	if err != nil {
		t.Fatal(err)
	}
	if roles := later.Inputs["data"].ObjectValue()["mapRoles"].StringValue(); strings.Contains(roles, "windows") || !strings.HasPrefix(roles, othersInAuth) {
		t.Error(roles)
	}
}

func TestAccessByConfigMapRefuses(t *testing.T) {
	if _, err := patched(t, auth("- rolearn: [", nil), false); err == nil || !strings.Contains(err.Error(), "it is left as it is") {
		t.Error(err)
	}
	if _, err := patched(t, auth("", nil), false); err != nil {
		t.Errorf("a ConfigMap without the key: %v", err)
	}
}

// An access entry that somebody else made is left alone, and ours is not taken
// for one.
func TestAccessEntryOfOthers(t *testing.T) {
	for name, c := range map[string]struct {
		found   func(resource.PropertyMap) (resource.PropertyMap, error)
		entries int
		want    string
	}{
		"none":            {failure("couldn't find resource"), 1, ""},
		"a node group's":  {answer(object{"type": "EC2_LINUX", "tags": object{}}), 0, ""},
		"for Auto Mode":   {answer(object{"type": "EC2", "tags": object{}}), 0, ""},
		"ours":            {answer(object{"type": "EC2_LINUX", "tags": object{ownerTagKey: ownerTagValue}}), 1, ""},
		"for people":      {answer(object{"type": "STANDARD", "tags": object{}}), 0, "found type STANDARD, allowed for its nodes is EC2_LINUX"},
		"nobody may look": {failure("AccessDenied"), 0, "AccessDenied"},
	} {
		r, err := pulumitest.Run(t, func(ctx *pulumi.Context) error {
			_, err := NewNodeAccess(ctx, "k", &NodeAccessArgs{Cluster: exampleCluster(), NodeRoleArn: pulumi.String("arn:aws:iam::111122223333:role/nodes")})
			return err
		}, pulumitest.Functions{"aws:eks/getAccessEntry:getAccessEntry": c.found})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if n := len(r.OfType(accessEntryType)); n != c.entries {
			t.Errorf("%s: %d entries", name, n)
		}
	}
}

// Windows nodes in a cluster without access entries.
func TestWindowsByConfigMap(t *testing.T) {
	r, err := tryKarpenter(t, auth(othersInAuth, nil), func(a *KarpenterArgs) {
		a.Cluster.AuthenticationMode = "CONFIG_MAP"
		a.NodePools = map[string]nodepool.Pool{"win": {Preset: "cpu", Requirements: []nodepool.Requirement{{Key: "kubernetes.io/os", Operator: "In", Values: []nodepool.Scalar{"windows"}}}}}
		a.NodeClasses = map[string]nodepool.NodeClass{"default": {AMIAlias: "windows2022@latest"}}
	})
	if err != nil {
		t.Fatal(err)
	}
	mustOutlive(t, r, r.Find(t, bindings.ConfigMapPatchToken, "k-access-aws-auth"))
	roles := r.Find(t, bindings.ConfigMapPatchToken, "k-access-aws-auth").Inputs["data"].ObjectValue()["mapRoles"].StringValue()
	if strings.Count(roles, "eks:kube-proxy-windows") != 1 {
		t.Error(roles)
	}
}
