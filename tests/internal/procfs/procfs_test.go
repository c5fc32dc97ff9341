package procfs

import (
	"errors"
	"os"
	"testing"
)

func TestParse(t *testing.T) {
	const stat = "42 (a) b (c) S 7 8 9 0 -1 4194304 1 0 0 0 1 1 0 0 20 0 1 0 987 1000 3 18446744073709551615 1 1 0"
	p, err := parse(stat)
	if err != nil {
		t.Fatal(err)
	}
	want := Process{PID: 42, Parent: 7, Session: 9, StartTime: 987, Resident: 3 * int64(os.Getpagesize()), state: "S"}
	if p != want || p.Ended() {
		t.Errorf("%+v", p)
	}
	for _, bad := range []string{"", "42 (a) S 1", "42", "x (a) S 7 8 9 0 -1 0 1 0 0 0 1 1 0 0 20 0 1 0 987 1000 3 1"} {
		if _, err := parse(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func TestThisProcess(t *testing.T) {
	p, err := Find(os.Getpid())
	if err != nil || p.Parent != os.Getppid() || p.Resident == 0 {
		t.Errorf("%+v, %v", p, err)
	}
	found := false
	for _, other := range All() {
		found = found || other.PID == p.PID && other.StartTime == p.StartTime
	}
	if !found {
		t.Error("it is not among all")
	}
	if _, err := Find(1 << 30); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
