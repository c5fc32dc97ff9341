// Package awsauth edits the ConfigMap aws-auth of an EKS cluster, which maps
// IAM roles to users of Kubernetes. Its key mapRoles is one text for everybody's
// entries, and a damaged one locks the nodes out: an edit adds or removes whole
// entries by the role that they are for, leaves every other byte, and is refused
// if the text is not understood.
//
// The package is pure: it imports nothing of Pulumi.
//
// Source: https://docs.aws.amazon.com/eks/latest/userguide/auth-configmap.html
package awsauth

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// Names of the ConfigMap and of its key for roles.
const (
	Namespace   = "kube-system"
	Name        = "aws-auth"
	MapRolesKey = "mapRoles"
)

// nodeUser is the user that a node is, whatever its system.
const nodeUser = "system:node:{{EC2PrivateDNSName}}"

// Entry maps one role to a user.
type Entry struct {
	Groups   []string `yaml:"groups"`
	RoleArn  string   `yaml:"rolearn"`
	Username string   `yaml:"username"`
}

// NodeEntry lets the nodes with a role join the cluster. aws-auth takes the ARN
// of a role without the role's path.
func NodeEntry(roleArn string, windows bool) Entry {
	groups := []string{"system:bootstrappers", "system:nodes"}
	if windows {
		groups = append([]string{"eks:kube-proxy-windows"}, groups...)
	}
	return Entry{Groups: groups, RoleArn: withoutPath(roleArn), Username: nodeUser}
}

func withoutPath(roleArn string) string {
	head, path, found := strings.Cut(roleArn, ":role/")
	if !found {
		return roleArn
	}
	return head + ":role/" + path[strings.LastIndex(path, "/")+1:]
}

// Merge returns mapRoles with the given entries in it, and without those of
// earlier roles of ours. An entry that is there already is kept as it is. Ours
// returns the roles that the caller is to call its own the next time.
func Merge(mapRoles string, entries []Entry, earlier []string) (merged string, ours []string, err error) {
	text, err := parse(mapRoles)
	if err != nil {
		return "", nil, err
	}
	for _, e := range entries {
		found := text.find(e.RoleArn)
		switch {
		case found < 0:
			if err := text.add(e); err != nil {
				return "", nil, err
			}
			ours = append(ours, e.RoleArn)
		case !text.entries[found].covers(e):
			return "", nil, fmt.Errorf("%s[%d]: found role %s with user %q and groups %q, allowed for nodes are user %q and at least the "+
				"groups %q: correct the entry, or remove it so that it is made anew", MapRolesKey, found, e.RoleArn,
				text.entries[found].Username, text.entries[found].Groups, e.Username, e.Groups)
		case slices.Contains(earlier, e.RoleArn):
			ours = append(ours, e.RoleArn)
		}
	}
	for _, role := range earlier {
		if slices.ContainsFunc(entries, func(e Entry) bool { return e.RoleArn == role }) {
			continue
		}
		if err := text.remove(role); err != nil {
			return "", nil, err
		}
	}
	return text.text, ours, nil
}

// covers tells whether an entry gives what another one asks for.
func (e Entry) covers(wanted Entry) bool {
	for _, g := range wanted.Groups {
		if !slices.Contains(e.Groups, g) {
			return false
		}
	}
	return e.Username == wanted.Username
}

// mapping is a text of entries, as it is written.
type mapping struct {
	text    string
	list    *yaml.Node // nil for a text without entries
	entries []Entry
}

// errRefused ends every refusal of a text.
var errRefused = errors.New("it is left as it is: repair it first, `kubectl -n kube-system edit configmap aws-auth`")

func parse(text string) (*mapping, error) {
	refuse := func(why string) error {
		return fmt.Errorf("ConfigMap %s/%s, %s: %s: %w", Namespace, Name, MapRolesKey, why, errRefused)
	}
	decoder := yaml.NewDecoder(strings.NewReader(text))
	var document yaml.Node
	switch err := decoder.Decode(&document); {
	case errors.Is(err, io.EOF):
		return &mapping{text: text}, nil
	case err != nil:
		return nil, refuse(err.Error())
	}
	if err := decoder.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		return nil, refuse("it has more than one YAML document")
	}
	list := document.Content[0]
	if list.Tag == "!!null" {
		return &mapping{text: text}, nil
	}
	if list.Kind != yaml.SequenceNode {
		return nil, refuse("it is not a list of entries")
	}
	var entries []Entry
	if err := list.Decode(&entries); err != nil {
		return nil, refuse(err.Error())
	}
	for i, e := range entries {
		if e.RoleArn == "" {
			return nil, refuse(fmt.Sprintf("entry %d has no rolearn", i))
		}
	}
	return &mapping{text: text, list: list, entries: entries}, nil
}

func (m *mapping) find(role string) int {
	return slices.IndexFunc(m.entries, func(e Entry) bool { return e.RoleArn == role })
}

// add appends an entry after all others, indented as they are.
func (m *mapping) add(e Entry) error {
	text, indent := m.text, ""
	switch {
	case m.list == nil || len(m.list.Content) == 0:
		text = comments(m.text)
	case m.list.Style&yaml.FlowStyle != 0:
		// A list in brackets has no lines to add to: the whole is written anew.
		m.list.Style = 0
		block, err := yaml.Marshal(m.list)
		if err != nil {
			return err
		}
		text = string(block)
	default:
		indent = strings.Repeat(" ", m.list.Column-1)
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	item, err := yaml.Marshal([]Entry{e})
	if err != nil {
		return err
	}
	for line := range strings.Lines(strings.ReplaceAll(string(item), "\n    ", "\n  ")) {
		text += indent + line
	}
	return m.replace(text, append(slices.Clone(m.entries), e))
}

// comments are the lines of a text without entries that are worth keeping.
func comments(text string) string {
	kept := ""
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			kept += line
		}
	}
	return kept
}

// remove takes the lines of one entry out. An entry that is not there is no
// fault.
func (m *mapping) remove(role string) error {
	i := m.find(role)
	if i < 0 {
		return nil
	}
	if m.list.Style&yaml.FlowStyle != 0 {
		m.list.Content = slices.Delete(m.list.Content, i, i+1)
		text, err := yaml.Marshal(m.list)
		if err != nil {
			return err
		}
		return m.replace(string(text), slices.Delete(slices.Clone(m.entries), i, i+1))
	}
	first, last := m.list.Content[i].Line, lastLine(m.list.Content[i])
	kept := ""
	n := 0
	for line := range strings.Lines(m.text) {
		if n++; n < first || n > last {
			kept += line
		}
	}
	return m.replace(kept, slices.Delete(slices.Clone(m.entries), i, i+1))
}

func lastLine(n *yaml.Node) int {
	last := n.Line
	for _, c := range n.Content {
		last = max(last, lastLine(c))
	}
	return last
}

// replace takes a new text if it says what it should, entry by entry, with
// everything that the entries have.
func (m *mapping) replace(text string, wanted []Entry) error {
	edited, err := parse(text)
	if err != nil || !slices.EqualFunc(edited.entries, wanted, func(a, b Entry) bool { return reflect.DeepEqual(a, b) }) {
		return fmt.Errorf("ConfigMap %s/%s, %s: an edit would change more than one entry: %w", Namespace, Name, MapRolesKey, errRefused)
	}
	*m = *edited
	return nil
}
