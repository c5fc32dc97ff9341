package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-mux/tf5to6server"
	"github.com/pulumi/pulumi-terraform-bridge/v3/pkg/pf/proto"
	shim "github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfshim"
	"google.golang.org/grpc"
)

// server is a tfprotov5.ProviderServer that forwards each call to a Terraform
// provider in another process.
type server struct {
	unsupported

	conn   grpc.ClientConnInterface
	schema *tfprotov5.GetProviderSchemaResponse

	// endpoint tells that the environment names an endpoint for all services.
	endpoint bool
}

var _ tfprotov5.ProviderServer = (*server)(nil)

// newServer reads the provider's schema once, as every call needs it. Only the
// resources and data sources that keep names are decoded: the provider has
// some two thousand.
func newServer(ctx context.Context, conn grpc.ClientConnInterface, keep func(tfType string) bool) (*server, error) {
	var schema tfprotov5.GetProviderSchemaResponse
	err := call(ctx, conn, "GetSchema", "GetProviderSchema", &tfprotov5.GetProviderSchemaRequest{}, &schema, keep)
	if err != nil {
		return nil, fmt.Errorf("reading the Terraform provider's schema: %w", err)
	}
	if schema.Provider == nil {
		return nil, errors.New("the Terraform provider has no schema of its own configuration")
	}
	return &server{conn: conn, schema: &schema, endpoint: hasEnvironmentEndpoint()}, nil
}

// shim wraps the server for Pulumi's Terraform bridge.
func (s *server) shim(ctx context.Context) (shim.Provider, error) {
	upgraded, err := tf5to6server.UpgradeServer(ctx, func() tfprotov5.ProviderServer { return s })
	if err != nil {
		return nil, fmt.Errorf("upgrading to Terraform's protocol 6: %w", err)
	}
	return proto.New(ctx, upgraded), nil
}

// forward makes the call, for the calls whose messages carry the call's name.
func forward[Response any](ctx context.Context, s *server, rpc string, request any) (*Response, error) {
	response := new(Response)
	if err := call(ctx, s.conn, rpc, rpc, request, response, nil); err != nil {
		return nil, err
	}
	return response, nil
}

// call makes one call of Terraform's plugin protocol, version 5.
func call(ctx context.Context, conn grpc.ClientConnInterface, rpc, message string, request, response any,
	keep func(string) bool,
) error {
	in, err := newMessage("tfplugin5." + message + ".Request")
	if err != nil {
		return err
	}
	out, err := newMessage("tfplugin5." + message + ".Response")
	if err != nil {
		return err
	}
	if err := encode(request, in); err != nil {
		return fmt.Errorf("%s: request: %w", rpc, err)
	}
	if err := conn.Invoke(ctx, "/tfplugin5.Provider/"+rpc, in.Interface(), out.Interface()); err != nil {
		return fmt.Errorf("%s: %w", rpc, err)
	}
	if err := decode(out, response, keep); err != nil {
		return fmt.Errorf("%s: response: %w", rpc, err)
	}
	return nil
}

// GetMetadata answers with nothing: the bridge reads the schema instead.
func (s *server) GetMetadata(context.Context, *tfprotov5.GetMetadataRequest) (
	*tfprotov5.GetMetadataResponse, error,
) {
	return &tfprotov5.GetMetadataResponse{}, nil
}

// GetProviderSchema answers with the schema that newServer read.
func (s *server) GetProviderSchema(context.Context, *tfprotov5.GetProviderSchemaRequest) (
	*tfprotov5.GetProviderSchemaResponse, error,
) {
	return s.schema, nil
}

// PrepareProviderConfig forwards.
func (s *server) PrepareProviderConfig(ctx context.Context, r *tfprotov5.PrepareProviderConfigRequest) (
	*tfprotov5.PrepareProviderConfigResponse, error,
) {
	return forward[tfprotov5.PrepareProviderConfigResponse](ctx, s, "PrepareProviderConfig", r)
}

