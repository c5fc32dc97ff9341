package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

func TestCheckLoopback(t *testing.T) {
	for _, endpoint := range []string{
		"http://127.0.0.1:5000", "https://127.9.9.9", "http://[::1]:80/", "http://localhost:4566",
	} {
		if err := checkLoopback(endpoint); err != nil {
			t.Errorf("%s: %v", endpoint, err)
		}
	}
	for _, endpoint := range []string{
		"https://sqs.us-east-1.amazonaws.com", "http://10.0.0.1", "http://0.0.0.0:5000", "http://localhost.example.com",
		"http://127.0.0.1.example.com", "http://127.0.0.1@example.com", "127.0.0.1:5000", "localhost", "", "http://", "://",
	} {
		if err := checkLoopback(endpoint); err == nil {
			t.Errorf("%q passes", endpoint)
		}
	}
}

func TestCheckEnvironment(t *testing.T) {
	tests := map[string]struct {
		environ []string
		want    string // "" passes
	}{
		"nothing":                   {nil, ""},
		"a local endpoint":          {[]string{"AWS_ENDPOINT_URL=http://127.0.0.1:5000"}, ""},
		"another machine":           {[]string{"AWS_ENDPOINT_URL=http://192.0.2.1:5000"}, "AWS_ENDPOINT_URL: "},
		"another machine's service": {[]string{"AWS_ENDPOINT_URL_SQS=https://sqs.example"}, "AWS_ENDPOINT_URL_SQS: "},
		"an older name":             {[]string{"TF_AWS_STS_ENDPOINT=https://sts.example"}, "TF_AWS_STS_ENDPOINT: "},
		"the oldest name":           {[]string{"AWS_STS_ENDPOINT=https://sts.example"}, "AWS_STS_ENDPOINT: "},
		"not AWS":                   {[]string{"OTHER_ENDPOINT=https://sts.example"}, ""},
		"empty":                     {[]string{"AWS_ENDPOINT_URL=", "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS="}, ""},
		"endpoints ignored":         {[]string{"AWS_IGNORE_CONFIGURED_ENDPOINT_URLS=true"}, "local endpoint off"},
		"endpoints Ignored":         {[]string{"AWS_IGNORE_CONFIGURED_ENDPOINT_URLS=TRUE"}, "local endpoint off"},
		"endpoints not ignored":     {[]string{"AWS_IGNORE_CONFIGURED_ENDPOINT_URLS=False"}, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { expectError(t, checkEnvironment(test.environ), test.want) })
	}
}

// expectError holds that the error says want, or that there is none for "".
func expectError(t *testing.T, err error, want string) {
	t.Helper()
	if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
		t.Errorf("got error %v, want %q", err, want)
	}
}

