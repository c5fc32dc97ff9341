package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// tailLines is how much of a log a failure shows.
const tailLines = 30

// command is one program to run, its output going to a log.
type command struct {
	dir  string
	env  []string // added to the installer's own
	argv []string
}

// String is the command as a person would type it.
func (c command) String() string {
	var b strings.Builder
	if c.dir != "" {
		fmt.Fprintf(&b, "cd %s && ", c.dir)
	}
	for _, e := range c.env {
		b.WriteString(e + " ")
	}
	for i, arg := range c.argv {
		if i > 0 {
			b.WriteString(" ")
		}
		if strings.ContainsAny(arg, " $'\"") {
			arg = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
		b.WriteString(arg)
	}
	return b.String()
}

// commandError is a command that failed, with the end of what it printed.
type commandError struct {
	cmd  command
	err  error
	log  string
	tail string
}

func (e *commandError) Error() string {
	msg := fmt.Sprintf("%v\n  command: %s", e.err, e.cmd)
	if e.tail != "" {
		msg += "\n  its last lines:\n    " + strings.ReplaceAll(e.tail, "\n", "\n    ")
	}
	return msg + "\n  log: " + e.log
}

func (e *commandError) Unwrap() error { return e.err }

// logFile collects the output of the commands of one artefact.
type logFile struct {
	path string
	f    *os.File
}

func openLog(path string) (*logFile, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	return &logFile{path, f}, nil
}

func (l *logFile) close() { _ = l.f.Close() }

// run runs a command with its output in the log and returns its standard
// output too. When ctx ends, the whole process group of the command goes.
func (l *logFile) run(ctx context.Context, c command) (stdout []byte, err error) {
	fmt.Fprintf(l.f, "$ %s\n", c)
	var out bytes.Buffer
	var all syncWriter
	cmd := exec.CommandContext(ctx, c.argv[0], c.argv[1:]...)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), c.env...)
	all.log = l.f
	cmd.Stdout = io.MultiWriter(&out, &all)
	cmd.Stderr = &all
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 5 * time.Second
	err = cmd.Run()
	if ctx.Err() != nil {
		if cmd.Process != nil {
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // whoever ignored the first signal
		}
		return nil, ctx.Err()
	}
	if err != nil {
		fmt.Fprintf(l.f, "failed: %v\n", err)
		return out.Bytes(), &commandError{cmd: c, err: err, log: l.path, tail: tail(all.text.String(), tailLines)}
	}
	return out.Bytes(), nil
}

// syncWriter takes both outputs of a command, in the order they come.
type syncWriter struct {
	mu   sync.Mutex
	text bytes.Buffer
	log  io.Writer
}

func (w *syncWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text.Write(p)
	return w.log.Write(p)
}

// tail returns the last lines of a text.
func tail(text string, n int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(lines) > n {
		lines = lines[len(lines)-n:]
	}
	return strings.Join(lines, "\n")
}

// reason is what a failed command said, or the error itself.
func reason(err error) string {
	var failed *commandError
	if errors.As(err, &failed) && failed.tail != "" {
		return failed.tail
	}
	return err.Error()
}

// oneLine joins the lines of an output.
func oneLine(out []byte) string { return strings.Join(strings.Fields(string(out)), " ") }

// asExit finds the exit of a program in an error.
func asExit(err error) (*exec.ExitError, bool) {
	var exit *exec.ExitError
	ok := errors.As(err, &exit)
	return exit, ok
}
