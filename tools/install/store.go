package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// store is the cache folder. It holds one folder for each artefact, named by
// its key, folders `bin-KEY` of links into them, logs, and lock files.
type store struct{ root string }

// openStore finds the cache: AUTOSCALING_CACHE, or a folder of the project in
// the user's cache folder.
func openStore() (store, error) {
	base := os.Getenv("AUTOSCALING_CACHE")
	if base == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return store{}, fmt.Errorf("finding the user's cache folder (AUTOSCALING_CACHE names another one): %w", err)
		}
		base = filepath.Join(user, "kubernetes-autoscaling")
	}
	abs, err := filepath.Abs(base)
	if err != nil {
		return store{}, err
	}
	return store{filepath.Join(abs, "tools")}, nil
}

const (
	binPrefix = "bin-"
	tmpMark   = ".tmp-" // a folder in the making: never complete, never linked
	logsDir   = "logs"
	locksDir  = "locks"
)

func (s store) dir(a *artefact) string   { return filepath.Join(s.root, a.folder()) }
func (s store) log(a *artefact) string   { return filepath.Join(s.root, logsDir, a.folder()+".log") }
func (s store) bin(key string) string    { return filepath.Join(s.root, binPrefix+key) }
func (s store) lockFile(n string) string { return filepath.Join(s.root, locksDir, n+".lock") }

// has says whether an artefact is there: its folder only ever appears whole.
// The environment of an interpreter that went away is not.
func (s store) has(a *artefact) bool { return exists(filepath.Join(s.dir(a), a.Proof)) }

// lock takes an artefact's lock and returns what releases it. Another install
// may hold it for minutes: waiting is told about that once.
func (s store) lock(ctx context.Context, name string, waiting func()) (release func(), err error) {
	path := s.lockFile(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	for first := true; ; first = false {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = f.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			_ = f.Close()
			return nil, fmt.Errorf("locking %s: %w", path, err)
		}
		if first {
			waiting()
		}
		select {
		case <-ctx.Done():
			_ = f.Close()
			return nil, ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// publish makes an artefact: build fills a temporary folder, which gets its
// name when it is complete. It reports false when another install made the
// artefact in the meantime.
func (s store) publish(ctx context.Context, a *artefact, waiting func(), build func(tmp string) error) (bool, error) {
	release, err := s.lock(ctx, a.folder(), waiting)
	if err != nil {
		return false, err
	}
	defer release()
	if s.has(a) {
		return false, nil
	}
	final := s.dir(a)
	// With the lock held, what an earlier install left can be nobody's.
	old, err := filepath.Glob(final + tmpMark + "*")
	if err != nil {
		return false, err
	}
	for _, dir := range append(old, final) {
		if err := os.RemoveAll(dir); err != nil {
			return false, err
		}
	}
	tmp, err := os.MkdirTemp(s.root, a.folder()+tmpMark)
	if err != nil {
		return false, err
	}
	defer func() { _ = os.RemoveAll(tmp) }() // gone already when all went well
	if err := os.Chmod(tmp, 0o755); err != nil {
		return false, err
	}
	if err := build(tmp); err != nil {
		return false, err
	}
	if !exists(filepath.Join(tmp, a.Proof)) {
		return false, fmt.Errorf("the build of %s succeeded without %s", a.Name, a.Proof)
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	return true, os.Rename(tmp, final)
}

// link puts a link into a bin folder, replacing an older one in one step.
func link(bin, name, target string) error {
	path := filepath.Join(bin, name)
	if old, err := os.Readlink(path); err == nil && old == target {
		return nil
	}
	tmp := fmt.Sprintf("%s%s%d", path, tmpMark, os.Getpid())
	if err := os.Symlink(target, tmp); err != nil {
		return err
	}
	if err := os.Rename(tmp, path); err != nil {
		_ = os.Remove(tmp)
		return err
	}
	return nil
}

// prune removes every folder, log and lock that the current pins do not name
// and that no running install holds. It returns the names of removed folders.
func (s store) prune(keep map[string]bool) ([]string, error) {
	entries, err := os.ReadDir(s.root)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var removed []string
	for _, e := range entries {
		name := e.Name()
		if name == logsDir || name == locksDir || keep[name] {
			continue
		}
		owner, _, _ := strings.Cut(name, tmpMark)
		ok, err := s.pruneOne(owner, name)
		if err != nil {
			return removed, err
		}
		if ok {
			removed = append(removed, name)
		}
	}
	return removed, nil
}

// pruneOne removes one folder, unless an install is at work on it.
func (s store) pruneOne(owner, name string) (bool, error) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // one try
	release, err := s.lock(ctx, owner, func() {})
	if errors.Is(err, context.Canceled) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer release()
	if err := os.RemoveAll(filepath.Join(s.root, name)); err != nil {
		return false, err
	}
	_ = os.Remove(filepath.Join(s.root, logsDir, owner+".log"))
	return true, nil
}
