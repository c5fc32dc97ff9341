package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
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
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return 0
	}
	for _, path := range stats {
		b, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		// The name, in parentheses, may hold anything: fields count from behind it.
		text := string(b)
		fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil || len(fields) < 22 {
			continue
		}
		parents[pid], _ = strconv.Atoi(fields[1])
		pages, _ := strconv.ParseInt(fields[21], 10, 64)
		resident[pid] = pages * int64(os.Getpagesize())
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
