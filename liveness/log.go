package liveness

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/loopvitals/loopvitals/check"
)

// complain logs that the user's code failed, in a place where the logger may be
// what failed.
func (p *publisher) complain(message string, panicked any) {
	defer func() { _ = recover() }()
	log := p.monitor.log
	if log == nil {
		return
	}
	if panicked == nil {
		log.Error(message)
		return
	}
	log.Error(message, slog.String("panic", fmt.Sprint(panicked)), slog.String("stack", string(debug.Stack())))
}

// logTransition logs with attributes only: an id never becomes part of the
// message.
func (p *publisher) logTransition(t *Transition) {
	log := p.monitor.log
	if log == nil {
		return
	}
	v := &t.To
	attrs := append(p.about(v.Key), slog.String("from", t.From.String()))
	if t.Gone {
		log.LogAttrs(context.Background(), slog.LevelInfo, "processor left the board", attrs...)
		return
	}
	attrs = append(attrs,
		slog.String("to", v.Reason.String()),
		slog.String("status", v.Status.String()),
		slog.Duration("age", v.Age),
		slog.Duration("bound", v.Bound),
	)
	if v.Behind > 0 {
		attrs = append(attrs, slog.Int64("lag", v.Behind))
	}
	if v.Worker != "" {
		attrs = append(attrs, slog.String("worker", v.Worker))
	}
	if t.Err != nil {
		attrs = append(attrs, slog.Any("err", t.Err))
	}
	log.LogAttrs(context.Background(), level(v), "processor verdict changed", attrs...)
}

// logMisfit logs that a policy cannot be held to.
func (p *publisher) logMisfit(f *misfit) {
	if log := p.monitor.log; log != nil {
		log.LogAttrs(context.Background(), slog.LevelWarn, "policy is shorter than a processor's interval, using the interval",
			append(p.about(f.key), slog.Duration("interval", f.interval), slog.Any("err", f.err))...)
	}
}

// about says which processor, and on which board if that has a name.
func (p *publisher) about(key string) []slog.Attr {
	attrs := make([]slog.Attr, 0, 12)
	if name := p.monitor.board.Name(); name != "" {
		attrs = append(attrs, slog.String("board", name))
	}
	return append(attrs, slog.String("processor", key))
}

// level is how loud a verdict is.
func level(v *Verdict) slog.Level {
	switch v.Status {
	case check.Healthy:
		return slog.LevelInfo
	case check.Degraded:
		return slog.LevelWarn
	}
	return slog.LevelError
}
