package resubscribe

import (
	"context"
	"log/slog"
)

// log is the log hook.
type log struct {
	to *slog.Logger // nil: nobody
}

func (l *log) info(text string, args ...any) { l.line(slog.LevelInfo, text, args...) }
func (l *log) warn(text string, args ...any) { l.line(slog.LevelWarn, text, args...) }

// line writes one line, whatever the handler does.
func (l *log) line(level slog.Level, text string, args ...any) {
	if l.to == nil {
		return
	}
	defer func() { _ = recover() }()
	//nolint:forbidigo // a line belongs to no request
	l.to.Log(context.Background(), level, "resubscribe: "+text, args...)
}

// text is what an error says; its method is code of others.
func text(err error) (s string) {
	if err == nil {
		return ""
	}
	defer func() {
		if recover() != nil {
			s = "an error without a text"
		}
	}()
	return err.Error()
}
