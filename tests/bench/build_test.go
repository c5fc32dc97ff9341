// Package bench measures what users wait for and pay. Run it by hand:
//
//	cd tests && go test ./bench -bench . -benchtime 1x
package bench

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/valohai/pulumi-kubernetes-autoscaling/tests/pulumicli"
)

// BenchmarkBuild compiles the stack with an empty build cache, as the first
// `pulumi up` on a machine does: CPU seconds, the memory of the largest process,
// and the size of the program.
func BenchmarkBuild(b *testing.B) {
	root, err := pulumicli.Root()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		dir := b.TempDir()
		program := filepath.Join(dir, "program")
		cmd := exec.Command("go", "build", "-o", program, "./stacks/karpenter")
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "GOCACHE="+filepath.Join(dir, "cache"))
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		info, err := os.Stat(program)
		if err != nil {
			b.Fatal(err)
		}
		usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
		b.ReportMetric((cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), "cpu-s")
		b.ReportMetric(float64(usage.Maxrss)/(1<<20), "largest-GiB")
		b.ReportMetric(float64(info.Size())/1e6, "program-MB")
	}
}