// ConfigureProvider forwards a configuration that cannot reach a real account,
// and refuses any other.
func (s *server) ConfigureProvider(ctx context.Context, r *tfprotov5.ConfigureProviderRequest) (
	*tfprotov5.ConfigureProviderResponse, error,
) {
	if err := checkConfiguration(s.schema.Provider, r.Config, s.endpoint); err != nil {
		return nil, fmt.Errorf("refusing to configure: %w", err)
	}
	return forward[tfprotov5.ConfigureProviderResponse](ctx, s, "Configure", r)
}

// StopProvider forwards.
func (s *server) StopProvider(ctx context.Context, r *tfprotov5.StopProviderRequest) (
	*tfprotov5.StopProviderResponse, error,
) {
	return forward[tfprotov5.StopProviderResponse](ctx, s, "Stop", r)
}

// ValidateResourceTypeConfig forwards, without computed attributes.
func (s *server) ValidateResourceTypeConfig(ctx context.Context, r *tfprotov5.ValidateResourceTypeConfigRequest) (
	*tfprotov5.ValidateResourceTypeConfigResponse, error,
) {
	if err := nullComputed(s.schema.ResourceSchemas, r.TypeName, &r.Config); err != nil {
		return nil, err
	}
	return forward[tfprotov5.ValidateResourceTypeConfigResponse](ctx, s, "ValidateResourceTypeConfig", r)
}

// UpgradeResourceState forwards.
func (s *server) UpgradeResourceState(ctx context.Context, r *tfprotov5.UpgradeResourceStateRequest) (
	*tfprotov5.UpgradeResourceStateResponse, error,
) {
	return forward[tfprotov5.UpgradeResourceStateResponse](ctx, s, "UpgradeResourceState", r)
}

// ReadResource forwards.
func (s *server) ReadResource(ctx context.Context, r *tfprotov5.ReadResourceRequest) (
	*tfprotov5.ReadResourceResponse, error,
) {
	return forward[tfprotov5.ReadResourceResponse](ctx, s, "ReadResource", r)
}

// PlanResourceChange forwards, without computed attributes.
func (s *server) PlanResourceChange(ctx context.Context, r *tfprotov5.PlanResourceChangeRequest) (
	*tfprotov5.PlanResourceChangeResponse, error,
) {
	if err := nullComputed(s.schema.ResourceSchemas, r.TypeName, &r.Config); err != nil {
		return nil, err
	}
	return forward[tfprotov5.PlanResourceChangeResponse](ctx, s, "PlanResourceChange", r)
}

// ApplyResourceChange forwards, without computed attributes.
func (s *server) ApplyResourceChange(ctx context.Context, r *tfprotov5.ApplyResourceChangeRequest) (
	*tfprotov5.ApplyResourceChangeResponse, error,
) {
	if err := nullComputed(s.schema.ResourceSchemas, r.TypeName, &r.Config); err != nil {
		return nil, err
	}
	return forward[tfprotov5.ApplyResourceChangeResponse](ctx, s, "ApplyResourceChange", r)
}

// ImportResourceState forwards.
func (s *server) ImportResourceState(ctx context.Context, r *tfprotov5.ImportResourceStateRequest) (
	*tfprotov5.ImportResourceStateResponse, error,
) {
	return forward[tfprotov5.ImportResourceStateResponse](ctx, s, "ImportResourceState", r)
}

// ValidateDataSourceConfig forwards, without computed attributes.
func (s *server) ValidateDataSourceConfig(ctx context.Context, r *tfprotov5.ValidateDataSourceConfigRequest) (
	*tfprotov5.ValidateDataSourceConfigResponse, error,
) {
	if err := nullComputed(s.schema.DataSourceSchemas, r.TypeName, &r.Config); err != nil {
		return nil, err
	}
	return forward[tfprotov5.ValidateDataSourceConfigResponse](ctx, s, "ValidateDataSourceConfig", r)
}

// ReadDataSource forwards, without computed attributes.
func (s *server) ReadDataSource(ctx context.Context, r *tfprotov5.ReadDataSourceRequest) (
	*tfprotov5.ReadDataSourceResponse, error,
) {
	if err := nullComputed(s.schema.DataSourceSchemas, r.TypeName, &r.Config); err != nil {
		return nil, err
	}
	return forward[tfprotov5.ReadDataSourceResponse](ctx, s, "ReadDataSource", r)
}
