// Package conformance holds what the product writes against what it is written
// for: the Pulumi SDKs, and the charts of Karpenter.
package conformance

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"

	"github.com/valohai/pulumi-kubernetes-autoscaling/tests/pulumicli"
)

// bound are the SDK's resources that the product registers through bindings of
// its own. Both sides are read as source: the SDK's packages are too dear to
// compile, which is why there are bindings.
var bound = []struct {
	binding, module, file, args, constructor string
}{
	{"tag.go", "github.com/pulumi/pulumi-aws/sdk/v6", "go/aws/ec2/tag.go", "tagArgs", "NewTag"},
	{"config_map.go", "github.com/pulumi/pulumi-kubernetes/sdk/v4", "go/kubernetes/core/v1/configMapPatch.go", "configMapPatchArgs", "NewConfigMapPatch"},
	{"release.go", "github.com/pulumi/pulumi-kubernetes/sdk/v4", "go/kubernetes/helm/v3/release.go", "releaseArgs", "NewRelease"},
}

func root(t *testing.T) string {
	t.Helper()
	dir, err := pulumicli.Root()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// moduleDir is where the version of a module is that the product requires.
func moduleDir(t *testing.T, module string) string {
	t.Helper()
	cmd := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module)
	cmd.Dir = root(t)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list -m %s: %v", module, err)
	}
	return strings.TrimSpace(string(out))
}

func parse(t *testing.T, path string) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// fields returns "type tag" by field name of a struct in a file.
func fields(t *testing.T, file *ast.File, name string) map[string]string {
	t.Helper()
	found := map[string]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok || spec.Name.Name != name {
			return true
		}
		for _, f := range spec.Type.(*ast.StructType).Fields.List {
			for _, id := range f.Names {
				found[id.Name] = typeOf(f.Type) + " " + f.Tag.Value
			}
		}
		return false
	})
	if len(found) == 0 {
		t.Fatalf("no struct %s", name)
	}
	return found
}

// typeOf writes a type as it stands in the source, with any for interface{}.
func typeOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return "*" + typeOf(e.X)
	case *ast.MapType:
		return "map[" + typeOf(e.Key) + "]" + typeOf(e.Value)
	case *ast.InterfaceType:
		return "any"
	}
	return "?"
}

// literals returns every string literal of a file.
func literals(file *ast.File) map[string]bool {
	found := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			found[strings.Trim(l.Value, "\"`")] = true
		}
		return true
	})
	return found
}

func TestBindingsMatchTheSDKs(t *testing.T) {
	for _, b := range bound {
		t.Run(b.constructor, func(t *testing.T) {
			ours := fields(t, parse(t, filepath.Join(root(t), "components", "internal", "bindings", b.binding)), b.args)
			sdk := parse(t, filepath.Join(moduleDir(t, b.module), filepath.FromSlash(b.file)))
			theirs := fields(t, sdk, b.args)
			for name, is := range ours {
				if theirs[name] != is {
					t.Errorf("%s.%s is %s, and in the SDK %q", b.args, name, is, theirs[name])
				}
			}
			if token := tokens(t)[b.constructor]; !literals(sdk)[token] {
				t.Errorf("the SDK does not register %q", token)
			}
		})
	}
}

// The functions' arguments and results are parts of the SDK's, under the same
// names; the types of filters are named differently.
func TestFunctionsMatchTheSDKs(t *testing.T) {
	ours := parse(t, filepath.Join(root(t), "components", "internal", "bindings", "subnets.go"))
	for _, f := range []struct{ file, ours, theirs string }{
		{"getSubnets.go", "getSubnetsArgs", "GetSubnetsArgs"},
		{"getSubnets.go", "getSubnetsResult", "GetSubnetsResult"},
		{"getSubnet.go", "getSubnetArgs", "LookupSubnetArgs"},
		{"getSubnet.go", "getSubnetResult", "LookupSubnetResult"},
		{"pulumiTypes.go", "Filter", "GetSubnetsFilter"},
	} {
		sdk := parse(t, filepath.Join(moduleDir(t, "github.com/pulumi/pulumi-aws/sdk/v6"), "go", "aws", "ec2", f.file))
		theirs := fields(t, sdk, f.theirs)
		for name, is := range fields(t, ours, f.ours) {
			if tag := is[strings.LastIndex(is, " ")+1:]; !strings.HasSuffix(theirs[name], " "+tag) {
				t.Errorf("%s.%s is %s, and in the SDK %q", f.ours, name, is, theirs[name])
			}
		}
		if token := "aws:ec2/" + strings.TrimSuffix(f.file, ".go"); f.file != "pulumiTypes.go" && !literals(sdk)[token+":"+strings.TrimSuffix(f.file, ".go")] {
			t.Errorf("the SDK does not call %q", token)
		}
	}
}

// tokens returns the product's token of each binding, by constructor.
func tokens(t *testing.T) map[string]string {
	t.Helper()
	constants := constants(t)
	return map[string]string{
		"NewTag": constants["TagToken"], "NewRelease": constants["ReleaseToken"], "NewConfigMapPatch": constants["ConfigMapPatchToken"],
	}
}

func constants(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	ast.Inspect(parse(t, filepath.Join(root(t), "components", "internal", "bindings", "bindings.go")), func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			found[spec.Names[0].Name] = strings.Trim(spec.Values[0].(*ast.BasicLit).Value, `"`)
		}
		return true
	})
	return found
}

// The plugin that a binding asks for is the one of the SDK in go.mod, and the
// rig installs that one.
func TestPluginVersions(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(root(t), "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	mod, err := modfile.Parse("go.mod", b, nil)
	if err != nil {
		t.Fatal(err)
	}
	required := map[string]string{}
	for _, r := range mod.Require {
		required[r.Mod.Path] = strings.TrimPrefix(r.Mod.Version, "v")
	}
	constants := constants(t)
	for constant, c := range map[string]struct{ module, plugin string }{
		"AWSVersion":        {"github.com/pulumi/pulumi-aws/sdk/v6", "aws"},
		"KubernetesVersion": {"github.com/pulumi/pulumi-kubernetes/sdk/v4", "kubernetes"},
	} {
		if constants[constant] == "" || constants[constant] != required[c.module] {
			t.Errorf("%s is %q, and go.mod requires %q", constant, constants[constant], required[c.module])
		}
		if got := pulumicli.PluginVersion(c.plugin); got != required[c.module] {
			t.Errorf("the rig installs plugin %s %q, and go.mod requires %q", c.plugin, got, required[c.module])
		}
	}
}
