package nodepool

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// cronFields are the five fields of a schedule with their bounds and names.
var cronFields = []struct {
	name      string
	low, high int
	names     []string // of low and the values after it
}{
	{"minute", 0, 59, nil},
	{"hour", 0, 23, nil},
	{"day of the month", 1, 31, nil},
	{"month", 1, 12, []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}},
	{"day of the week", 0, 6, []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}},
}

var cronWords = []string{"@annually", "@yearly", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"}

// checkCron returns an error if a schedule is none that Karpenter's controller
// understands: it accepts the object and then disrupts nothing at all.
func checkCron(schedule string) error {
	fail := func(why string) error {
		return fmt.Errorf("found %q, allowed are five fields of cron such as \"0 9 * * mon-fri\", or one of %s: %s",
			schedule, strings.Join(cronWords, ", "), why)
	}
	if strings.HasPrefix(schedule, "@") {
		if !slices.Contains(cronWords, schedule) {
			return fail("choose one of these")
		}
		return nil
	}
	parts := strings.Fields(schedule)
	if len(parts) != len(cronFields) {
		return fail(fmt.Sprintf("it has %d fields", len(parts)))
	}
	for i, part := range parts {
		for item := range strings.SplitSeq(part, ",") {
			if !cronItem(item, i) {
				return fail(fmt.Sprintf("%q is no %s", item, cronFields[i].name))
			}
		}
	}
	return nil
}

// cronItem tells whether an item of a field is *, a value or a range, each with
// a step or without.
func cronItem(item string, field int) bool {
	span, step, stepped := strings.Cut(item, "/")
	if n, err := strconv.Atoi(step); stepped && (err != nil || n < 1) {
		return false
	}
	if span == "*" || span == "?" {
		return true
	}
	from, to, ranged := strings.Cut(span, "-")
	low, ok := cronValue(from, field)
	if !ok || !ranged {
		return ok
	}
	high, ok := cronValue(to, field)
	return ok && low <= high
}

func cronValue(text string, field int) (int, bool) {
	f := cronFields[field]
	if i := slices.Index(f.names, strings.ToLower(text)); i >= 0 {
		return f.low + i, true
	}
	n, err := strconv.Atoi(text)
	return n, err == nil && n >= f.low && n <= f.high
}
