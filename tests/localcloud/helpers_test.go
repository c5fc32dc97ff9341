package localcloud

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// startCloud starts a cloud for the test and stops it at its end.
func startCloud(t *testing.T, o Options) *Cloud {
	t.Helper()
	if o.Dir == "" {
		o.Dir = t.TempDir() + "/cloud"
	}
	o.Log = t.Output()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	c, err := Start(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// aws runs a command of the AWS CLI, which must work, and decodes its answer.
func aws[T any](t *testing.T, c *Cloud, args ...string) T {
	t.Helper()
	var answer T
	output, err := workers.run(c, args)
	if err == nil && len(output) > 0 {
		err = json.Unmarshal(output, &answer)
	}
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

type object = map[string]any

// refused runs a command of the AWS CLI, which must be refused with the error code and the text.
func refused(t *testing.T, c *Cloud, code, text string, args ...string) {
	t.Helper()
	_, err := workers.run(c, args)
	var refusal *AWSError
	if !errors.As(err, &refusal) {
		t.Errorf("aws %s: got %v, want %s", strings.Join(args, " "), err, code)
		return
	}
	if !strings.Contains(refusal.Message, "("+code+")") || !strings.Contains(refusal.Message, text) {
		t.Errorf("got %q, want (%s) with %q", refusal.Message, code, text)
	}
}

// workerPool runs commands of the AWS CLI in one process, see testdata/aws_worker.py. It does what
// Cloud.AWS does in a tenth of the time.
type workerPool struct {
	mu      sync.Mutex
	input   *json.Encoder
	replies *json.Decoder
}

var workers workerPool

// start starts the process; it ends when its input does, with the tests.
func (w *workerPool) start(c *Cloud) error {
	cmd := exec.Command(c.tools.program("venv/bin/python"), "testdata/aws_worker.py")
	cmd.Env, cmd.Stderr = cleanEnviron(), os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	w.input, w.replies = json.NewEncoder(stdin), json.NewDecoder(stdout)
	return cmd.Start()
}

func (w *workerPool) run(c *Cloud, args []string) ([]byte, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.input == nil {
		if err := w.start(c); err != nil {
			return nil, err
		}
	}
	env := map[string]string{}
	for _, variable := range c.Env() {
		name, value, _ := strings.Cut(variable, "=")
		env[name] = value
	}
	command := append([]string{"--output", "json", "--endpoint-url", env["AWS_ENDPOINT_URL"]}, args...)
	if err := w.input.Encode(map[string]any{"args": command, "env": env}); err != nil {
		return nil, err
	}
	var reply struct {
		Code           int
		Stdout, Stderr string
	}
	if err := w.replies.Decode(&reply); err != nil {
		return nil, err
	}
	if reply.Code != 0 {
		return nil, &AWSError{Args: args, Message: strings.TrimSpace(reply.Stderr)}
	}
	return []byte(reply.Stdout), nil
}

// eventually waits until the function says so.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !done(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within a minute", what)
		}
	}
}

// requireGone fails when anything of a cloud is left.
func requireGone(t *testing.T, dir, id string) {
	t.Helper()
	if left := markedProcesses(id); len(left) > 0 {
		t.Errorf("processes are left: %v", left)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder %s is left (%v)", dir, err)
	}
}
