package main

import (
	"strings"
	"testing"
	"time"
)

func TestProgressLines(t *testing.T) {
	var out strings.Builder
	clock := time.Unix(0, 0)
	p := &progress{out: &out, now: func() time.Time { return clock }, total: 2}
	x, helper := &task{name: "etcd 3.6.4"}, &task{name: "modules of kubernetes", helper: true}
	p.start(helper)
	p.start(x)
	clock = clock.Add(75 * time.Second)
	p.alive()
	p.finish(helper, built)
	clock = clock.Add(2 * time.Minute)
	p.finish(x, built)
	p.alive() // nothing runs: nothing to say
	want := `  start   etcd 3.6.4
  ...     modules of kubernetes 1m15s, etcd 3.6.4 1m15s (0 of 2 done)
  built   etcd 3.6.4 in 3m15s (1 of 2)
`
	if out.String() != want {
		t.Errorf("printed\n%swant\n%s", out.String(), want)
	}
	p.terminal = true
	p.start(x)
	out.Reset()
	p.alive()
	p.line("note")
	if got := out.String(); !strings.HasSuffix(got, "\r\x1b[Knote\n") {
		t.Errorf("a line does not clear the status line: %q", got)
	}
}
