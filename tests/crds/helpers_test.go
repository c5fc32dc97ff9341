package crds

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/mod/semver"
	"sigs.k8s.io/yaml"

	"github.com/valohai/pulumi-kubernetes-autoscaling/tests/localcloud"
)

// objects are right in every release that has their version.
var objects = map[string]string{
	"NodePool": `
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: gpu}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: gpu}
      requirements:
      - {key: karpenter.k8s.aws/instance-category, operator: In, values: [g, p]}
      - {key: karpenter.k8s.aws/instance-generation, operator: Gt, values: ["4"]}
  disruption: {consolidationPolicy: WhenEmptyOrUnderutilized, consolidateAfter: 30s}
  limits: {nvidia.com/gpu: 8, cpu: "1000"}
`,
	"EC2NodeClass": `
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: gpu}
spec:
  role: nodes
  amiSelectorTerms: [{alias: al2023@latest}]
  subnetSelectorTerms: [{tags: {karpenter.sh/discovery: ml-prod}}]
  securityGroupSelectorTerms: [{id: sg-0123456789abcdef0}]
`,
	"old NodePool": `
apiVersion: karpenter.sh/v1beta1
kind: NodePool
metadata: {name: gpu}
spec:
  template:
    spec:
      nodeClassRef: {name: gpu}
      requirements: [{key: karpenter.k8s.aws/instance-category, operator: In, values: [g, p]}]
  disruption: {consolidationPolicy: WhenUnderutilized, expireAfter: 720h}
`,
	"old EC2NodeClass": `
apiVersion: karpenter.k8s.aws/v1beta1
kind: EC2NodeClass
metadata: {name: gpu}
spec:
  role: nodes
  amiFamily: AL2
  subnetSelectorTerms: [{tags: {karpenter.sh/discovery: ml-prod}}]
  securityGroupSelectorTerms: [{tags: {karpenter.sh/discovery: ml-prod}}]
`,
}

// edits are values by the path of their field. One that is gone takes the field
// out.
type edits map[string]any

type gone struct{}

// object returns a right object with edits.
func object(t testing.TB, name string, e edits) map[string]any {
	t.Helper()
	var o map[string]any
	if err := yaml.Unmarshal([]byte(objects[name]), &o); err != nil {
		t.Fatal(err)
	}
	for _, path := range slices.Sorted(maps.Keys(e)) {
		fields := strings.Split(path, "/")
		at := o
		for _, f := range fields[:len(fields)-1] {
			inner, ok := at[f].(map[string]any)
			if !ok {
				inner = map[string]any{}
				at[f] = inner
			}
			at = inner
		}
		if last := fields[len(fields)-1]; e[path] == (gone{}) {
			delete(at, last)
		} else {
			at[last] = e[path]
		}
	}
	return o
}

// dirs are the folders of the releases' definitions, by version.
func dirs(t testing.TB) map[string]string {
	t.Helper()
	tools := os.Getenv(localcloud.ToolsVariable)
	if tools == "" {
		t.Fatalf("%s is not set: run make tools, or make test", localcloud.ToolsVariable)
	}
	found, err := filepath.Glob(filepath.Join(tools, "crds", "*"))
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		t.Fatalf("there are no definitions in %s: run make tools", tools)
	}
	byVersion := map[string]string{}
	for _, dir := range found {
		byVersion[filepath.Base(dir)] = dir
	}
	return byVersion
}

var opened sync.Map // *Set by folder

// releases opens the definitions of the releases from one version on and below
// another. Without a version it is all of them.
func releases(t testing.TB, from, below string) map[string]*Set {
	t.Helper()
	sets := map[string]*Set{}
	for version, dir := range dirs(t) {
		if from != "" && semver.Compare("v"+version, "v"+from) < 0 || below != "" && semver.Compare("v"+version, "v"+below) >= 0 {
			continue
		}
		set, ok := opened.Load(dir)
		if !ok {
			made, err := Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			set = made
			opened.Store(dir, set)
		}
		sets[version] = set.(*Set)
	}
	if len(sets) == 0 {
		t.Fatalf("no definitions of a release from %q on and below %q", from, below)
	}
	return sets
}
