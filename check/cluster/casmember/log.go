package casmember

import (
	"context"
	"log/slog"
	"sync"
)

// log is the log hook. It is not called under the node's mutex.
type log struct {
	to *slog.Logger

	mu     sync.Mutex
	reason map[string]string // by purpose, the error that was told last
}

// line writes one line, whatever the handler does.
func (l *log) line(level slog.Level, text string, args ...any) {
	if l.to == nil {
		return
	}
	defer func() { _ = recover() }()
	l.to.Log(context.Background(), level, "casmember: "+text, args...)
}

// outcome tells of a change in how the engine answers for a purpose. The same
// reason again is not told.
func (l *log) outcome(purpose string, err error) {
	reason := ""
	if err != nil {
		reason = err.Error()
	}
	l.mu.Lock()
	same := l.reason[purpose] == reason
	if l.reason == nil {
		l.reason = make(map[string]string)
	}
	l.reason[purpose] = reason
	l.mu.Unlock()
	switch {
	case same:
	case err != nil:
		l.line(slog.LevelWarn, purpose+" failed", "err", err)
	default:
		l.line(slog.LevelInfo, purpose+" works again")
	}
}
