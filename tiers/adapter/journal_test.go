package adapter

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"
)

// record is the log of a bench.
type record struct {
	mu   sync.Mutex
	text []byte
}

// attach has the bench log into it.
func (r *record) attach(b *bench) {
	WithLogger(slog.New(slog.NewJSONHandler(r, nil))).apply(b.Adapter)
}

func (r *record) Write(line []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.text = append(r.text, line...)
	return len(line), nil
}

// take returns what was logged since the last time.
func (r *record) take() (text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	text, r.text = string(r.text), nil
	return text
}

// lines are what it says, and what is lacking.
func (r *record) lines(t *testing.T) (lines []string) {
	t.Helper()
	for line := range strings.Lines(r.take()) {
		var fields struct{ Msg, Lacks string }
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			t.Errorf("%v: %s", err, line)
		}
		lines = append(lines, fields.Msg+" "+fields.Lacks)
	}
	return lines
}

func wantLines(b *bench, got []string, want ...string) {
	b.Helper()
	if strings.Join(got, "|") != strings.Join(want, "|") {
		b.Errorf("logged %q, want %q", got, want)
	}
}

// TestOnlyChangesAreLogged has one line a change, and none for what stays.
func TestOnlyChangesAreLogged(t *testing.T) {
	good := run{takes: 100 * ms, output: encoded(t, healthy())}
	filled := run{takes: 100 * ms, output: encoded(t, with(full))}
	broken := run{takes: 100 * ms, err: errors.New("exit status 1")}
	var log record
	inVirtualTime(t, time.Millisecond, played(good, good, filled, filled, broken, broken, good), func(b *bench) {
		b.until(2 * time.Second)
		wantLines(b, log.lines(b.T), "state ")
		b.until(5400 * ms)
		wantLines(b, log.lines(b.T), "state capacity", "state command")
		b.until(time.Hour)
		wantLines(b, log.lines(b.T), "state ")
	}, log.attach)
}

// slowLine is how an episode begins.
const slowLine = "command too slow to be steadily ready "

// TestSlowEpisodes logs the start of each episode of samples that take 1 s or more
// (A13), and not those that only fail.
func TestSlowEpisodes(t *testing.T) {
	output := encoded(t, healthy())
	fast := run{takes: 999 * ms, output: output}
	slow := run{takes: 1000 * ms, output: output}
	fails := run{takes: 1400 * ms, err: errors.New("exit status 1")}
	var log record
	inVirtualTime(t, time.Millisecond, played(fast, slow, slow, fails, slow, fast, fails, slow, fast), func(b *bench) {
		b.until(time.Minute)
		wantLines(b, log.lines(b.T),
			"state ", slowLine, "state command", "state ", // the episode outlasts the failure
			"state command", "state ", slowLine)
	}, log.attach)
}

// TestLogIsLimited has a node that flaps for an hour write a few lines, and the last
// state all the same.
func TestLogIsLimited(t *testing.T) {
	good := run{output: encoded(t, healthy())}
	filled := run{output: encoded(t, with(full))}
	flaps := func(start time.Duration) run {
		if start < time.Hour && int(start/time.Second)%2 == 0 {
			return filled
		}
		return good
	}
	var log record
	inVirtualTime(t, time.Millisecond, flaps, func(b *bench) {
		b.until(time.Hour + time.Minute)
		lines := log.lines(b.T)
		if most := linesAtOnce + int(time.Hour/lineEvery) + 1; len(lines) > most || len(lines) < most/2 {
			b.Errorf("%d lines in an hour, want at most %d", len(lines), most)
		}
		if last := lines[len(lines)-1]; last != "state " {
			b.Errorf("the last line is %q", last)
		}
	}, log.attach)
}

// rude is a handler that a user wrote.
type rude struct{ does func() }

func (rude) Enabled(context.Context, slog.Level) bool    { return true }
func (r rude) Handle(context.Context, slog.Record) error { r.does(); return nil }
func (r rude) WithAttrs([]slog.Attr) slog.Handler        { return r }
func (r rude) WithGroup(string) slog.Handler             { return r }

// TestLoggerThatPanics loses its lines, and nothing else (R11).
func TestLoggerThatPanics(t *testing.T) {
	good := run{takes: 100 * ms, output: encoded(t, healthy())}
	panics := 0
	handler := rude{func() { panics++; panic("handler") }}
	inVirtualTime(t, time.Millisecond, played(good, hangs, good), func(b *bench) {
		b.want(150*ms, allYes)
		b.want(3*time.Second, allNo)
		b.want(4*time.Second, allYes)
		if panics != 3 {
			b.Errorf("it was called %d times", panics)
		}
	}, func(b *bench) { WithLogger(slog.New(handler)).apply(b.Adapter) })
}

// TestLogQuotesNoOutput has a command print a secret in many ways, and looks for it in
// the log (A12).
func TestLogQuotesNoOutput(t *testing.T) {
	const canary = "s3cret"
	document := string(encoded(t, healthy()))
	var runs []run
	for _, output := range []string{
		"token=" + canary, canary, `"` + canary + `"`, `{"` + canary + `":1}`,
		strings.Replace(document, `"succeeded"`, `"`+canary+`"`, 1),
		strings.Replace(document, nodeName, canary, 1),
		strings.Replace(document, aLife, canary+"\xff", 1),
		strings.Replace(document, "2026", canary, 1),
		document + canary,
	} {
		runs = append(runs, run{output: []byte(output)}, run{output: []byte(document)})
	}
	var log record
	inVirtualTime(t, time.Millisecond, played(runs...), func(b *bench) {
		b.until(time.Minute)
		text := log.take()
		if strings.Contains(text, canary) {
			b.Error(text)
		}
		if n := strings.Count(text, `"lacks":"document"`); n != len(runs)/2-1 { // one is another node
			b.Errorf("%d of %d are no document:\n%s", n, len(runs)/2, text)
		}
	}, log.attach)
}
