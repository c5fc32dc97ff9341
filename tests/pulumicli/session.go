package pulumicli

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// endSession ends what is left of a session: Pulumi starts its plugins in
// process groups of their own, and they may outlive an engine that was stopped.
// They get a moment to end by themselves.
func endSession(id int) {
	for wait := 20; ; wait-- {
		left := sessionMembers(id)
		if len(left) == 0 {
			return
		}
		if wait <= 0 {
			for _, pid := range left {
				_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended by now
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// sessionMembers returns the processes of a session that have not ended.
func sessionMembers(id int) []int {
	paths, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil
	}
	var members []int
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		// "pid (name) state ppid pgrp session ...", and the name may hold anything.
		text := string(b)
		fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
		if len(fields) < 4 || fields[0] == "Z" || fields[3] != strconv.Itoa(id) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
			members = append(members, pid)
		}
	}
	return members
}
