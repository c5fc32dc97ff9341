package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
)

// heartbeat is how often a running build says that it is alive.
const heartbeat = 15 * time.Second

// progress prints what an install does. On a terminal the heartbeat is one
// status line that is written over; elsewhere it is a line now and then.
type progress struct {
	mu       sync.Mutex
	out      io.Writer
	terminal bool
	now      func() time.Time

	total, done int
	running     []*running
	status      bool // a status line is on the screen
}

type running struct {
	t     *task
	since time.Time
}

func newProgress(out *os.File) *progress {
	info, err := out.Stat()
	return &progress{
		out: out, now: time.Now,
		terminal: err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("CI") == "",
	}
}

// line prints one line, under the status line if there is one.
func (p *progress) line(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.print(format, args...)
}

func (p *progress) print(format string, args ...any) {
	if p.status {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.status = false
	}
	fmt.Fprintf(p.out, format+"\n", args...)
}

func (p *progress) start(t *task) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = append(p.running, &running{t, p.now()})
	if !t.helper {
		p.print("  start   %s", t.name)
	}
}

func (p *progress) finish(t *task, o outcome) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var since time.Time
	for i, r := range p.running {
		if r.t == t {
			since = r.since
			p.running = append(p.running[:i], p.running[i+1:]...)
			break
		}
	}
	if t.helper {
		return
	}
	p.done++
	took := elapsed(p.now().Sub(since))
	switch {
	case errors.Is(t.err, context.Canceled):
		p.print("  stopped %s", t.name)
	case t.err != nil:
		p.print("  FAILED  %s after %s (%d of %d)", t.name, took, p.done, p.total)
	case o == cached:
		p.print("  cached  %s: another install made it (%d of %d)", t.name, p.done, p.total)
	default:
		p.print("  built   %s in %s (%d of %d)", t.name, took, p.done, p.total)
	}
}

// beat prints the heartbeat until stop is closed.
func (p *progress) beat(stop <-chan struct{}) {
	every := heartbeat
	if p.terminal {
		every = time.Second
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
			p.alive()
		}
	}
}

// alive prints one heartbeat.
func (p *progress) alive() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.running) == 0 {
		return
	}
	parts := make([]string, len(p.running))
	for i, r := range p.running {
		parts[i] = r.t.name + " " + elapsed(p.now().Sub(r.since))
	}
	text := fmt.Sprintf("  ...     %s (%d of %d done)", strings.Join(parts, ", "), p.done, p.total)
	if !p.terminal {
		p.print("%s", text)
		return
	}
	const width = 79 // a wrapped line could not be written over
	if len(text) > width {
		text = text[:width]
	}
	fmt.Fprintf(p.out, "\r\x1b[K%s", text)
	p.status = true
}

// elapsed is a duration as 3m12s or 7s.
func elapsed(d time.Duration) string {
	s := int(d.Seconds() + 0.5)
	if s < 60 {
		return fmt.Sprintf("%ds", s)
	}
	return fmt.Sprintf("%dm%02ds", s/60, s%60)
}
