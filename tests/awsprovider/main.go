// Command pulumi-resource-aws is a stand-in for tests. It is not pulumi-aws,
// it is not made from pulumi-aws, and it must never reach a real AWS account.
//
// It speaks the Pulumi provider protocol with the tokens and the property
// names of the pulumi-aws Go SDK, and it lets the Terraform AWS provider's
// binary do the work:
//
//	Pulumi engine -> Pulumi's Terraform bridge -> this program -> terraform-provider-aws
//
// Only the resources and functions in resources.go and functions.go are
// mapped. README.md lists the known limits.
//
// Commands:
//
//	pulumi-resource-aws          serve as a plugin; the Pulumi engine starts it so
//	pulumi-resource-aws locate   print the path of the Terraform provider, or fail
package main

import (
	"context"
	"fmt"
	"os"
	"runtime"

	pf "github.com/pulumi/pulumi-terraform-bridge/v3/pkg/pf/tfbridge"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "pulumi-resource-aws (stand-in for tests):", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	path, err := newLocator().locate()
	if err != nil {
		return err
	}
	if len(args) > 0 && args[0] == "locate" {
		fmt.Println(path)
		return nil
	}
	if err := checkEnvironment(os.Environ()); err != nil {
		return fmt.Errorf("refusing to start: %w", err)
	}

	// The kernel ends the Terraform provider when the thread that started it
	// ends. The main thread lives as long as this process.
	runtime.LockOSThread()
	child, err := startPlugin(path, childEnvironment(os.Environ()))
	if err != nil {
		return err
	}
	defer child.stop()

	server, err := newServer(ctx, child.conn, isMapped)
	if err != nil {
		return err
	}
	shimmed, err := server.shim(ctx)
	if err != nil {
		return err
	}
	// The conformance test reports what does not fit. The rest still works.
	provider, _, err := providerInfo(shimmed)
	if err != nil {
		return fmt.Errorf("mapping the Terraform provider: %w", err)
	}
	schema := []byte(`{"name":"aws","version":"` + sdkVersion + `"}`)
	pf.Main(ctx, "aws", provider, pf.ProviderMetadata{PackageSchema: schema})
	return nil
}
