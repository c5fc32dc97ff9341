package main

import (
	"context"
	"os"
	"path/filepath"
)

// installer brings the chosen artefacts of one checkout into the cache.
type installer struct {
	repo  string
	store store
	pins  *pins
	found map[string]*found
	say   func(format string, args ...any)
}

// plan returns the tasks that are left to do, and how many of them make an
// artefact.
func (in *installer) plan(chosen []*artefact) (tasks []*task, artefacts int) {
	var missing []*artefact
	for _, a := range chosen {
		if in.found[a.Name] == nil && !in.store.has(a) {
			missing = append(missing, a)
		}
	}
	fetches := map[string]*task{} // by module folder
	have := downloads{}
	byName := map[string]*task{}
	for _, a := range missing {
		t := &task{name: a.String(), lane: laneBuild}
		switch a.Name {
		case venvName:
			t.lane = laneFetch
			t.run = in.making(a, func(ctx context.Context, log *logFile, tmp string) error {
				return buildVenv(ctx, in.repo, log, tmp, in.store.dir(a))
			})
		case chartsName:
			// Packaging takes a moment of one core: it need not wait for a build.
			t.lane = laneFetch
			in.planCharts(a, t, byName[helmName], have, &tasks)
		case crdsName:
			t.lane = laneFetch
			in.planModules(a, t, karpenterReleases, have, &tasks)
			t.run = in.making(a, func(_ context.Context, _ *logFile, tmp string) error {
				return extractCRDs(have, tmp)
			})
		default:
			dir := a.Program.Dir
			if fetches[dir] == nil {
				fetches[dir] = in.planFetch(dir, missing)
				tasks = append(tasks, fetches[dir])
			}
			t.needs = []*task{fetches[dir]}
			t.run = in.making(a, func(ctx context.Context, log *logFile, tmp string) error {
				return buildProgram(ctx, in.repo, a, log, tmp)
			})
		}
		byName[a.Name] = t
		tasks = append(tasks, t)
	}
	return tasks, len(missing)
}

// planFetch downloads the modules of every missing program of a folder.
func (in *installer) planFetch(dir string, missing []*artefact) *task {
	var pkgs []string
	var first *artefact
	for _, a := range missing {
		if a.Program != nil && a.Program.Dir == dir {
			pkgs = append(pkgs, a.Program.Pkg)
			if first == nil {
				first = a
			}
		}
	}
	return &task{
		name: "modules of " + filepath.Base(dir), lane: laneFetch, helper: true,
		run: func(ctx context.Context) (outcome, error) {
			log, err := openLog(in.store.log(first) + ".modules")
			if err != nil {
				return built, err
			}
			defer log.close()
			return built, fetchModules(ctx, filepath.Join(in.repo, dir), pkgs, log)
		},
	}
}

// planCharts packages the charts when their sources and helm are there.
func (in *installer) planCharts(a *artefact, t, helm *task, have downloads, tasks *[]*task) {
	in.planModules(a, t, modulesOf(charts), have, tasks)
	if helm != nil {
		t.needs = append(t.needs, helm)
	}
	program := filepath.Join(in.store.dir(in.pins.named(helmName)), helmName)
	t.run = in.making(a, func(ctx context.Context, log *logFile, tmp string) error {
		return buildCharts(ctx, program, have, log, tmp)
	})
}

// making wraps a build into lock, log and atomic publication.
func (in *installer) making(a *artefact, build func(ctx context.Context, log *logFile, tmp string) error) func(context.Context) (outcome, error) {
	return func(ctx context.Context) (outcome, error) {
		waiting := func() { in.say("  wait    another install is making %s", a) }
		made, err := in.store.publish(ctx, a, waiting, func(tmp string) error {
			log, err := openLog(in.store.log(a))
			if err != nil {
				return err
			}
			defer log.close()
			return build(ctx, log, tmp)
		})
		if err == nil && !made {
			return cached, nil
		}
		return built, err
	}
}

// linkAll links what is there of the chosen artefacts into the bin folder.
func (in *installer) linkAll(chosen []*artefact) error {
	bin := in.store.bin(in.pins.key)
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return err
	}
	for _, a := range chosen {
		target := filepath.Join("..", a.folder(), a.Link)
		if f := in.found[a.Name]; f != nil {
			target = f.Path
		} else if !in.store.has(a) {
			continue
		}
		if err := link(bin, a.Name, target); err != nil {
			return err
		}
	}
	return nil
}
