package main

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"
)

// diary notes starts and ends of tasks.
type diary struct {
	mu      sync.Mutex
	entries []string
	now     map[lane]int
	most    map[lane]int
}

func newDiary() *diary { return &diary{now: map[lane]int{}, most: map[lane]int{}} }

func (d *diary) start(t *task) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.entries = append(d.entries, "+"+t.name)
	d.now[t.lane]++
	d.most[t.lane] = max(d.most[t.lane], d.now[t.lane])
}

func (d *diary) finish(t *task, _ outcome) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.entries = append(d.entries, "-"+t.name)
	d.now[t.lane]--
}

func ok(context.Context) (outcome, error) { return built, nil }

func TestRunTasksOrder(t *testing.T) {
	a := &task{name: "a", run: ok}
	b := &task{name: "b", run: ok}
	c := &task{name: "c", run: ok, needs: []*task{b}}
	late := &task{name: "late", run: ok, needs: []*task{c}}
	d := newDiary()
	runTasks(context.Background(), []*task{a, late, b, c}, map[lane]int{laneBuild: 1}, d)
	if got, want := strings.Join(d.entries, ""), "+a-a+b-b+c-c+late-late"; got != want {
		t.Errorf("ran %s, want %s", got, want)
	}
}

func TestRunTasksLanes(t *testing.T) {
	slow := func(context.Context) (outcome, error) { time.Sleep(20 * time.Millisecond); return built, nil }
	var tasks []*task
	for range 4 {
		tasks = append(tasks, &task{name: "b", lane: laneBuild, run: slow}, &task{name: "f", lane: laneFetch, run: slow})
	}
	d := newDiary()
	runTasks(context.Background(), tasks, map[lane]int{laneBuild: 1, laneFetch: 3}, d)
	if d.most[laneBuild] != 1 || d.most[laneFetch] != 3 {
		t.Errorf("at once: %d builds and %d downloads, want 1 and 3", d.most[laneBuild], d.most[laneFetch])
	}
	for cores, want := range map[int]int{1: 1, 2: 1, 3: 1, 4: 2, 64: 2} {
		if got := lanes(cores)[laneBuild]; got != want {
			t.Errorf("%d builds at once on %d cores, want %d", got, cores, want)
		}
	}
}

// TestRunTasksFailure: what needs a failed task is not tried, the rest is.
func TestRunTasksFailure(t *testing.T) {
	boom := errors.New("boom")
	bad := &task{name: "bad", run: func(context.Context) (outcome, error) { return built, boom }}
	needs := &task{name: "needs", run: ok, needs: []*task{bad}}
	deeper := &task{name: "deeper", run: ok, needs: []*task{needs}}
	other := &task{name: "other", run: ok}
	runTasks(context.Background(), []*task{deeper, needs, bad, other}, map[lane]int{laneBuild: 1}, newDiary())
	if !errors.Is(bad.err, boom) || other.err != nil || !other.done {
		t.Errorf("bad: %v, other: %v", bad.err, other.err)
	}
	for _, skipped := range []*task{needs, deeper} {
		if !errors.Is(skipped.err, errSkipped) {
			t.Errorf("%s: %v, want it skipped", skipped.name, skipped.err)
		}
	}
}

// TestRunTasksStop: a stopped install waits for what runs and starts no more.
func TestRunTasksStop(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := false
	first := &task{name: "first", run: func(ctx context.Context) (outcome, error) {
		cancel()
		<-ctx.Done()
		ended = true
		return built, ctx.Err()
	}}
	second := &task{name: "second", run: ok}
	runTasks(ctx, []*task{first, second}, map[lane]int{laneBuild: 1}, newDiary())
	if !ended || !errors.Is(second.err, context.Canceled) {
		t.Errorf("ended %v, second: %v", ended, second.err)
	}
}
