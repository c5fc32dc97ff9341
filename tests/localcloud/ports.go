package localcloud

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
)

// Ports are taken from below the range that the kernel uses for outgoing connections, so that only
// another server can take one between choice and start.
const (
	lowestPort  = 15000
	highestPort = 32000
)

// freePort chooses a port of 127.0.0.1 that nobody listens on.
func freePort() (int, error) {
	for range 100 {
		port := lowestPort + rand.IntN(highestPort-lowestPort)
		listener, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			return port, listener.Close()
		}
	}
	return 0, errors.New("no free port on 127.0.0.1")
}

// listens says whether the process itself listens on the port of 127.0.0.1: an answer on the port
// may come from somebody else.
func listens(pid, port int) bool {
	inode := listeningSocket(port)
	if inode == "" {
		return false
	}
	descriptors, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	for _, descriptor := range descriptors {
		if target, err := os.Readlink(descriptor); err == nil && target == "socket:["+inode+"]" {
			return true
		}
	}
	return false
}

// listeningSocket finds the inode of the socket that listens on the port of 127.0.0.1.
func listeningSocket(port int) string {
	const listening, address = "0A", "0100007F"
	file, err := os.Open("/proc/net/tcp")
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	wanted := fmt.Sprintf("%s:%04X", address, port)
	for lines := bufio.NewScanner(file); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) > 9 && fields[1] == wanted && fields[3] == listening {
			return fields[9]
		}
	}
	return ""
}
