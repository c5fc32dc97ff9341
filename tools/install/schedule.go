package main

import (
	"context"
	"errors"
	"slices"
)

// lane is a resource that tasks wait for: compiles fill the machine by
// themselves, downloads mostly wait for the network.
type lane int

const (
	laneBuild lane = iota
	laneFetch
)

// lanes is how many tasks each lane runs at once on a machine with so many
// cores. One Go build uses every core and up to 4 GB.
func lanes(cores int) map[lane]int {
	builds := 1
	if cores > 3 {
		builds = 2
	}
	return map[lane]int{laneBuild: builds, laneFetch: 3}
}

// outcome is how a task ended well.
type outcome string

const (
	built  outcome = "built"
	cached outcome = "cached"
)

// task is one step of an install.
type task struct {
	name  string
	lane  lane
	needs []*task
	// helper tasks (downloads) are seen while they run, and are not counted.
	helper bool
	run    func(ctx context.Context) (outcome, error)

	result        string // what it leaves for the tasks that need it
	started, done bool
	err           error
}

var errSkipped = errors.New("not tried")

// watcher hears of tasks as they start and end.
type watcher interface {
	start(t *task)
	finish(t *task, o outcome)
}

// runTasks runs tasks in their order as far as lanes and needs allow. A failed
// one fails those that need it; the others still run. It returns when nothing
// runs any more.
func runTasks(ctx context.Context, tasks []*task, room map[lane]int, w watcher) {
	type result struct {
		t *task
		o outcome
	}
	results := make(chan result)
	running := 0
	for {
		for changed := true; changed; { // a skipped task may decide others
			changed = false
			for _, t := range tasks {
				if t.started || !t.ready() {
					continue
				}
				if err := t.blocked(ctx); err != nil {
					t.started, t.done, t.err, changed = true, true, err, true
					continue
				}
				if room[t.lane] == 0 {
					continue
				}
				room[t.lane]--
				running++
				t.started = true
				w.start(t)
				go func() {
					o, err := t.run(ctx)
					t.err = err
					results <- result{t, o}
				}()
			}
		}
		if running == 0 {
			return
		}
		r := <-results
		running--
		room[r.t.lane]++
		r.t.done = true
		w.finish(r.t, r.o)
	}
}

// ready says whether everything that a task needs has ended, well or not.
func (t *task) ready() bool {
	return !slices.ContainsFunc(t.needs, func(n *task) bool { return !n.done })
}

// blocked says why a ready task cannot run.
func (t *task) blocked(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, n := range t.needs {
		if n.err != nil {
			return &skipError{need: n.name}
		}
	}
	return nil
}

// skipError is a task that was not tried because another one failed.
type skipError struct{ need string }

func (e *skipError) Error() string        { return "not tried: it needs " + e.need }
func (e *skipError) Is(target error) bool { return target == errSkipped }
