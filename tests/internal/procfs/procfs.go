// Package procfs reads what Linux tells about processes.
package procfs

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Process is a process at one moment.
type Process struct {
	PID, Parent, Session int
	// StartTime is in ticks since the machine's start. With the pid it identifies
	// a process for good.
	StartTime uint64
	// Resident is its memory, in bytes.
	Resident int64

	state string
}

// Ended tells that a process only waits for its parent to notice.
func (p Process) Ended() bool { return p.state == "Z" || p.state == "X" }

// Find returns the process that has a pid now. The error is an os.ErrNotExist if
// none has.
func Find(pid int) (Process, error) { return read(fmt.Sprintf("/proc/%d/stat", pid)) }

// All returns every process of the machine that this one may see.
func All() []Process {
	paths, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is well formed
	var all []Process
	for _, path := range paths {
		if p, err := read(path); err == nil { // otherwise it has ended
			all = append(all, p)
		}
	}
	return all
}

func read(path string) (Process, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Process{}, err
	}
	return parse(string(text))
}

// Fields of /proc/<pid>/stat behind the program's name, counted from the state,
// which is field 3.
const (
	fieldState     = 0
	fieldParent    = 1
	fieldSession   = 3
	fieldStartTime = 19
	fieldResident  = 21
)

// parse reads the text of /proc/<pid>/stat, in which the program's name stands in
// parentheses and may hold anything.
func parse(text string) (Process, error) {
	head, _, named := strings.Cut(text, " (")
	fields := strings.Fields(text[strings.LastIndex(text, ")")+1:])
	pid, err := strconv.Atoi(head)
	if !named || err != nil || len(fields) <= fieldResident {
		return Process{}, fmt.Errorf("unexpected /proc/<pid>/stat: %q", text)
	}
	number := func(i int) uint64 {
		n, parseErr := strconv.ParseUint(fields[i], 10, 64)
		if parseErr != nil && err == nil {
			err = fmt.Errorf("unexpected /proc/<pid>/stat: %q: %w", text, parseErr)
		}
		return n
	}
	p := Process{
		PID: pid, Parent: int(number(fieldParent)), Session: int(number(fieldSession)),
		StartTime: number(fieldStartTime), Resident: int64(number(fieldResident)) * int64(os.Getpagesize()),
		state: fields[fieldState],
	}
	return p, err
}
