package localcloud

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"
)

// testProgram runs programs of its own in the cloud: one that lasts until Stop, which the caller
// checks, and one that ends, which must be noticed.
func testProgram(t *testing.T, c *Cloud) {
	lasting := Program{Name: "lasting", Path: "/bin/sh", Args: []string{"-c", `echo "$AWS_ACCESS_KEY_ID $KUBECONFIG"; sleep 300`}, Env: []string{"AWS_ACCESS_KEY_ID=other"}}
	if err := c.Run(lasting); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the program runs with its environment", func() bool {
		log, _ := os.ReadFile(c.LogFile(lasting.Name))
		return string(bytes.TrimSpace(log)) == "other "+c.Kubeconfig()
	})
	if err := c.Err(); err != nil {
		t.Error(err)
	}
	if err := c.Run(Program{Name: "missing"}); err == nil || !strings.Contains(err.Error(), "missing, run make tools") {
		t.Errorf("a program that does not exist: %v", err)
	}
	if err := c.Run(Program{Name: "ending", Path: "/bin/sh", Args: []string{"-c", "echo no more; exit 3"}}); err != nil {
		t.Fatal(err)
	}
	<-c.Done()
	var crash *CrashError
	if err := c.Err(); !errors.As(err, &crash) {
		t.Errorf("after the end of a program: %v", err)
	}
}
