package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func testLog(t *testing.T) *logFile {
	t.Helper()
	log, err := openLog(filepath.Join(t.TempDir(), "x.log"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(log.close)
	return log
}

func TestCommandFailureSaysEnough(t *testing.T) {
	log := testLog(t)
	_, err := log.run(context.Background(), command{
		dir: "/", env: []string{"A=b"}, argv: []string{"sh", "-c", "seq 100; echo $A >&2; exit 3"},
	})
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"exit status 3", "cd / && A=b sh -c 'seq 100; echo $A >&2; exit 3'", "\n    100\n", log.path} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error lacks %q:\n%v", want, err)
		}
	}
	if strings.Contains(err.Error(), "\n    70\n") {
		t.Error("the error shows more than the tail")
	}
	if exit, ok := asExit(err); !ok || exit.ExitCode() != 3 {
		t.Errorf("asExit = %v, %v", exit, ok)
	}
	text, _ := os.ReadFile(log.path)
	if !strings.Contains(string(text), "\n1\n2\n") || !strings.HasPrefix(string(text), "$ cd /") {
		t.Error("the log lacks the command or its output")
	}
}

// TestCommandStopKillsTheGroup: the child of a stopped command goes too, also
// one that ignores the polite signal.
func TestCommandStopKillsTheGroup(t *testing.T) {
	pidFile := filepath.Join(t.TempDir(), "pid")
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		for !exists(pidFile) {
			time.Sleep(5 * time.Millisecond)
		}
		cancel()
	}()
	script := `trap '' TERM; sh -c 'trap "" TERM; echo $$ > "$0.new"; mv "$0.new" "$0"; exec sleep 60 >/dev/null 2>&1' "$0"`
	start := time.Now()
	_, err := testLog(t).run(ctx, command{argv: []string{"sh", "-c", script, pidFile}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("run = %v", err)
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("stopping took %s", took)
	}
	data, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(5 * time.Second); alive(pid); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			t.Fatal("a child of the stopped command is still running")
		}
	}
}

// alive does not count a dead process that nobody has collected.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

func TestTail(t *testing.T) {
	if got := tail("a\nb\nc\n", 2); got != "b\nc" {
		t.Errorf("tail = %q", got)
	}
	if got := tail("a\n", 5); got != "a" {
		t.Errorf("tail = %q", got)
	}
}
