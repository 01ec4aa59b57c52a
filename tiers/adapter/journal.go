package adapter

import (
	"context"
	"log/slog"
	"time"
)

// journal logs what has changed, and nothing else. The sampler alone writes it, so
// that a log that blocks keeps no probe waiting: the answers only grow old.
type journal struct {
	logger *slog.Logger
	config Config // as validated

	told  state // by the last line
	slow  bool  // in an episode of slow samples
	quota quota
}

// state is what a line tells of.
type state struct {
	passes [endpoints]bool
	lacks  lack
}

// write logs a sample if it differs from the last one that was logged.
func (j *journal) write(at instant, result assessment) {
	if s := (state{result.passes, result.lacks}); s != j.told && j.quota.take(at) {
		j.told = s
		level, attributes := slog.LevelInfo, []slog.Attr{
			slog.Bool("startup", s.passes[startup]),
			slog.Bool("ready", s.passes[ready]),
			slog.Bool("live", s.passes[live]),
		}
		if s.lacks != nothing {
			level = slog.LevelWarn
			attributes = append(attributes, slog.String("lacks", string(s.lacks)))
		}
		if result.err != nil {
			attributes = append(attributes, slog.String("error", result.err.Error()))
		}
		j.line(level, "state", attributes...)
	}
	j.writeSlow(at, result)
}

// writeSlow logs the start of each episode in which good samples take so long that
// the answers grow too old before the next sample can renew them (A13). A sample
// that failed neither starts nor ends one.
func (j *journal) writeSlow(at instant, result assessment) {
	if !result.live {
		return
	}
	slow := !steady(result.took, result.age-result.took, j.config)
	if slow && !j.slow && !j.quota.take(at) {
		return // tried again with the next sample
	}
	if slow && !j.slow {
		j.line(slog.LevelWarn, "command too slow to be steadily ready",
			slog.Int64("tookMs", result.took.Milliseconds()),
			slog.Int64("nodeAgeMs", (result.age-result.took).Milliseconds()),
			slog.Int64("pauseMs", j.config.Pause.Milliseconds()),
			slog.Int64("maximumAgeMs", j.config.MaximumAge.Milliseconds()),
		)
	}
	j.slow = slow
}

// steady tells whether samples that take so long, of facts that are so old when
// they are asked for, can follow each other without a gap: the answers of one must
// last until the next one has ended (A13).
func steady(took, nodeAge time.Duration, c Config) bool {
	return nodeAge+took+c.Pause+took < c.MaximumAge
}

// line logs one line. A handler that panics loses it: the samples go on.
func (j *journal) line(level slog.Level, message string, attributes ...slog.Attr) {
	defer func() { _ = recover() }()
	if j.quota.refused > 0 {
		attributes = append(attributes, slog.Int("suppressed", j.quota.refused))
		j.quota.refused = 0
	}
	ctx := context.Background() //nolint:forbidigo // a sample belongs to no request
	j.logger.LogAttrs(ctx, level, message, attributes...)
}

// quota limits lines: a few at once, and then one in a while. A node that flaps
// must not fill a disk.
type quota struct {
	used    int
	renewed instant
	refused int
}

const (
	linesAtOnce = 20
	lineEvery   = 10 * time.Second
)

// take tells whether one more line may be written.
func (q *quota) take(at instant) bool {
	if back := int(at.since(q.renewed) / lineEvery); back > 0 {
		q.used = max(q.used-back, 0)
		q.renewed = at
	}
	if q.used >= linesAtOnce {
		q.refused++
		return false
	}
	q.used++
	return true
}
