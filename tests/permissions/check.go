package permissions

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/policy"
	"github.com/valohai/pulumi-kubernetes-autoscaling/internal/authorize"
	"github.com/valohai/pulumi-kubernetes-autoscaling/tests/localcloud"
)

// Need is what AWS authorised for a call.
type Need struct {
	authorize.Request
	// For is the call, such as "ec2:CreateFleet".
	For string
}

func (n Need) String() string {
	var context []string
	for _, key := range slices.Sorted(maps.Keys(n.Context)) {
		context = append(context, key+"="+strings.Join(n.Context[key], ","))
	}
	return fmt.Sprintf("%s on %s, for %s, with %s", n.Action, n.Resource, n.For, strings.Join(context, " "))
}

// Needs are what AWS authorised for calls in an account, each once.
//
// A call may come too late: the controller ends a launch template when it has not used it for long,
// and does not know that it has ended it already. Such a call was refused because there was nothing
// to authorise, and is in gone instead.
func Needs(account string, calls []localcloud.Call) (needs []Need, gone []string, err error) {
	seen := map[string]bool{}
	for _, c := range calls {
		requests, err := Requests(account, c)
		if errors.Is(err, errGone) && c.Status >= http.StatusBadRequest {
			gone = append(gone, err.Error())
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		for _, r := range requests {
			need := Need{Request: r, For: c.Service + ":" + c.Operation}
			if key := need.String(); !seen[key] {
				seen[key] = true
				needs = append(needs, need)
			}
		}
	}
	return needs, gone, nil
}

// Denied are the needs that documents do not allow.
func Denied(documents []policy.Document, needs []Need) ([]Need, error) {
	var denied []Need
	for _, n := range needs {
		allowed, err := authorize.Allowed(documents, n.Request)
		if err != nil {
			return nil, err
		}
		if !allowed {
			denied = append(denied, n)
		}
	}
	return denied, nil
}

// Granted are the actions that documents allow on something, sorted.
func Granted(documents []policy.Document) []string {
	actions := map[string]bool{}
	for _, d := range documents {
		for _, s := range d.Statement {
			if s.Effect != policy.Allow {
				continue
			}
			for _, action := range s.Action {
				actions[action] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(actions))
}

// Exercised are the actions of needs, sorted.
func Exercised(needs []Need) []string {
	actions := map[string]bool{}
	for _, n := range needs {
		actions[n.Action] = true
	}
	return slices.Sorted(maps.Keys(actions))
}

// Without are the documents with an action taken out of every statement.
func Without(documents []policy.Document, action string) []policy.Document {
	less := make([]policy.Document, len(documents))
	for i, d := range documents {
		less[i] = policy.Document{Version: d.Version, Statement: slices.Clone(d.Statement)}
		for j := range less[i].Statement {
			s := &less[i].Statement[j]
			s.Action = slices.DeleteFunc(slices.Clone(s.Action), func(a string) bool { return a == action })
		}
	}
	return less
}
