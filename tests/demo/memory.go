package main

import (
	"os"
	"sync/atomic"
	"time"

	"github.com/valohai/pulumi-kubernetes-autoscaling/tests/internal/procfs"
)

// memoryWatch follows the memory of this process and all below it.
type memoryWatch struct{ peak atomic.Int64 }

// watchMemory samples until the process ends.
func watchMemory() *memoryWatch {
	w := &memoryWatch{}
	go func() {
		for {
			if now := residentBelow(os.Getpid()); now > w.peak.Load() {
				w.peak.Store(now)
			}
			time.Sleep(500 * time.Millisecond)
		}
	}()
	return w
}

func (w *memoryWatch) peakGiB() float64 { return float64(w.peak.Load()) / (1 << 30) }

// residentBelow adds up the resident memory, in bytes, of a process and its
// descendants.
func residentBelow(root int) int64 {
	parents, resident := map[int]int{}, map[int]int64{}
	for _, p := range procfs.All() {
		parents[p.PID], resident[p.PID] = p.Parent, p.Resident
	}
	var sum int64
	for pid := range parents {
		for p := pid; p > 1; p = parents[p] {
			if p == root {
				sum += resident[pid]
				break
			}
		}
	}
	return sum
}
