package localcloud

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// portAttempts is how often a part is started when its port turns out to be taken.
	portAttempts = 5
	// readyTimeout bounds the wait for one part, on a busy machine.
	readyTimeout = 3 * time.Minute
	pollInterval = 50 * time.Millisecond
)

// launch starts a part on a free port and waits until it does its work. When another program was
// faster at the port, the part gets another one.
func (c *Cloud) launch(ctx context.Context, p part) (port int, err error) {
	for range portAttempts {
		if port, err = c.choosePort(); err != nil {
			return 0, err
		}
		if err = c.startPart(p, port); err != nil {
			return 0, err
		}
		err = c.waitReady(ctx, p, port)
		var crash *CrashError
		if !errors.As(err, &crash) || !strings.Contains(strings.ToLower(crash.LogTail), "address already in use") {
			return port, err
		}
		c.logf("%s: port %d is taken, trying another one", p.name, port)
	}
	return 0, err
}

// startPart starts the part's process and records it.
func (c *Cloud) startPart(p part, port int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state.set(partState{Name: p.name, Port: port})
	if err := c.state.write(c.dir); err != nil {
		return err
	}
	if err := os.Truncate(c.LogFile(p.name), 0); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	cmd := exec.Command(p.program, p.args(port)...)
	cmd.Dir = c.dir
	cmd.Env = append(cleanEnviron(), p.env...)
	cmd.Env = append(cmd.Env, markVariable+"="+c.state.ID)
	proc, err := startDetached(cmd, c.LogFile(p.name), c.keepRunning)
	if cmd.Process != nil {
		go c.reap(p.name, cmd)
	}
	if err != nil {
		return fmt.Errorf("starting %s: %w", p.name, err)
	}
	c.state.set(partState{Name: p.name, process: proc, Port: port})
	return c.state.write(c.dir)
}

// reap waits for the end of a child and keeps how it ended.
func (c *Cloud) reap(name string, cmd *exec.Cmd) {
	_ = cmd.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.exits[name] = cmd.ProcessState.String()
}

// waitReady waits until the part itself listens on its port and its probe is content. A part that
// ends is reported at once.
func (c *Cloud) waitReady(ctx context.Context, p part, port int) error {
	started := time.Now()
	err := c.poll(ctx, p.name, func() (bool, error) {
		record := c.partState(p.name)
		if !record.alive() {
			return false, c.crashError(p.name)
		}
		return listens(record.PID, port) && p.probe(ctx, port) == nil, nil
	})
	if err != nil {
		return fmt.Errorf("starting %s: %w", p.name, err)
	}
	c.logf("%s is ready after %.1f s", p.name, time.Since(started).Seconds())
	return nil
}

// poll calls done until it says so, fails, or the time is over; a long wait is logged.
func (c *Cloud) poll(ctx context.Context, what string, done func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	notice := time.NewTicker(2 * time.Second)
	defer notice.Stop()
	for {
		if ok, err := done(); ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-notice.C:
			c.logf("waiting for %s", what)
			notice.Reset(5 * time.Second)
		case <-ticker.C:
		}
	}
}

// launchAWS starts the local AWS and returns when its port is known, before it is ready.
func (c *Cloud) launchAWS(ctx context.Context) (port int, err error) {
	p := c.aws()
	if err := c.startPart(p, 0); err != nil {
		return 0, err
	}
	err = c.poll(ctx, p.name, func() (bool, error) {
		text, err := os.ReadFile(c.file("aws-port"))
		if err != nil {
			if !c.partState(p.name).alive() {
				return false, c.crashError(p.name)
			}
			return false, nil
		}
		port, err = strconv.Atoi(string(text))
		return true, err
	})
	if err != nil {
		return 0, fmt.Errorf("starting %s: %w", p.name, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	record := c.state.part(p.name)
	record.Port = port
	c.state.set(record)
	return port, c.state.write(c.dir)
}

// partState is the record of a part.
func (c *Cloud) partState(name string) partState {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state.part(name)
}

// part is the record of a part, empty when it was not started.
func (s *state) part(name string) partState {
	for _, p := range s.Parts {
		if p.Name == name {
			return p
		}
	}
	return partState{Name: name}
}

// inParallel runs the functions side by side; the first error cancels the others.
func inParallel(ctx context.Context, functions ...func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var group sync.WaitGroup
	for _, function := range functions {
		group.Go(func() {
			if err := function(ctx); err != nil {
				cancel(err) // only the first call counts
			}
		})
	}
	group.Wait()
	return context.Cause(ctx)
}
