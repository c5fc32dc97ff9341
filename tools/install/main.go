// Command install brings every program that the Makefile needs, at its pinned
// version, into a cache outside the checkout.
//
//	install [-q] [NAME|GROUP ...]   build what is missing (default: everything)
//	install -bin                    print the folder of links and do nothing
//	install -prune                  remove what the current pins do not name
//	install -drop                   remove everything
//
// The cache is kubernetes-autoscaling/tools in the user's cache folder, or
// tools in the folder that AUTOSCALING_CACHE names.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
)

func main() {
	var opts options
	flag.BoolVar(&opts.bin, "bin", false, "print the folder of links without building")
	flag.BoolVar(&opts.prune, "prune", false, "remove what the current pins do not name")
	flag.BoolVar(&opts.drop, "drop", false, "remove everything in the cache")
	flag.BoolVar(&opts.quiet, "q", false, "print nothing about what is there already")
	flag.Parse()
	opts.names = flag.Args()
	os.Exit(exitCode(opts))
}

// exitCode runs the command until it is done or a signal stops it.
func exitCode(opts options) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	err := run(ctx, opts)
	switch {
	case err == nil:
		return 0
	case ctx.Err() != nil:
		fmt.Fprintln(os.Stderr, "install: stopped; nothing half made is left")
		return 130
	}
	fmt.Fprintln(os.Stderr, "install:", err)
	return 1
}

type options struct {
	bin, prune, drop, quiet bool
	names                   []string
}

func run(ctx context.Context, opts options) error {
	repo, err := findRepo()
	if err != nil {
		return err
	}
	s, err := openStore()
	if err != nil {
		return err
	}
	p, err := readPins(repo)
	if err != nil {
		return err
	}
	switch {
	case opts.bin:
		fmt.Println(s.bin(p.key))
		return nil
	case opts.prune:
		return sayPrune(s, p.folders(s))
	case opts.drop:
		return sayPrune(s, nil)
	}
	chosen, err := p.choose(opts.names)
	if err != nil {
		return err
	}
	in := &installer{repo: repo, store: s, pins: p}
	return in.install(ctx, chosen, opts.quiet)
}

// findRepo looks upwards for the folder that holds this program.
func findRepo() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if exists(filepath.Join(dir, "tools", "install", "table.go")) {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("%s is not inside the repository", start)
		}
	}
}

// install makes what is missing and links everything, with progress.
func (in *installer) install(ctx context.Context, chosen []*artefact, quiet bool) error {
	for _, dir := range []string{in.store.root, filepath.Join(in.store.root, logsDir)} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	out := newProgress(os.Stdout)
	in.say = out.line
	in.found = thisMachine(in.store).findAll(ctx, chosen, func(note string) {
		if !quiet {
			out.line("  note    %s", note)
		}
	})
	tasks, total := in.plan(chosen)
	if !quiet || total > 0 {
		in.sayReady(chosen, total)
	}
	out.total = total

	stop := make(chan struct{})
	go out.beat(stop)
	runTasks(ctx, tasks, lanes(runtime.NumCPU()), out)
	close(stop)

	if err := in.linkAll(chosen); err != nil {
		return fmt.Errorf("linking: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := in.failures(tasks, total); err != nil {
		return err
	}
	if !quiet || total > 0 {
		in.locate(ctx, chosen)
		in.say("tools are in %s", in.store.bin(in.pins.key))
	}
	return nil
}

// sayReady prints a line for everything that is there already.
func (in *installer) sayReady(chosen []*artefact, missing int) {
	in.say("tools: %d of %d are there, %d to make", len(chosen)-missing, len(chosen), missing)
	for _, a := range chosen {
		if f := in.found[a.Name]; f != nil {
			in.say("  found   %s %s at %s", a.Name, f.Version, f.Path)
		} else if in.store.has(a) {
			in.say("  cached  %s", a)
		}
	}
}

// failures reports every task that went wrong.
func (in *installer) failures(tasks []*task, total int) error {
	failed := 0
	for _, t := range tasks {
		if t.err == nil {
			continue
		}
		if !t.helper {
			failed++
		}
		if !t.helper || !errors.Is(t.err, errSkipped) {
			in.say("\n%s: %v", t.name, t.err)
		}
	}
	if failed == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d could not be made", failed, total)
}

// locate asks built programs whether they find what they need from elsewhere.
// A missing piece is said here and fails only what needs it.
func (in *installer) locate(ctx context.Context, chosen []*artefact) {
	for _, a := range chosen {
		if a.Program == nil || a.Program.Locate == "" || in.found[a.Name] != nil {
			continue
		}
		program := filepath.Join(in.store.dir(a), a.Name)
		log, err := openLog(in.store.log(a) + "." + a.Program.Locate)
		if err != nil {
			in.say("  note    %s: %v", a, err)
			continue
		}
		out, err := log.run(ctx, command{argv: []string{program, a.Program.Locate}})
		log.close()
		if err != nil {
			in.say("  MISSING what %s needs: %s", a, reason(err))
			continue
		}
		in.say("  uses    %s: %s", a.Name, oneLine(out))
	}
}

func sayPrune(s store, keep map[string]bool) error {
	removed, err := s.prune(keep)
	for _, name := range removed {
		fmt.Println("removed", name)
	}
	return err
}
