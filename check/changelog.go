package check

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/benbjohnson/clock"
)

// logGap is the least time between two lines about one check, so that a
// dependency that flaps at every call cannot flood the log.
const logGap = time.Second

// changeLog writes a line when a check's state is another than the one it
// told last: at once, or when the gap after the last line is over, whether or
// not there is another sample by then. Only its outlet's goroutine uses it, so
// it needs no lock.
type changeLog struct {
	log     *slog.Logger
	runner  *Runner // for its clock, which an option may set later
	outlet  *outlet
	status  Status
	outcome Outcome
	at      time.Time
	told    bool
	skipped uint64
	newest  Sample
	due     *clock.Timer // for the end of the gap; nil until first needed
}

// newChangeLog returns the outlet of a log that starts as if Healthy had been
// told: that a check works is no news.
func newChangeLog(l *slog.Logger, r *Runner) *outlet {
	c := &changeLog{log: l, runner: r, status: Healthy, outcome: OK, outlet: &outlet{}}
	c.outlet.call = c.see
	return c.outlet
}

// see takes the next sample, or the reminder that a gap is over.
func (c *changeLog) see(s Sample) {
	if at, ok := reminded(s); ok {
		if at.Equal(c.at) && c.isNews() {
			c.skipped-- // the newest is told after all
			c.tell(c.runner.clock.Now())
		}
		return
	}
	c.newest = s
	if !c.isNews() {
		return
	}
	at := s.Started.Add(s.Duration)
	if since := at.Sub(c.at); c.told && since < logGap {
		c.skipped++
		c.remind(min(logGap-since, logGap))
		return
	}
	c.tell(at)
}

func (c *changeLog) isNews() bool {
	return c.newest.Result.Status != c.status || c.newest.Outcome != c.outcome
}

// remind has the gap's end announced in the queue of samples, so that the state
// that is told then is the newest one.
func (c *changeLog) remind(after time.Duration) {
	if c.due != nil {
		c.due.Stop()
	}
	o, about := c.outlet, reminder(c.at)
	c.due = c.runner.clock.AfterFunc(after, func() { o.nudge(about) })
}

// reminder is a sample that no run takes: one without a name. It says after
// which line the gap was, since another line may have been written meanwhile.
func reminder(line time.Time) Sample { return Sample{Started: line} }

func reminded(s Sample) (line time.Time, ok bool) { return s.Started, s.Name == "" }

// tell logs the newest sample. Everything goes in as an attribute, never into
// the message, so that no text of a check can forge a line.
func (c *changeLog) tell(at time.Time) {
	s := c.newest
	attrs := []slog.Attr{
		slog.String("check", s.Name),
		slog.String("status", s.Result.Status.String()),
		slog.String("outcome", s.Outcome.String()),
		slog.Duration("duration", s.Duration),
	}
	if c.skipped > 0 {
		attrs = append(attrs, slog.Uint64("skipped", c.skipped))
	}
	if s.Result.Err != nil {
		attrs = append(attrs, slog.Any("err", s.Result.Err))
		if p := (*panicError)(nil); errors.As(s.Result.Err, &p) {
			attrs = append(attrs, slog.String("stack", string(p.stack)))
		}
	}
	// The state counts as told before the handler runs: one that panics at
	// this line must not be given it again at every sample.
	c.status, c.outcome, c.at, c.told, c.skipped = s.Result.Status, s.Outcome, at, true, 0
	//nolint:forbidigo // the line is about the check, not about a caller
	c.log.LogAttrs(context.Background(), level(s.Result.Status), "check changed", attrs...)
}

func level(s Status) slog.Level {
	if s == Healthy {
		return slog.LevelInfo
	}
	return slog.LevelWarn
}
