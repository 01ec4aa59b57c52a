package redundancy

import (
	"context"
	"log/slog"
	"sync"
)

// log is the log hook. It is called outside of all locks.
type log struct {
	to *slog.Logger // nil: nobody

	mu     sync.Mutex
	reason map[string]string // by purpose, the error that was told last
}

// line writes one line, whatever the handler does.
func (l *log) line(level slog.Level, text string, args ...any) {
	if l.to == nil {
		return
	}
	defer func() { _ = recover() }()
	//nolint:forbidigo // a line belongs to no request
	l.to.Log(context.Background(), level, "redundancy: "+text, args...)
}

// warn writes a warning.
func (l *log) warn(text string, args ...any) { l.line(slog.LevelWarn, text, args...) }

// outcome tells of a change in how calls for a purpose end. The same reason again is
// not told.
func (l *log) outcome(purpose string, err error) {
	reason := ""
	if err != nil {
		reason = text(err)
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
		l.warn(purpose+" failed", "err", reason)
	default:
		l.line(slog.LevelInfo, purpose+" works again")
	}
}

// text is what an error says; its method is code of others.
func text(err error) (s string) {
	defer func() {
		if recover() != nil {
			s = "an error without a text"
		}
	}()
	return err.Error()
}
