package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func testArtefact() *artefact {
	return &artefact{Name: "prog", Version: "1.0.0", Key: "abc", Proof: "prog", Link: "prog", Program: &program{}}
}

func testStore(t *testing.T) store {
	t.Helper()
	return store{t.TempDir()}
}

// names lists what the cache shows beside locks and logs.
func names(t *testing.T, s store) []string {
	t.Helper()
	entries, err := os.ReadDir(s.root)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		if e.Name() != locksDir && e.Name() != logsDir {
			list = append(list, e.Name())
		}
	}
	return list
}

func quiet() {}

func TestPublishIsAtomic(t *testing.T) {
	s, a := testStore(t), testArtefact()
	made, err := s.publish(context.Background(), a, quiet, func(tmp string) error {
		write(t, filepath.Join(tmp, "prog"), "x")
		if s.has(a) || exists(s.dir(a)) {
			t.Error("the artefact is there before it is complete")
		}
		return nil
	})
	if err != nil || !made || !s.has(a) {
		t.Fatalf("publish = %v, %v", made, err)
	}
	made, err = s.publish(context.Background(), a, quiet, func(string) error { t.Error("built twice"); return nil })
	if err != nil || made {
		t.Errorf("second publish = %v, %v", made, err)
	}
}

func TestPublishLeavesNothingHalfMade(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	for name, build := range map[string]func(s store, tmp string) error{
		"failed":        func(_ store, tmp string) error { write(t, filepath.Join(tmp, "prog"), "x"); return errors.New("no") },
		"without proof": func(_ store, tmp string) error { write(t, filepath.Join(tmp, "other"), "x"); return nil },
		"stopped":       func(_ store, tmp string) error { write(t, filepath.Join(tmp, "prog"), "x"); cancel(); return nil },
	} {
		s, a := testStore(t), testArtefact()
		use := context.Background()
		if name == "stopped" {
			use = ctx
		}
		made, err := s.publish(use, a, quiet, func(tmp string) error { return build(s, tmp) })
		if err == nil || made {
			t.Errorf("%s: publish = %v, %v", name, made, err)
		}
		if left := names(t, s); len(left) != 0 {
			t.Errorf("%s: left %v", name, left)
		}
	}
}

// TestPublishAfterAKill: a killed install leaves a temporary folder, and
// perhaps one without its proof; the next install clears both.
func TestPublishAfterAKill(t *testing.T) {
	s, a := testStore(t), testArtefact()
	write(t, filepath.Join(s.root, a.folder()+tmpMark+"1", "prog"), "half")
	write(t, filepath.Join(s.dir(a), "other"), "half")
	if s.has(a) {
		t.Fatal("a folder without its proof counts")
	}
	if _, err := s.publish(context.Background(), a, quiet, func(tmp string) error {
		write(t, filepath.Join(tmp, "prog"), "whole")
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if got := names(t, s); !slices.Equal(got, []string{a.folder()}) {
		t.Errorf("the cache holds %v", got)
	}
	if exists(filepath.Join(s.dir(a), "other")) {
		t.Error("the incomplete folder was kept")
	}
}

// TestPublishTwiceAtOnce: one builds, the other waits and says so.
func TestPublishTwiceAtOnce(t *testing.T) {
	s := testStore(t)
	var builds, waits atomic.Int32
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			_, err := s.publish(context.Background(), testArtefact(), func() { waits.Add(1) }, func(tmp string) error {
				builds.Add(1)
				time.Sleep(50 * time.Millisecond)
				return os.WriteFile(filepath.Join(tmp, "prog"), nil, 0o700)
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if builds.Load() != 1 || waits.Load() != 3 {
		t.Errorf("%d builds and %d waits, want 1 and 3", builds.Load(), waits.Load())
	}
}

func TestLockGivesUpWhenStopped(t *testing.T) {
	s := testStore(t)
	release, err := s.lock(context.Background(), "x", quiet)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	ctx, cancel := context.WithCancel(context.Background())
	if _, err := s.lock(ctx, "x", cancel); !errors.Is(err, context.Canceled) {
		t.Errorf("lock = %v", err)
	}
}

func TestLinkReplaces(t *testing.T) {
	bin := t.TempDir()
	for _, target := range []string{"../one/prog", "../two/prog", "../two/prog"} {
		if err := link(bin, "prog", target); err != nil {
			t.Fatal(err)
		}
		if got, err := os.Readlink(filepath.Join(bin, "prog")); err != nil || got != target {
			t.Errorf("link = %q, %v; want %q", got, err, target)
		}
	}
	if entries, _ := os.ReadDir(bin); len(entries) != 1 {
		t.Errorf("%d entries in the bin folder", len(entries))
	}
}

func TestPrune(t *testing.T) {
	s := testStore(t)
	for _, f := range []string{
		"prog-1.0.0-abc/prog", "prog-0.9.0-old/prog", "bin-new/x", "bin-old/x", "prog-1.0.0-abc.tmp-7/prog",
		"busy-1-zzz/x", "busy-1-zzz.tmp-8/x", "logs/prog-0.9.0-old.log", "logs/prog-1.0.0-abc.log",
	} {
		write(t, filepath.Join(s.root, f), "x")
	}
	release, err := s.lock(context.Background(), "busy-1-zzz", quiet) // as a running install
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	removed, err := s.prune(map[string]bool{"prog-1.0.0-abc": true, "bin-new": true})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(removed)
	if want := "bin-old prog-0.9.0-old prog-1.0.0-abc.tmp-7"; strings.Join(removed, " ") != want {
		t.Errorf("removed %v, want %s", removed, want)
	}
	if want := "bin-new busy-1-zzz busy-1-zzz.tmp-8 prog-1.0.0-abc"; strings.Join(names(t, s), " ") != want {
		t.Errorf("the cache holds %v, want %s", names(t, s), want)
	}
	if exists(filepath.Join(s.root, "logs/prog-0.9.0-old.log")) {
		t.Error("the log of a removed artefact is kept")
	}
	if removed, err := (store{filepath.Join(s.root, "absent")}).prune(nil); err != nil || removed != nil {
		t.Errorf("pruning an absent cache = %v, %v", removed, err)
	}
}

func TestOpenStore(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("AUTOSCALING_CACHE", dir)
	if s, err := openStore(); err != nil || s.root != filepath.Join(dir, "tools") {
		t.Errorf("with AUTOSCALING_CACHE: %v, %v", s, err)
	}
	t.Setenv("AUTOSCALING_CACHE", "")
	t.Setenv("XDG_CACHE_HOME", dir)
	t.Setenv("HOME", dir)
	s, err := openStore()
	if err != nil || !strings.HasSuffix(s.root, filepath.Join("kubernetes-autoscaling", "tools")) || !within(dir, s.root) {
		t.Errorf("in the user's cache folder: %v, %v", s, err)
	}
}
