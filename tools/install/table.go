package main

import "slices"

// group says who needs an artefact: `install run` and `install lint` take one
// group each, so that a demo does not wait for the linters.
type group string

const (
	groupRun  group = "run"
	groupLint group = "lint"
)

// program is a Go command that is built from a pinned module.
type program struct {
	Name   string
	Group  group
	Dir    string // the folder with its go.mod, from the repository's root
	Pkg    string
	Module string // the requirement in Dir/go.mod whose version is the program's

	// Ldflags may use ${version}, ${major} and ${minor}, without a leading v.
	Ldflags string

	// Embedded names files that Pkg embeds and that its folder lacks. The
	// command ./embed VERSION OUT_DIR writes them, and the build sees them
	// through an overlay: they never lie in the checkout.
	Embedded []string

	// SharesCache leaves -trimpath out, so that the packages compiled here serve
	// the module's own tests and linters too. It is for modules of ours.
	SharesCache bool

	// Found is the rule by which an installed program is used as it is.
	Found *foundRule
	// Plugin is the name in Pulumi's plugin folder of the official build.
	Plugin string
	// Locate is an argument of the built program by which it says whether it
	// finds what it needs from elsewhere.
	Locate string
}

// foundRule says which installed versions of a program are as good as ours.
type foundRule struct {
	Min, Below string
	// Beside must be there too, in the same folder or on PATH, or both are
	// built.
	Beside string
	Why    string
}

const kubeLdflags = "-X k8s.io/component-base/version.gitVersion=v${version}" +
	" -X k8s.io/component-base/version.gitMajor=${major}" +
	" -X k8s.io/component-base/version.gitMinor=${minor}" +
	" -X k8s.io/client-go/pkg/version.gitVersion=v${version}"

var pulumiRule = foundRule{
	Min: "3.200.0", Below: "4.0.0", Beside: "pulumi-language-go",
	Why: "the oldest the engine tests hold for; a new major version may change the state format",
}

// programs is the table of everything built from Go modules, cheap and shared
// packages first: the Kubernetes programs reuse each other's compiled packages.
var programs = []program{
	{Name: "etcd", Group: groupRun, Dir: "tools/kubernetes", Pkg: "go.etcd.io/etcd/server/v3", Module: "go.etcd.io/etcd/server/v3"},
	{Name: "kube-apiserver", Group: groupRun, Dir: "tools/kubernetes", Pkg: "k8s.io/kubernetes/cmd/kube-apiserver", Module: "k8s.io/kubernetes", Ldflags: kubeLdflags},
	{Name: "kube-controller-manager", Group: groupRun, Dir: "tools/kubernetes", Pkg: "k8s.io/kubernetes/cmd/kube-controller-manager", Module: "k8s.io/kubernetes", Ldflags: kubeLdflags},
	{Name: "kube-scheduler", Group: groupRun, Dir: "tools/kubernetes", Pkg: "k8s.io/kubernetes/cmd/kube-scheduler", Module: "k8s.io/kubernetes", Ldflags: kubeLdflags},
	{Name: "helm", Group: groupRun, Dir: "tools/helm", Pkg: "helm.sh/helm/v3/cmd/helm", Module: "helm.sh/helm/v3"},
	{Name: "kwok", Group: groupRun, Dir: "tools/kwok", Pkg: "sigs.k8s.io/kwok/cmd/kwok", Module: "sigs.k8s.io/kwok"},
	{
		Name: "karpenter", Group: groupRun, Dir: "tools/karpenter",
		Pkg: "github.com/aws/karpenter-provider-aws/cmd/controller", Module: "github.com/aws/karpenter-provider-aws",
		Ldflags: "-X sigs.k8s.io/karpenter/pkg/operator.Version=${version}",
	},
	{
		Name: "pulumi-language-go", Group: groupRun, Dir: "tools/pulumi-language-go",
		Pkg: "github.com/pulumi/pulumi/sdk/v3/go/pulumi-language-go", Module: "github.com/pulumi/pulumi/sdk/v3",
	},
	{
		Name: "pulumi", Group: groupRun, Dir: "tools/pulumi",
		Pkg: "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi", Module: "github.com/pulumi/pulumi/pkg/v3",
		Ldflags: "-X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v${version}",
		Found:   &pulumiRule,
	},
	{
		Name: "pulumi-resource-kubernetes", Group: groupRun, Dir: "tools/pulumi-resource-kubernetes",
		Pkg: ".", Module: "github.com/pulumi/pulumi-kubernetes/sdk/v4",
		Ldflags:  "-X github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/version.Version=${version}",
		Embedded: []string{"schema-embed.json", "terraform-mapping-embed.json"},
		Plugin:   "resource-kubernetes",
	},
	{
		Name: "pulumi-resource-aws", Group: groupRun, Dir: "tests/awsprovider",
		Pkg: ".", Module: "github.com/pulumi/pulumi-aws/sdk/v6",
		Plugin: "resource-aws", Locate: "locate", SharesCache: true,
	},
	{Name: "gofumpt", Group: groupLint, Dir: "tools/lint", Pkg: "mvdan.cc/gofumpt", Module: "mvdan.cc/gofumpt"},
	{Name: "staticcheck", Group: groupLint, Dir: "tools/lint", Pkg: "honnef.co/go/tools/cmd/staticcheck", Module: "honnef.co/go/tools"},
	{Name: "govulncheck", Group: groupLint, Dir: "tools/lint", Pkg: "golang.org/x/vuln/cmd/govulncheck", Module: "golang.org/x/vuln"},
	{
		Name: "golangci-lint", Group: groupLint, Dir: "tools/golangci-lint",
		Pkg: "github.com/golangci/golangci-lint/v2/cmd/golangci-lint", Module: "github.com/golangci/golangci-lint/v2",
		Ldflags: "-X main.version=${version}",
	},
}

