package engine

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/valohai/pulumi-kubernetes-autoscaling/tests/internal/stored"
	"github.com/valohai/pulumi-kubernetes-autoscaling/tests/localcloud"
	"github.com/valohai/pulumi-kubernetes-autoscaling/tests/pulumicli"
)

// objects is a client of the cluster's API.
func objects(t *testing.T, cloud *localcloud.Cloud) dynamic.Interface {
	t.Helper()
	config, err := cloud.RESTConfig()
	if err != nil {
		t.Fatal(err)
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// mustStoreAll asks the API server for every pool and class of the stack: it must
// have kept each field that was sent. What it has beside them are defaults.
func mustStoreAll(t *testing.T, p *pulumicli.Project, cloud *localcloud.Cloud) {
	t.Helper()
	client := objects(t, cloud)
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
		missing, err := stored.Missing("spec", r.Inputs["spec"], object.Object["spec"])
		if err != nil || len(missing) > 0 {
			t.Errorf("%s %s: %q, %v", kind, name, missing, err)
		}
	}
	if compared == 0 {
		t.Error("the stack has no pool and no class")
	}
}
