package main

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

const (
	endpointVariable = "AWS_ENDPOINT_URL"
	ignoreVariable   = "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"

	// nowhere is an endpoint where nothing answers. The Terraform provider gets
	// it when the environment names none, so that a service that the provider's
	// own `endpoints` leave out fails instead of reaching a real account.
	nowhere = "http://127.0.0.1:1"
)

// profileSettings are provider settings that read AWS profiles: a profile can
// hold real keys and can turn configured endpoints off.
var profileSettings = []string{"profile", "shared_config_files", "shared_credentials_files"}

// checkEnvironment refuses an environment that can lead to a real account.
func checkEnvironment(environ []string) error {
	var errs []error
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		switch {
		case value == "":
		case name == ignoreVariable && !strings.EqualFold(value, "false"):
			errs = append(errs, fmt.Errorf("%s=%s would turn the local endpoint off", name, value))
		case isEndpointVariable(name):
			if err := checkLoopback(value); err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", name, err))
			}
		}
	}
	return errors.Join(errs...)
}

// isEndpointVariable knows the SDK's variables (AWS_ENDPOINT_URL and
// AWS_ENDPOINT_URL_SQS), and the Terraform provider's older ones
// (AWS_STS_ENDPOINT, TF_AWS_STS_ENDPOINT).
func isEndpointVariable(name string) bool {
	return name == endpointVariable || strings.HasPrefix(name, endpointVariable+"_") ||
		strings.HasSuffix(name, "_ENDPOINT") &&
			(strings.HasPrefix(name, "AWS_") || strings.HasPrefix(name, "TF_AWS_"))
}

func hasEnvironmentEndpoint() bool { return os.Getenv(endpointVariable) != "" }

// childEnvironment is the Terraform provider's environment: without AWS
// profiles and without the credentials of the machine, and with an endpoint.
func childEnvironment(environ []string) []string {
	overrides := map[string]string{
		"AWS_PROFILE":                            "",
		"AWS_DEFAULT_PROFILE":                    "",
		"AWS_CONFIG_FILE":                        os.DevNull,
		"AWS_SHARED_CREDENTIALS_FILE":            os.DevNull,
		"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "",
		"AWS_CONTAINER_CREDENTIALS_FULL_URI":     "",
		"AWS_EC2_METADATA_DISABLED":              "true",
	}
	if !slices.ContainsFunc(environ, func(v string) bool {
		return strings.HasPrefix(v, endpointVariable+"=") && v != endpointVariable+"="
	}) {
		overrides[endpointVariable] = nowhere
	}
	var out []string
	for _, variable := range environ {
		name, _, _ := strings.Cut(variable, "=")
		if _, ok := overrides[name]; !ok {
			out = append(out, variable)
		}
	}
	for name, value := range overrides {
		if value != "" {
			out = append(out, name+"="+value)
		}
	}
	slices.Sort(out)
	return out
}

// checkConfiguration refuses a provider configuration that can lead to a real
// account. It must name an endpoint, unless the environment does. An endpoint
// that is not known yet counts as none.
func checkConfiguration(schema *tfprotov5.Schema, config *tfprotov5.DynamicValue, environment bool) error {
	attrs, err := attributes(schema, config)
	if err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	var errs []error
	for _, name := range profileSettings {
		values, err := knownStrings(attrs[name])
		if err != nil || len(values) > 0 || !attrs[name].IsFullyKnown() {
			errs = append(errs, fmt.Errorf("%s: this stand-in for tests reads no AWS profile", name))
		}
	}
	endpoints, err := knownStrings(attrs["endpoints"])
	if err != nil {
		errs = append(errs, fmt.Errorf("endpoints: %w", err))
	}
	for _, endpoint := range endpoints {
		if err := checkLoopback(endpoint); err != nil {
			errs = append(errs, fmt.Errorf("endpoints: %w", err))
		}
	}
	if len(endpoints) == 0 && !environment {
		errs = append(errs, fmt.Errorf("no endpoint: set %s, or the provider's endpoints, to a local AWS",
			endpointVariable))
	}
	return errors.Join(errs...)
}

// knownStrings collects the strings in a value that are known and not empty.
func knownStrings(value tftypes.Value) ([]string, error) {
	if value.Type() == nil {
		return nil, nil // The zero value: no such attribute.
	}
	var found []string
	err := tftypes.Walk(value, func(_ *tftypes.AttributePath, v tftypes.Value) (bool, error) {
		if !v.IsKnown() || v.IsNull() || !v.Type().Is(tftypes.String) {
			return true, nil
		}
		var s string
		if err := v.As(&s); err != nil {
			return false, fmt.Errorf("reading a string: %w", err)
		}
		if s != "" {
			found = append(found, s)
		}
		return true, nil
	})
	return found, err
}

// checkLoopback refuses an endpoint on any other machine.
func checkLoopback(endpoint string) error {
	u, err := url.Parse(endpoint)
	if err != nil {
		return err
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("%q is not an http or https address", endpoint)
	}
	if host := u.Hostname(); host != "localhost" && !net.ParseIP(host).IsLoopback() {
		return fmt.Errorf("%q is not a loopback address, and this stand-in for tests must never reach a real account",
			endpoint)
	}
	return nil
}
