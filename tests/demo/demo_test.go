package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// watched collects what a program prints and tells when it has said something.
type watched struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (w *watched) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(b)
}

func (w *watched) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

// startDemo builds the demo and starts `demo up` in a folder, as make does.
func startDemo(t *testing.T, dir string) (*exec.Cmd, *watched) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "demo")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd, said := exec.Command(program, "up"), &watched{}
	cmd.Env = append(os.Environ(), folderVariable+"="+dir)
	cmd.Stdout, cmd.Stderr = said, said
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, said
}

// TestInterrupted presses Ctrl-C while the engine works: everything that the
// demo started ends, and its folder is gone, so that the next one can start.
func TestInterrupted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "demo")
	cmd, said := startDemo(t, dir)
	t.Cleanup(func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	for deadline := time.Now().Add(10 * time.Minute); !strings.Contains(said.String(), "RolePolicyAttachment karpenter-iam-node-AmazonEKSWorkerNodePolicy created"); {
		if time.Now().After(deadline) {
			t.Fatalf("no resource was created:\n%s", said)
		}
		time.Sleep(100 * time.Millisecond)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 130 {
		t.Errorf("it ended with %v:\n%s", err, said)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("its folder is still there: %v", err)
	}
	for _, line := range processesOf(t, dir) {
		t.Errorf("still running: %s", line)
	}
}

// processesOf returns the command lines that name a folder.
func processesOf(t *testing.T, dir string) []string {
	t.Helper()
	paths, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		if line := string(bytes.ReplaceAll(b, []byte{0}, []byte{' '})); strings.Contains(line, dir) {
			found = append(found, line)
		}
	}
	return found
}
