package localcloud

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// listenOn occupies a port of 127.0.0.1.
func listenOn(t *testing.T, port int) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		t.Fatal(err)
	}
	return listener
}

// sleeper starts a process that is not a cloud's, and ends it with the test.
func sleeper(t *testing.T, env ...string) process {
	t.Helper()
	cmd := exec.Command("sleep", "300")
	cmd.Env = env
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { _ = cmd.Wait() }()
	p, err := findProcess(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.kill() })
	return p
}

// TestInterruptedStart ends a start in its middle.
func TestInterruptedStart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cloud")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var id string
	choose := func() (int, error) { // the moment before etcd starts
		s, err := readState(dir)
		if err != nil {
			return 0, err
		}
		id = s.ID
		if len(markedProcesses(id)) != 1 {
			t.Errorf("marked processes %v, want that of AWS", markedProcesses(id))
		}
		cancel()
		return freePort()
	}
	if _, err := Start(ctx, Options{Dir: dir, Log: t.Output(), choosePort: choose}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	requireGone(t, dir, id)
}

// TestKilledCaller kills a process that started a part: the part goes with it.
func TestKilledCaller(t *testing.T) {
	const variable = "LOCALCLOUD_TEST_LOG"
	if log := os.Getenv(variable); log != "" { // in the process that is killed
		if _, err := startDetached(exec.Command("sleep", "300"), log, false); err != nil {
			t.Fatal(err)
		}
		select {}
	}
	s := newState("")
	caller := exec.Command(os.Args[0], "-test.run=^TestKilledCaller$")
	caller.Env = append(os.Environ(), variable+"="+filepath.Join(t.TempDir(), "log"), markVariable+"="+s.ID)
	if err := caller.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.kill() }()
	eventually(t, "the part runs", func() bool { return len(markedProcesses(s.ID)) == 2 })
	if err := caller.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = caller.Wait()
	eventually(t, "the part is gone", func() bool { return len(markedProcesses(s.ID)) == 0 })
}

// TestFailedStart has a part that ends at once: the error holds the end of its log.
func TestFailedStart(t *testing.T) {
	real, err := findTools("")
	if err != nil {
		t.Fatal(err)
	}
	fake := t.TempDir()
	for _, name := range []string{"kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok", "venv"} {
		if err := os.Symlink(real.program(name), filepath.Join(fake, name)); err != nil {
			t.Fatal(err)
		}
	}
	script := "#!/bin/sh\necho the disk is on fire >&2\nexit 7\n"
	if err := os.WriteFile(filepath.Join(fake, "etcd"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "cloud")
	_, err = Start(t.Context(), Options{Dir: dir, Tools: fake, Log: t.Output()})
	if err == nil || !strings.Contains(err.Error(), "etcd has ended (exit status 7)") || !strings.Contains(err.Error(), "the disk is on fire") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is left: %v", err)
	}
}

// TestStaleFolder has the folder of a cloud whose processes are gone, with a pid that is somebody
// else's by now, and a process that was started and not recorded.
func TestStaleFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cloud")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); !errors.Is(err, ErrNotRunning) {
		t.Errorf("an empty folder: %v", err)
	}
	stranger := sleeper(t)
	s := newState("")
	unrecorded := sleeper(t, markVariable+"="+s.ID)
	s.Complete = true
	s.set(partState{Name: partEtcd, process: process{PID: stranger.PID, StartTime: stranger.StartTime + 1}})
	s.set(partState{Name: partAPIServer})
	if err := s.write(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); !errors.Is(err, ErrNotRunning) || !strings.Contains(err.Error(), "gone") {
		t.Errorf("a stale folder: %v", err)
	}
	if err := Remove(dir); err != nil {
		t.Fatal(err)
	}
	requireGone(t, dir, s.ID)
	if unrecorded.alive() {
		t.Error("the process that was not recorded is left")
	}
	if !stranger.alive() {
		t.Error("somebody else's process was ended")
	}
	if err := Remove(dir); !errors.Is(err, ErrNotRunning) {
		t.Errorf("a second Remove: %v", err)
	}
}

// TestForeignFolder keeps Start and Remove away from folders that are not a cloud's.
func TestForeignFolder(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "thesis.txt")
	if err := os.WriteFile(file, []byte("all of it"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Start(t.Context(), Options{Dir: dir}); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("Start: %v", err)
	}
	if err := Remove(dir); !errors.Is(err, ErrNotRunning) {
		t.Errorf("Remove: %v", err)
	}
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
}

func TestLock(t *testing.T) {
	dir := t.TempDir()
	unlock, err := lockDir(dir, pollInterval)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lockDir(dir, pollInterval); err == nil {
		t.Error("a second command got the folder")
	}
	unlock()
	again, err := lockDir(dir, pollInterval)
	if err != nil {
		t.Fatal(err)
	}
	again()
}
