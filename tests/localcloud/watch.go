package localcloud

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"time"
)

const (
	watchInterval = 250 * time.Millisecond
	logTailLines  = 15
	logTailBytes  = 8 << 10
)

// CrashError is a part that ended by itself.
type CrashError struct {
	Part string
	// Exit is how it ended, for a part that is a child of this process.
	Exit string
	// LogTail is the end of its log.
	LogTail string
}

func (e *CrashError) Error() string {
	return fmt.Sprintf("%s has ended (%s), the end of its log:\n%s", e.Part, e.Exit, e.LogTail)
}

// The states of a part.
const (
	StateRunning  = "running"
	StateStarting = "starting"
	StateCrashed  = "crashed"
)

// PartStatus is the state of one part.
type PartStatus struct {
	Name  string
	PID   int
	Port  int
	State string
	// Memory is the resident memory in bytes.
	Memory int64
	// LogTail is the end of the log of a part that has crashed.
	LogTail string
}

// Status is the state of each part, in the order of their start.
func (c *Cloud) Status() []PartStatus {
	c.mu.Lock()
	defer c.mu.Unlock()
	var statuses []PartStatus
	for _, p := range c.state.Parts {
		status := PartStatus{Name: p.Name, PID: p.PID, Port: p.Port, State: StateRunning, Memory: p.memory()}
		switch {
		case p.PID == 0:
			status.State = StateStarting
		case !p.alive():
			status.State, status.LogTail = StateCrashed, tail(c.LogFile(p.Name))
		}
		statuses = append(statuses, status)
	}
	return statuses
}

// Done is closed when a part ends by itself; Err says which.
func (c *Cloud) Done() <-chan struct{} { return c.done }

// Err is nil as long as every part runs, and a *CrashError after one has ended by itself.
func (c *Cloud) Err() error {
	if c.isStopped() {
		return nil
	}
	for _, p := range c.Status() {
		if p.State == StateCrashed {
			return c.crashError(p.Name)
		}
	}
	return nil
}

// watch closes done at the first crash. It ends with the cloud.
func (c *Cloud) watch() {
	for ; !c.isStopped(); time.Sleep(watchInterval) {
		if c.Err() != nil {
			close(c.done)
			return
		}
	}
}

func (c *Cloud) isStopped() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stopped
}

// crashError describes the end of a part.
func (c *Cloud) crashError(name string) *CrashError {
	time.Sleep(pollInterval) // a child's exit is noticed a moment before it is collected
	c.mu.Lock()
	defer c.mu.Unlock()
	return &CrashError{Part: name, Exit: cmp.Or(c.exits[name], "exit unknown"), LogTail: tail(c.LogFile(name))}
}

// tail is the end of a log.
func tail(path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	data = data[max(0, len(data)-logTailBytes):]
	lines := strings.Split(strings.TrimRight(string(data), "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-logTailLines):], "\n")
}
