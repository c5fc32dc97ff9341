package localcloud

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Env are the variables that make the AWS CLI, SDKs, Terraform providers and kubectl use the cloud.
// The keys are the local IAM's, so that a missing endpoint fails instead of reaching an account.
func (c *Cloud) Env() []string {
	c.mu.Lock()
	keys := c.state.Credentials
	c.mu.Unlock()
	noProxy := "127.0.0.1,localhost"
	if given := os.Getenv("NO_PROXY"); given != "" {
		noProxy += "," + given
	}
	return []string{
		"AWS_ENDPOINT_URL=" + c.awsEndpoint(),
		"AWS_REGION=" + Region,
		"AWS_DEFAULT_REGION=" + Region,
		"AWS_ACCESS_KEY_ID=" + keys.AccessKeyID,
		"AWS_SECRET_ACCESS_KEY=" + keys.SecretAccessKey,
		"AWS_EC2_METADATA_DISABLED=true",
		// Providers try 25 times by default: a fault of the cloud would cost minutes.
		"AWS_MAX_ATTEMPTS=3",
		"AWS_CONFIG_FILE=" + c.file("aws-config"),
		"AWS_SHARED_CREDENTIALS_FILE=" + c.file("aws-credentials"),
		"AWS_PAGER=",
		"KUBECONFIG=" + c.Kubeconfig(),
		"NO_PROXY=" + noProxy,
		"no_proxy=" + noProxy,
		"LOCALCLOUD_AWS_CLI=" + c.tools.program("venv/bin/aws"),
		"PATH=" + c.file("bin") + string(os.PathListSeparator) + c.tools.path(),
	}
}

// Environ is the environment of this process, less what it says about AWS and Kubernetes, with Env.
func (c *Cloud) Environ() []string { return append(cleanEnviron(), c.Env()...) }

// cleanEnviron is the environment without variables of AWS, moto and Kubernetes, which could lead
// to a real account.
func cleanEnviron() []string {
	var kept []string
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if !isForeign(name) {
			kept = append(kept, variable)
		}
	}
	return kept
}

func isForeign(name string) bool {
	return strings.HasPrefix(name, "AWS_") || strings.HasPrefix(name, "MOTO_") ||
		strings.HasPrefix(name, "PYTHON") || name == "KUBECONFIG" || name == markVariable
}

// AWSError is a call of the AWS CLI that failed.
type AWSError struct {
	// Args are the arguments after "aws".
	Args []string
	// Message is what the CLI said, which holds the error code in parentheses.
	Message string
}

func (e *AWSError) Error() string {
	return fmt.Sprintf("aws %s: %s", strings.Join(e.Args, " "), e.Message)
}

// AWS runs the AWS CLI against the cloud and returns what it prints, which is JSON. A call that is
// refused is an *AWSError.
func (c *Cloud) AWS(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, c.awsCLI(), append([]string{"--output", "json"}, args...)...)
	cmd.Env = c.Environ()
	output, err := run(cmd, "")
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return output, &AWSError{Args: args, Message: strings.TrimSpace(string(exit.Stderr))}
	}
	return output, err
}

// run runs a command and returns its standard output; an ExitError holds the standard error.
func run(cmd *exec.Cmd, input string) ([]byte, error) {
	var output, problems bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), &output, &problems
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		exit.Stderr = problems.Bytes()
	}
	return output.Bytes(), err
}

// python runs a script of the folder aws against the cloud.
func (c *Cloud) python(ctx context.Context, module, input string, env ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, c.tools.program("venv/bin/python"), "-m", "aws."+module)
	cmd.Env = append(append(c.Environ(), "PYTHONPATH="+c.dir), env...)
	output, err := run(cmd, input)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil, fmt.Errorf("%s.py: %w\n%s", module, err, exit.Stderr)
	}
	return output, err
}

// awsCLI is the AWS CLI that only knows the cloud, see awsWrapper.
func (c *Cloud) awsCLI() string { return c.file(filepath.Join("bin", "aws")) }

// awsEndpoint is the URL of the local AWS.
func (c *Cloud) awsEndpoint() string {
	return fmt.Sprintf("http://127.0.0.1:%d", c.partState(partAWS).Port)
}
