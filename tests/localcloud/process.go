package localcloud

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/valohai/pulumi-kubernetes-autoscaling/tests/internal/procfs"
)

// markVariable carries the cloud's id in the environment of each of its processes, so that one that
// was started and not yet recorded is found. It is not part of Env.
const markVariable = "LOCALCLOUD_ID"

// process is a process for good: a pid alone may by now be somebody else's.
type process struct {
	PID int `json:"pid"`
	// StartTime is in ticks since the machine's start.
	StartTime uint64 `json:"startTime"`
}

// findProcess identifies the process that has the pid now.
func findProcess(pid int) (process, error) {
	found, err := procfs.Find(pid)
	if err != nil {
		return process{}, err
	}
	if found.Ended() {
		return process{}, os.ErrProcessDone
	}
	return process{PID: pid, StartTime: found.StartTime}, nil
}

func (p process) alive() bool {
	if p.PID == 0 {
		return false
	}
	now, err := findProcess(p.PID)
	return err == nil && now == p
}

// kill ends the process and waits until it is gone. A process that only has the pid is left alone.
func (p process) kill() error {
	handle, err := os.FindProcess(p.PID) // a pidfd: it cannot come to mean another process
	if err != nil || !p.alive() {
		return nil
	}
	defer func() { _ = handle.Release() }()
	if err := handle.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("ending process %d: %w", p.PID, err)
	}
	for deadline := time.Now().Add(10 * time.Second); p.alive(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			return fmt.Errorf("process %d does not end", p.PID)
		}
	}
	return nil
}

// memory is the resident memory in bytes, 0 for a process that is gone.
func (p process) memory() int64 {
	found, err := procfs.Find(p.PID)
	if err != nil || found.StartTime != p.StartTime {
		return 0
	}
	return found.Resident
}

// markedProcesses finds the living processes that carry the id.
func markedProcesses(id string) []process {
	mark := []byte(markVariable + "=" + id)
	var found []process
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		environ, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		for variable := range bytes.SplitSeq(environ, []byte{0}) {
			if !bytes.Equal(variable, mark) {
				continue
			}
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			if p, err := findProcess(pid); err == nil {
				found = append(found, p)
			}
		}
	}
	return found
}

// startDetached starts a command in a session of its own, with its output in a file. Unless it is
// to keep running, the kernel ends it when this process ends.
func startDetached(cmd *exec.Cmd, logFile string, keepRunning bool) (process, error) {
	output, err := os.OpenFile(logFile, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return process{}, err
	}
	defer func() { _ = output.Close() }()
	cmd.Stdout, cmd.Stderr = output, output
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if keepRunning {
		err = cmd.Start()
	} else {
		cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
		err = onLastingThread(cmd.Start)
	}
	if err != nil {
		return process{}, err
	}
	p, err := findProcess(cmd.Process.Pid)
	if err != nil { // it has ended already, which whoever waits for it finds out
		return process{PID: cmd.Process.Pid}, nil
	}
	return p, nil
}

// lastingThread runs functions on one thread that lives as long as this process: the kernel's
// "parent death signal" is sent when the thread that started a child ends.
var lastingThread = sync.OnceValue(func() chan<- func() {
	calls := make(chan func())
	go func() {
		runtime.LockOSThread()
		for call := range calls {
			call()
		}
	}()
	return calls
})

func onLastingThread(call func() error) error {
	result := make(chan error)
	lastingThread() <- func() { result <- call() }
	return <-result
}
