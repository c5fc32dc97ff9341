package pulumicli

import (
	"syscall"
	"time"

	"github.com/valohai/pulumi-kubernetes-autoscaling/tests/internal/procfs"
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
	var members []int
	for _, p := range procfs.All() {
		if p.Session == id && !p.Ended() {
			members = append(members, p.PID)
		}
	}
	return members
}
