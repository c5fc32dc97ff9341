package engine

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/valohai/pulumi-kubernetes-autoscaling/tests/localcloud"
	"github.com/valohai/pulumi-kubernetes-autoscaling/tests/pulumicli"
)

// mustStoreAll asks the API server for every pool and class of the stack: it must
// have kept each field that was sent. What it has beside them are defaults.
func mustStoreAll(t *testing.T, p *pulumicli.Project, cloud *localcloud.Cloud) {
	t.Helper()
	config, err := cloud.RESTConfig()
	if err != nil {
		t.Fatal(err)
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, r := range state(t, p) {
		kind, _ := r.Inputs["kind"].(string)
		version, _ := r.Inputs["apiVersion"].(string)
		if kind != "NodePool" && kind != "EC2NodeClass" {
			continue
		}
		group, version, _ := strings.Cut(version, "/")
		resource := schema.GroupVersionResource{Group: group, Version: version, Resource: strings.ToLower(kind) + map[string]string{"NodePool": "s", "EC2NodeClass": "es"}[kind]}
		name := r.Inputs["metadata"].(map[string]any)["name"].(string)
		object, err := client.Resource(resource).Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			t.Errorf("%s %s: %v", kind, name, err)
			continue
		}
		compared++
		for _, line := range dropped("spec", r.Inputs["spec"], object.Object["spec"]) {
			t.Errorf("%s %s: %s", kind, name, line)
		}
	}
	if compared == 0 {
		t.Error("the stack has no pool and no class")
	}
}

// dropped returns what was sent and is not stored as it was.
func dropped(path string, sent, stored any) []string {
	m, isMap := sent.(map[string]any)
	if !isMap {
		// Numbers of JSON and of the API server differ in type only.
		if !reflect.DeepEqual(sent, stored) && fmt.Sprint(sent) != fmt.Sprint(stored) {
			return []string{fmt.Sprintf("%s was sent as %v and is stored as %v", path, sent, stored)}
		}
		return nil
	}
	kept, _ := stored.(map[string]any)
	var lines []string
	for key, value := range m {
		lines = append(lines, dropped(path+"."+key, value, kept[key])...)
	}
	return lines
}
