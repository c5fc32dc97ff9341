package pulumicli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Result is what a run of the command line did.
type Result struct {
	// Output is everything it printed.
	Output string
	// ExitCode is 0 if it succeeded.
	ExitCode int
	// Changes are the numbers of resources by operation: "create", "same".
	Changes map[string]int
	// Errors are the error messages of the engine and the program.
	Errors []string
	// Duration is how long it took.
	Duration time.Duration
}

// Changed returns the number of resources that are not left the same.
func (r Result) Changed() int {
	n := 0
	for operation, count := range r.Changes {
		if operation != "same" && operation != "read" {
			n += count
		}
	}
	return n
}

// Failure returns an error with the output if the run failed.
func (r Result) Failure() error {
	if r.ExitCode == 0 {
		return nil
	}
	return fmt.Errorf("exit code %d:\n%s", r.ExitCode, r.Output)
}

// Command runs any command of Pulumi in the project's folder.
func (p *Project) Command(ctx context.Context, args ...string) (Result, error) {
	return p.run(ctx, "", args...)
}

// Operation runs preview, up, refresh or destroy without asking, and reads from
// the engine what it did.
func (p *Project) Operation(ctx context.Context, operation string, flags ...string) (Result, error) {
	log := filepath.Join(p.options.Work, "events.json")
	if err := os.Remove(log); err != nil && !errors.Is(err, os.ErrNotExist) {
		return Result{}, err
	}
	args := append([]string{operation, "--stack", Stack, "--event-log", log}, flags...)
	if operation != "preview" {
		args = append(args, "--yes", "--skip-preview")
	}
	result, err := p.run(ctx, operation, args...)
	if err != nil {
		return result, err
	}
	return result, readEvents(log, &result)
}

// Outputs returns the stack's outputs.
func (p *Project) Outputs(ctx context.Context) (map[string]any, error) {
	var outputs map[string]any
	return outputs, p.json(ctx, &outputs, "stack", "output", "--json", "--stack", Stack)
}

// Export returns the stack's state.
func (p *Project) Export(ctx context.Context) (string, error) {
	r, err := p.Command(ctx, "stack", "export", "--stack", Stack)
	if err != nil {
		return "", err
	}
	return r.Output, r.Failure()
}

// Init makes the stack.
func (p *Project) Init(ctx context.Context) error {
	r, err := p.Command(ctx, "stack", "init", Stack)
	if err != nil {
		return err
	}
	return r.Failure()
}

func (p *Project) json(ctx context.Context, into any, args ...string) error {
	r, err := p.Command(ctx, args...)
	if err != nil {
		return err
	}
	if err := r.Failure(); err != nil {
		return err
	}
	return json.Unmarshal([]byte(r.Output), into)
}

// run starts pulumi as the head of a session of its own. If the context ends it
// asks pulumi to stop. However it ends, nothing of the session stays.
func (p *Project) run(ctx context.Context, what string, args ...string) (Result, error) {
	cmd := exec.CommandContext(ctx, filepath.Join(p.options.Tools, "pulumi"), args...)
	cmd.Dir, cmd.Env = p.dir, p.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGINT) }
	cmd.WaitDelay = 20 * time.Second
	var output bytes.Buffer
	both := &lockedWriter{w: io.MultiWriter(&output, p.options.Output)}
	cmd.Stdout, cmd.Stderr = both, both
	start := time.Now()
	err := cmd.Run()
	if cmd.Process != nil {
		endSession(cmd.Process.Pid)
	}
	result := Result{Output: output.String(), Duration: time.Since(start)}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return result, fmt.Errorf("pulumi %s: %w", what, ctx.Err())
	case errors.As(err, &exit):
		result.ExitCode = exit.ExitCode()
	case err != nil:
		return result, fmt.Errorf("pulumi %s: %w", what, err)
	}
	return result, nil
}

// readEvents reads the engine's events, one JSON object a line.
func readEvents(path string, result *Result) error {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil // the command ended before the engine started
	}
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // only read
	lines := bufio.NewReader(file)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var event struct {
				Summary *struct {
					Changes map[string]int `json:"resourceChanges"`
				} `json:"summaryEvent"`
				Diagnostic *struct{ Severity, Message string } `json:"diagnosticEvent"`
			}
			if err := json.Unmarshal(line, &event); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			if event.Summary != nil {
				result.Changes = event.Summary.Changes
			}
			if event.Diagnostic != nil && event.Diagnostic.Severity == "error" {
				result.Errors = append(result.Errors, strings.TrimSpace(event.Diagnostic.Message))
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// lockedWriter lets two streams share a writer.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lockedWriter) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(b)
}
