package main

import (
	"fmt"
	"os"
	"time"
)

// screen is where the demo is watched: colour and Pulumi's live display on a
// terminal, plain lines elsewhere.
type screen struct {
	*os.File
	terminal bool
	start    time.Time
}

func newScreen(f *os.File) *screen {
	info, err := f.Stat()
	terminal := err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	return &screen{File: f, terminal: terminal, start: time.Now()}
}

// title starts a part, with the time since the start.
func (s *screen) title(text string) {
	line := fmt.Sprintf("\n== %s  (%s)", text, s.elapsed())
	if s.terminal {
		line = "\033[1;36m" + line + "\033[0m"
	}
	s.say("%s", line)
}

func (s *screen) say(format string, args ...any) {
	fmt.Fprintf(s.File, format+"\n", args...)
}

func (s *screen) elapsed() string { return time.Since(s.start).Round(time.Second).String() }

func (s *screen) colorFlags() []string {
	if s.terminal {
		return []string{"--color", "always"}
	}
	return []string{"--color", "never"}
}

// pulumiFlags keep Pulumi's output to one line a resource where it is no
// terminal that redraws.
func (s *screen) pulumiFlags() []string { return append(s.colorFlags(), "--suppress-progress") }