// module is a Go module of which files are wanted, not packages.
type module struct{ Path, Version, Sum string }

// String is the module as its zip names it.
func (m module) String() string { return m.Path + "@v" + m.Version }

// chart is a Helm chart in the folder Dir of a module, packaged with the
// module's version.
type chart struct {
	Name, Dir string
	Of        module
}

// karpenterModule is the module of which the charts and the definitions of
// Karpenter are parts.
const karpenterModule = "github.com/aws/karpenter-provider-aws"

// karpenterReleases are the releases of Karpenter whose charts are packaged and
// whose definitions are extracted. 1.0.8 is the only one here that serves v1beta1
// too; that of the controller in tools/karpenter must be here.
var karpenterReleases = []module{
	{karpenterModule, "1.0.8", "h1:iJrOIXwBKedKZuDJC133twh9muRzsnBej0nIez6oTTI="},
	{karpenterModule, "1.8.2", "h1:oSx4o/7myDNRGXL6YxfielfczQ/8lOYqL03LzfmdqW8="},
	{karpenterModule, "1.9.3", "h1:+zwNEu323+3CX8cgbJUEcVld30zn2NDXtbNrz1MBCIQ="},
	{karpenterModule, "1.10.2", "h1:wmgqnW9b6V7z5gLcVoNxxTcw0N4fJJfL/8NHLh4CHus="},
	{karpenterModule, "1.11.0", "h1:v1z5F/hwUVUuRRYqw3a3ICSYcLnsFwpXy0KujNwYUXw="},
	{karpenterModule, "1.12.0", "h1:i85sVPjpZ0kfUCGZEbg5h1c5FF4M7UrdsQIKYwZHIJA="},
	{karpenterModule, "1.13.1", "h1:brfauuAII/2+xjWO+JLYTEPmAP5Z3WgPcCaMqHXEE74="},
	{karpenterModule, "1.14.1", "h1:WGtIQTQcxpElYMdWfWuPwaF2+9muR+hYhPZsTtoY8Gs="},
	{karpenterModule, "1.15.2", "h1:RGw64PB2ROUHZIUhBqjO78l3zJ9YctnWeullrr4cxYI="},
}

// charts are packaged, the last one last: it shows that all are there.
var charts = append(chartsOfKarpenter(), chart{
	Name: "nvidia-device-plugin", Dir: "deployments/helm/nvidia-device-plugin/",
	Of: module{"github.com/NVIDIA/k8s-device-plugin", "0.18.0", "h1:zTAcR+pU90bEFwLD6WVFn2F77h8bDzqpIuqn+O2Sl/s="},
})

func chartsOfKarpenter() []chart {
	var all []chart
	for _, r := range karpenterReleases {
		for _, name := range []string{"karpenter", "karpenter-crd"} {
			all = append(all, chart{Name: name, Dir: "charts/" + name + "/", Of: r})
		}
	}
	return all
}

// modulesOf returns the modules of charts, each once.
func modulesOf(charts []chart) []module {
	var modules []module
	for _, c := range charts {
		if !slices.Contains(modules, c.Of) {
			modules = append(modules, c.Of)
		}
	}
	return modules
}

// crdFiles are the definitions that every release has. Newer ones have more,
// which are extracted too.
var crdFiles = []string{"karpenter.k8s.aws_ec2nodeclasses.yaml", "karpenter.sh_nodeclaims.yaml", "karpenter.sh_nodepools.yaml"}

// pythonDir holds requirements.txt, from the repository's root.
const pythonDir = "tools/python"

// pythonMin is the oldest Python that requirements.txt resolves for.
const pythonMin = "3.10"
