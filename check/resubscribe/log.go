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

// reason is an error in a line. Its text is made only where there is a log, and whatever
// its method does, which is code of others.
type reason struct{ err error }

// LogValue returns the text.
func (r reason) LogValue() (v slog.Value) {
	if r.err == nil {
		return slog.StringValue("")
	}
	defer func() {
		if recover() != nil {
			v = slog.StringValue("an error without a text")
		}
	}()
	return slog.StringValue(r.err.Error())
}
