package main

import (
	"os/exec"
	"syscall"
)

// endWithParent makes the kernel end the command when its parent dies, even
// when the parent is killed and can tell nobody.
func endWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
