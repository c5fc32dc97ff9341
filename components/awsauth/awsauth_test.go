package awsauth

import (
	"slices"
	"strings"
	"testing"
)

const (
	role    = "arn:aws:iam::111122223333:role/KarpenterNodeRole-ml-prod"
	earlier = "arn:aws:iam::111122223333:role/KarpenterNodeRole-old"
)

// others are entries as EKS, eksctl and people write them.
const others = `# Nodes first.
- groups:
  - system:bootstrappers
  - system:nodes
  rolearn: arn:aws:iam::111122223333:role/system-nodes
  username: system:node:{{EC2PrivateDNSName}}
# The people on call.
- rolearn: "arn:aws:iam::111122223333:role/Admin"  # SSO
  username: 'admin:{{SessionName}}'
  groups: [system:masters]
`

const ours = `- groups:
  - system:bootstrappers
  - system:nodes
  rolearn: arn:aws:iam::111122223333:role/KarpenterNodeRole-ml-prod
  username: system:node:{{EC2PrivateDNSName}}
`

func indented(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ") + "\n"
}

func TestMerge(t *testing.T) {
	old := strings.ReplaceAll(ours, role, earlier)
	for name, c := range map[string]struct {
		text, want string
		earlier    []string
		ours       []string
	}{
		"nothing there":              {"", ours, nil, []string{role}},
		"an empty list":              {"[]\n", ours, nil, []string{role}},
		"null":                       {"null", ours, nil, []string{role}},
		"a comment only":             {"# none yet", "# none yet\n" + ours, nil, []string{role}},
		"entries of others":          {others, others + ours, nil, []string{role}},
		"no newline at the end":      {strings.TrimSuffix(others, "\n"), others + ours, nil, []string{role}},
		"an indented list":           {indented(others), indented(others) + indented(ours), nil, []string{role}},
		"ours is there":              {others + ours, others + ours, []string{role}, []string{role}},
		"one like ours is there":     {ours + others, ours + others, nil, nil},
		"ours was taken out":         {others, others + ours, []string{role}, []string{role}},
		"another role before":        {others + old, others + ours, []string{earlier}, []string{role}},
		"another role, in between":   {old + others, others + ours, []string{earlier}, []string{role}},
		"another role, indented":     {indented(old + others), indented(others + ours), []string{earlier}, []string{role}},
		"another role is gone":       {others, others + ours, []string{earlier}, []string{role}},
		"a list in brackets":         {`[{"rolearn":"r","username":"u","groups":["g"]}]`, "- {\"rolearn\": \"r\", \"username\": \"u\", \"groups\": [\"g\"]}\n" + ours, nil, []string{role}},
		"another role, in brackets":  {`[{rolearn: ` + earlier + `, username: u, groups: []}]`, ours, []string{earlier}, []string{role}},
		"somebody's with a path":     {"- rolearn: arn:aws:iam::111122223333:role/team/KarpenterNodeRole-ml-prod\n", "- rolearn: arn:aws:iam::111122223333:role/team/KarpenterNodeRole-ml-prod\n" + ours, nil, []string{role}},
		"keys that nobody documents": {"- rolearn: r\n  noduplicates: true\n", "- rolearn: r\n  noduplicates: true\n" + ours, nil, []string{role}},
	} {
		t.Run(name, func(t *testing.T) {
			got, mine, err := Merge(c.text, []Entry{NodeEntry("arn:aws:iam::111122223333:role/team/KarpenterNodeRole-ml-prod", false)}, c.earlier)
			if err != nil {
				t.Fatal(err)
			}
			if got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			if !slices.Equal(mine, c.ours) {
				t.Errorf("calls %v its own, and should %v", mine, c.ours)
			}
			again, _, err := Merge(got, []Entry{NodeEntry(role, false)}, mine)
			if err != nil || again != got {
				t.Errorf("a second merge changes it to\n%s\n%v", again, err)
			}
		})
	}
}

func TestMergeRefuses(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"no YAML":           {"- groups: [a", "ConfigMap kube-system/aws-auth, mapRoles: yaml"},
		"a map":             {"rolearn: a", "it is not a list of entries"},
		"a text":            {"hello", "it is not a list of entries"},
		"a list of texts":   {"- a\n- b", "cannot unmarshal"},
		"an entry for none": {"- username: a", "entry 0 has no rolearn"},
		"two documents":     {"- rolearn: a\n---\n- rolearn: b", "more than one YAML document"},
		"groups as a text":  {"- rolearn: a\n  groups: b", "cannot unmarshal"},
		"ours for people": {
			"- rolearn: " + role + "\n  username: admin\n  groups: [system:masters]",
			`mapRoles[0]: found role ` + role + ` with user "admin" and groups ["system:masters"], allowed for nodes are user "system:node:{{EC2PrivateDNSName}}"`,
		},
		"an anchor": {"- &a\n  rolearn: " + earlier + "\n  groups: [g]\n- <<: *a\n  rolearn: b\n", "change more than one entry"},
	} {
		_, _, err := Merge(c.text, []Entry{NodeEntry(role, false)}, []string{earlier})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNodeEntry(t *testing.T) {
	for given, want := range map[string]string{
		"arn:aws:iam::111122223333:role/delegated/dev/node":        "arn:aws:iam::111122223333:role/node",
		"arn:aws-cn:iam::111122223333:role/delegated/dev/node":     "arn:aws-cn:iam::111122223333:role/node",
		"arn:aws-us-gov:iam::111122223333:role/delegated/dev/node": "arn:aws-us-gov:iam::111122223333:role/node",
		"arn:aws:iam::111122223333:role/node":                      "arn:aws:iam::111122223333:role/node",
	} {
		e := NodeEntry(given, false)
		if e.RoleArn != want || e.Username != "system:node:{{EC2PrivateDNSName}}" || !slices.Equal(e.Groups, []string{"system:bootstrappers", "system:nodes"}) {
			t.Errorf("%s: %+v", given, e)
		}
	}
	if w := NodeEntry("r", true); !slices.Contains(w.Groups, "eks:kube-proxy-windows") || len(w.Groups) != 3 {
		t.Errorf("%+v", w)
	}
}

// Two roles at once, for Linux and for Windows.
func TestTwoRoles(t *testing.T) {
	got, mine, err := Merge(others, []Entry{NodeEntry(role, false), NodeEntry(earlier, true)}, nil)
	if err != nil || len(mine) != 2 || !strings.HasPrefix(got, others+ours) || strings.Count(got, "eks:kube-proxy-windows") != 1 {
		t.Errorf("%s\n%v %v", got, mine, err)
	}
}
