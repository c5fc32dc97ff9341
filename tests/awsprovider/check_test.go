package main

import (
	"errors"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// accepted lists, with the reason of each, where the SDK and the Terraform
// provider may disagree. An entry that no longer matches is an error too.
var accepted = map[string]string{
	`aws_eks_cluster: the SDK property "certificateAuthority" has no Terraform attribute`: `
		pulumi-aws adds it beside certificateAuthorities; addCertificateAuthority does so here.`,
	`aws_eks_cluster: the SDK property "defaultAddonsToRemoves" has no Terraform attribute`: `
		Deprecated, and only in pulumi-aws's own patched Terraform provider. bootstrapSelfManagedAddons replaces it.`,
}

// TestConformance holds the mapped types of the SDK against the schema of the
// real Terraform provider. It is skipped on a machine without that provider,
// where this stand-in cannot run either.
func TestConformance(t *testing.T) {
	path, err := newLocator().locate()
	if errors.Is(err, errNotFound) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	child, err := startPlugin(path, childEnvironment(os.Environ()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(child.stop)
	server, err := newServer(t.Context(), child.conn, isMapped)
	if err != nil {
		t.Fatal(err)
	}
	shimmed, err := server.shim(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	provider, problems, err := providerInfo(shimmed)
	if err != nil {
		t.Fatal(err)
	}
	if err := provider.Validate(t.Context()); err != nil {
		t.Error(err)
	}
	for _, problem := range unexpected(problems) {
		t.Error(problem)
	}
}

// unexpected returns the problems that are not accepted, and the accepted ones
// that are no problems any more.
func unexpected(problems []string) []string {
	var out []string
	for _, problem := range problems {
		if _, ok := accepted[problem]; !ok {
			out = append(out, problem)
		}
	}
	for entry := range accepted {
		if !slices.Contains(problems, entry) {
			out = append(out, "accepted, but no longer a problem: "+entry)
		}
	}
	slices.Sort(out)
	return out
}

func TestUnexpected(t *testing.T) {
	var known []string
	for entry := range accepted {
		known = append(known, entry)
	}
	if got := unexpected(known); len(got) > 0 {
		t.Errorf("the accepted problems give %q", got)
	}
	got := unexpected(append(known[1:], "new"))
	if want := []string{"accepted, but no longer a problem: " + known[0], "new"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestTokens holds each token against the SDK types of its entry.
func TestTokens(t *testing.T) {
	for tfType, m := range resources {
		checkToken(t, tfType, m.token, m.args, "", "Args")
		checkToken(t, tfType, m.token, m.state, "", "State")
	}
	for tfType, m := range functions {
		checkToken(t, tfType, m.token, m.args, "get", "Args")
		checkToken(t, tfType, m.token, m.result, "get", "Result")
	}
}

// checkToken wants aws:ec2/getVpc:getVpc for ec2.LookupVpcArgs and
// ec2.GetVpcArgs, and aws:ec2/vpc:Vpc for ec2.VpcArgs.
func checkToken(t *testing.T, tfType, token string, sdk any, verb, suffix string) {
	t.Helper()
	typ := reflect.TypeOf(sdk)
	name, ok := strings.CutSuffix(typ.Name(), suffix)
	if !ok {
		t.Errorf("%s: %s does not end with %s", tfType, typ, suffix)
	}
	module := typ.PkgPath()[strings.LastIndex(typ.PkgPath(), "/")+1:]
	if module == "aws" {
		module = "index"
	}
	file, member := strings.ToLower(name[:1])+name[1:], name
	if verb != "" {
		if bare, ok := strings.CutPrefix(name, "Lookup"); ok {
			name = "Get" + bare
		}
		file = verb + strings.TrimPrefix(name, "Get")
		member = file
	}
	if want := "aws:" + module + "/" + file + ":" + member; token != want {
		t.Errorf("%s: the token is %s, and its type %s wants %s", tfType, token, typ, want)
	}
}
