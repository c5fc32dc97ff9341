package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/valohai/pulumi-kubernetes-autoscaling/tests/localcloud"
)

// program is the built command with a folder.
type program struct {
	path, dir string
}

func buildProgram(t *testing.T) program {
	t.Helper()
	temp := t.TempDir()
	p := program{filepath.Join(temp, "localcloud"), filepath.Join(temp, "cloud")}
	if output, err := exec.Command("go", "build", "-o", p.path, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	t.Cleanup(func() { _ = localcloud.Remove(p.dir) })
	return p
}

// run runs a subcommand, expects its exit code and returns what it printed.
func (p program) run(t *testing.T, code int, subcommand string) string {
	t.Helper()
	cmd := exec.Command(p.path, subcommand, "--dir", p.dir)
	output, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != code {
		t.Fatalf("%s: got %v, want exit code %d\n%s", subcommand, err, code, output)
	}
	return string(output)
}

func (p program) requireNoFolder(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(p.dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder is left (%v)", err)
	}
}

func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in:\n%s", part, text)
		}
	}
}

func TestCommand(t *testing.T) {
	p := buildProgram(t)
	contains(t, p.run(t, exitNotRunning, "status"), "no cloud is running")
	contains(t, p.run(t, 0, "down"), "not running")

	interrupt(t, p)

	contains(t, p.run(t, 0, "up"), "kube-apiserver is ready", "EKS cluster ml-prod")
	contains(t, p.run(t, 0, "up"), "already up")
	contains(t, p.run(t, 0, "status"), "PART", "kube-scheduler", "running", "MiB")
	contains(t, p.run(t, 0, "env"), "export AWS_ENDPOINT_URL='http://127.0.0.1:", "export KUBECONFIG='"+p.dir+"/kubeconfig'")

	cloud, err := localcloud.Open(p.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range cloud.Status() {
		if part.Name == "kube-scheduler" {
			if err := syscall.Kill(part.PID, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
		}
	}
	<-cloud.Done()
	contains(t, p.run(t, exitFailure, "status"), "crashed", "Serving securely")
	contains(t, p.run(t, exitFailure, "up"), "is broken", "kube-scheduler has ended")
	contains(t, p.run(t, 0, "down"), "nothing of it is left")
	p.requireNoFolder(t)
	contains(t, p.run(t, exitNotRunning, "status"), "no cloud is running")
}

// interrupt ends `up` in its middle, once as Ctrl-C does and once without a chance to clean up.
func interrupt(t *testing.T, p program) {
	for _, end := range []syscall.Signal{syscall.SIGINT, syscall.SIGKILL} {
		cmd := exec.Command(p.path, "--dir", p.dir, "up")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		log := filepath.Join(p.dir, "logs", "kube-apiserver.log")
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
			if _, err := os.Stat(log); err == nil {
				break
			}
			if time.Now().After(deadline) {
				t.Fatal("the API server does not start")
			}
		}
		if err := cmd.Process.Signal(end); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if end == syscall.SIGKILL {
			contains(t, p.run(t, exitNotRunning, "status"), "interrupted")
			p.run(t, 0, "down")
		} else if code := cmd.ProcessState.ExitCode(); code != exitInterrupted {
			t.Errorf("%v: exit code %d", end, code)
		}
		p.requireNoFolder(t)
	}
}

func TestUsage(t *testing.T) {
	p := buildProgram(t)
	contains(t, p.run(t, exitUsage, "sideways"), "usage: localcloud")
}
