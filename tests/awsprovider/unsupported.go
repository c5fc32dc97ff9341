package main

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
)

// unsupported is the part of tfprotov5.ProviderServer that the bridge never
// calls: functions, ephemeral resources, moves and resource identities. Each
// call is an error.
type unsupported struct{}

func notForwarded[Response any](rpc string) (*Response, error) {
	return nil, fmt.Errorf("%s: this stand-in does not forward the call", rpc)
}

// GetResourceIdentitySchemas is an error.
func (unsupported) GetResourceIdentitySchemas(context.Context, *tfprotov5.GetResourceIdentitySchemasRequest) (
	*tfprotov5.GetResourceIdentitySchemasResponse, error,
) {
	return notForwarded[tfprotov5.GetResourceIdentitySchemasResponse]("GetResourceIdentitySchemas")
}

// UpgradeResourceIdentity is an error.
func (unsupported) UpgradeResourceIdentity(context.Context, *tfprotov5.UpgradeResourceIdentityRequest) (
	*tfprotov5.UpgradeResourceIdentityResponse, error,
) {
	return notForwarded[tfprotov5.UpgradeResourceIdentityResponse]("UpgradeResourceIdentity")
}

// MoveResourceState is an error.
func (unsupported) MoveResourceState(context.Context, *tfprotov5.MoveResourceStateRequest) (
	*tfprotov5.MoveResourceStateResponse, error,
) {
	return notForwarded[tfprotov5.MoveResourceStateResponse]("MoveResourceState")
}

// CallFunction is an error.
func (unsupported) CallFunction(context.Context, *tfprotov5.CallFunctionRequest) (
	*tfprotov5.CallFunctionResponse, error,
) {
	return notForwarded[tfprotov5.CallFunctionResponse]("CallFunction")
}

// GetFunctions is an error.
func (unsupported) GetFunctions(context.Context, *tfprotov5.GetFunctionsRequest) (
	*tfprotov5.GetFunctionsResponse, error,
) {
	return notForwarded[tfprotov5.GetFunctionsResponse]("GetFunctions")
}

// ValidateEphemeralResourceConfig is an error.
func (unsupported) ValidateEphemeralResourceConfig(
	context.Context, *tfprotov5.ValidateEphemeralResourceConfigRequest,
) (*tfprotov5.ValidateEphemeralResourceConfigResponse, error) {
	return notForwarded[tfprotov5.ValidateEphemeralResourceConfigResponse]("ValidateEphemeralResourceConfig")
}

// OpenEphemeralResource is an error.
func (unsupported) OpenEphemeralResource(context.Context, *tfprotov5.OpenEphemeralResourceRequest) (
	*tfprotov5.OpenEphemeralResourceResponse, error,
) {
	return notForwarded[tfprotov5.OpenEphemeralResourceResponse]("OpenEphemeralResource")
}

// RenewEphemeralResource is an error.
func (unsupported) RenewEphemeralResource(context.Context, *tfprotov5.RenewEphemeralResourceRequest) (
	*tfprotov5.RenewEphemeralResourceResponse, error,
) {
	return notForwarded[tfprotov5.RenewEphemeralResourceResponse]("RenewEphemeralResource")
}

// CloseEphemeralResource is an error.
func (unsupported) CloseEphemeralResource(context.Context, *tfprotov5.CloseEphemeralResourceRequest) (
	*tfprotov5.CloseEphemeralResourceResponse, error,
) {
	return notForwarded[tfprotov5.CloseEphemeralResourceResponse]("CloseEphemeralResource")
}