func TestChildEnvironment(t *testing.T) {
	got := childEnvironment([]string{
		"HOME=/h", "AWS_PROFILE=production", "AWS_CONFIG_FILE=/c", "AWS_SHARED_CREDENTIALS_FILE=/s",
		"AWS_CONTAINER_CREDENTIALS_FULL_URI=http://169.254.170.2/", "AWS_ACCESS_KEY_ID=test",
	})
	want := []string{
		"AWS_ACCESS_KEY_ID=test", "AWS_CONFIG_FILE=/dev/null", "AWS_EC2_METADATA_DISABLED=true",
		"AWS_ENDPOINT_URL=" + nowhere, "AWS_SHARED_CREDENTIALS_FILE=/dev/null", "HOME=/h",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	local := "AWS_ENDPOINT_URL=http://127.0.0.1:5000"
	if got := childEnvironment([]string{local}); !slices.Contains(got, local) || slices.Contains(got, "AWS_ENDPOINT_URL="+nowhere) {
		t.Errorf("got %q, want the local endpoint only", got)
	}
}

// providerSchema has the settings of the Terraform provider that matter here.
var providerSchema = &tfprotov5.Schema{Block: &tfprotov5.SchemaBlock{
	Attributes: []*tfprotov5.SchemaAttribute{
		{Name: "profile", Type: tftypes.String, Optional: true},
		{Name: "shared_config_files", Type: stringList, Optional: true},
		{Name: "shared_credentials_files", Type: stringList, Optional: true},
	},
	BlockTypes: []*tfprotov5.SchemaNestedBlock{{
		TypeName: "endpoints", Nesting: tfprotov5.SchemaNestedBlockNestingModeSet,
		Block: &tfprotov5.SchemaBlock{Attributes: []*tfprotov5.SchemaAttribute{
			{Name: "iam", Type: tftypes.String, Optional: true},
			{Name: "sqs", Type: tftypes.String, Optional: true},
		}},
	}},
}}

func TestCheckConfiguration(t *testing.T) {
	files := tftypes.NewValue(stringList, []tftypes.Value{tftypes.NewValue(tftypes.String, "/c")})
	none := tftypes.NewValue(stringList, []tftypes.Value{})
	unknown := tftypes.NewValue(tftypes.String, tftypes.UnknownValue)
	local, remote := "http://127.0.0.1:5000", "https://sqs.us-east-1.amazonaws.com"
	tests := map[string]struct {
		attrs       map[string]tftypes.Value
		environment bool
		want        string // "" passes
	}{
		"no endpoint":                {nil, false, "no endpoint"},
		"endpoint by environment":    {nil, true, ""},
		"endpoint by configuration":  {endpoints(local, nil), false, ""},
		"two endpoints":              {endpoints(local, local), false, ""},
		"empty endpoints":            {endpoints(nil, nil), false, "no endpoint"},
		"unknown endpoint":           {endpoints(tftypes.UnknownValue, nil), false, "no endpoint"},
		"unknown, with environment":  {endpoints(tftypes.UnknownValue, nil), true, ""},
		"one remote endpoint":        {endpoints(local, remote), false, "not a loopback address"},
		"remote, with environment":   {endpoints(nil, remote), true, "not a loopback address"},
		"a profile":                  {map[string]tftypes.Value{"profile": tftypes.NewValue(tftypes.String, "p")}, true, "profile"},
		"an unknown profile":         {map[string]tftypes.Value{"profile": unknown}, true, "profile"},
		"a file of profiles":         {map[string]tftypes.Value{"shared_config_files": files}, true, "shared_config_files"},
		"a file of credentials":      {map[string]tftypes.Value{"shared_credentials_files": files}, true, "shared_credentials_files"},
		"an empty list of the files": {map[string]tftypes.Value{"shared_config_files": none}, true, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			object, ok := providerSchema.ValueType().(tftypes.Object)
			if !ok {
				t.Fatal("the schema is no object")
			}
			attrs := map[string]tftypes.Value{}
			for name, typ := range object.AttributeTypes {
				attrs[name] = tftypes.NewValue(typ, nil)
				if v, ok := test.attrs[name]; ok {
					attrs[name] = v
				}
			}
			config := dynamic(t, providerSchema, attrs)
			expectError(t, checkConfiguration(providerSchema, config, test.environment), test.want)
		})
	}
}

// endpoints is a configuration with one endpoints block.
func endpoints(iam, sqs any) map[string]tftypes.Value {
	block := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"iam": tftypes.String, "sqs": tftypes.String}}
	return map[string]tftypes.Value{"endpoints": tftypes.NewValue(
		tftypes.Set{ElementType: block}, []tftypes.Value{tftypes.NewValue(block, map[string]tftypes.Value{
			"iam": tftypes.NewValue(tftypes.String, iam),
			"sqs": tftypes.NewValue(tftypes.String, sqs),
		})},
	)}
}

func TestCheckConfigurationErrors(t *testing.T) {
	expectError(t, checkConfiguration(providerSchema, nil, false), "no endpoint")
	broken := &tfprotov5.DynamicValue{MsgPack: []byte{0xc1}}
	expectError(t, checkConfiguration(providerSchema, broken, true), "configuration")
}

// TestConfigureRefuses holds that a refused configuration is not forwarded.
func TestConfigureRefuses(t *testing.T) {
	s := &server{conn: failingConn{}, schema: &tfprotov5.GetProviderSchemaResponse{Provider: providerSchema}}
	_, err := s.ConfigureProvider(t.Context(), &tfprotov5.ConfigureProviderRequest{})
	expectError(t, err, "refusing to configure: no endpoint")
	s.endpoint = true
	_, err = s.ConfigureProvider(t.Context(), &tfprotov5.ConfigureProviderRequest{})
	expectError(t, err, "connection lost")
}
