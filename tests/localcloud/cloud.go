package localcloud

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"
)

// Cloud is a running local cloud.
type Cloud struct {
	dir         string
	tools       tools
	keepRunning bool
	recordCalls bool
	choosePort  func() (int, error)
	log         io.Writer
	began       time.Time

	mu      sync.Mutex // guards the rest
	state   state
	exits   map[string]string // how the parts that are children of this process ended
	stopped bool
	done    chan struct{}
}

// Start starts a cloud and returns when everything in it works. When it fails or ctx ends, it stops
// what it started and removes the folder. After it has returned ctx means nothing to the cloud.
func Start(ctx context.Context, o Options) (*Cloud, error) {
	t, err := findTools(o.Tools)
	if err != nil {
		return nil, err
	}
	if o, err = o.withDefaults(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return nil, err
	}
	unlock, err := lockDir(o.Dir, lockPatience)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := clearDir(o.Dir); err != nil {
		return nil, err
	}
	c := newCloud(o.Dir, newState(t))
	c.keepRunning, c.recordCalls, c.choosePort, c.log = o.KeepRunning, o.RecordCalls, o.choosePort, o.Log
	if err := c.start(ctx, o.Cluster); err != nil {
		return nil, errors.Join(err, c.Stop())
	}
	go c.watch()
	return c, nil
}

// clearDir makes the folder ready for a new cloud: it must be empty or hold a cloud that is gone.
func clearDir(dir string) error {
	s, err := readState(dir)
	if err == nil {
		if s.Complete && s.alive() {
			return fmt.Errorf("a cloud is running in %s already", dir)
		}
		if err := s.kill(); err != nil {
			return err
		}
		return removeContents(dir)
	}
	entries, readErr := os.ReadDir(dir)
	if readErr != nil {
		return readErr
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s is not empty and is not the folder of a local cloud: %w", dir, err)
	}
	return nil
}

// removeContents empties a folder; the folder itself stays, it is locked.
func removeContents(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, entry := range entries {
		err = errors.Join(err, os.RemoveAll(dir+string(os.PathSeparator)+entry.Name()))
	}
	return err
}

func newCloud(dir string, s state) *Cloud {
	return &Cloud{
		dir: dir, tools: s.Tools, state: s, log: io.Discard, choosePort: freePort,
		began: time.Now(), exits: map[string]string{}, done: make(chan struct{}),
	}
}

// Open returns the cloud that runs in a folder. It is ErrNotRunning when there is none, when its
// start was interrupted, or when nothing of it is left alive; Remove cleans up after all of these.
func Open(dir string) (*Cloud, error) {
	o, err := Options{Dir: dir}.withDefaults()
	if err != nil {
		return nil, err
	}
	s, err := readState(o.Dir)
	switch {
	case err != nil:
		return nil, err
	case !s.Complete:
		return nil, fmt.Errorf("%w in %s: %s", ErrNotRunning, o.Dir, whyIncomplete(o.Dir))
	case !s.alive():
		return nil, fmt.Errorf("%w in %s: all of its processes are gone, `down` cleans up", ErrNotRunning, o.Dir)
	}
	c := newCloud(o.Dir, s)
	c.keepRunning = true
	go c.watch()
	return c, nil
}

// whyIncomplete tells a start that goes on from one that was interrupted.
func whyIncomplete(dir string) string {
	unlock, err := lockDir(dir, lockPatience)
	if err != nil {
		return "it is being started"
	}
	unlock()
	return "its start was interrupted, `down` cleans up"
}

// Stop ends every process of the cloud and removes its folder. Nothing in a cloud is worth a slow
// end, so nothing gets one. A second Stop does nothing.
func (c *Cloud) Stop() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped {
		return nil
	}
	c.stopped = true
	if err := c.state.kill(); err != nil {
		return err
	}
	return os.RemoveAll(c.dir)
}

// Remove stops the cloud in a folder, in whatever state it is, and removes the folder. It is
// ErrNotRunning when the folder holds none.
func Remove(dir string) error {
	unlock, err := lockDir(dir, lockPatience)
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%w in %s", ErrNotRunning, dir)
	}
	if err != nil {
		return err
	}
	defer unlock()
	s, err := readState(dir)
	if err != nil {
		return err
	}
	if err := s.kill(); err != nil {
		return err
	}
	return os.RemoveAll(dir)
}

// Dir is the folder of the cloud.
func (c *Cloud) Dir() string { return c.dir }

// Facts are those of the cluster that the cloud was started with.
func (c *Cloud) Facts() Facts {
	c.mu.Lock()
	defer c.mu.Unlock()
	facts := c.state.Facts
	facts.Nodes = slices.Clone(facts.Nodes)
	return facts
}

// logf writes a line with the time since the start.
func (c *Cloud) logf(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	fmt.Fprintf(c.log, "%5.1f s  %s\n", time.Since(c.began).Seconds(), line)
}
