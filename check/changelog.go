package check

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// logGap is the least time between two lines about one check, so that a
// dependency that flaps at every call cannot flood the log.
const logGap = time.Second

// changeLog writes a line when a check's state is another than the one it
// told last. Only its outlet's goroutine uses it, so it needs no lock.
type changeLog struct {
	log     *slog.Logger
	status  Status
	outcome Outcome
	at      time.Time
	told    bool
	skipped uint64
}

// newChangeLog starts as if Healthy had been told: that a check works is no
// news.
func newChangeLog(l *slog.Logger) *changeLog {
	return &changeLog{log: l, status: Healthy, outcome: OK}
}

// tell logs s when it is a change. Everything goes in as an attribute, never
// into the message, so that no text of a check can forge a line.
func (c *changeLog) tell(s Sample) {
	if s.Result.Status == c.status && s.Outcome == c.outcome {
		return
	}
	at := s.Started.Add(s.Duration)
	if c.told && at.Sub(c.at) < logGap {
		c.skipped++
		return
	}
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
