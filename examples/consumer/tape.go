package main

import (
	"bytes"
	"io"
	"log/slog"
	"strings"
	"sync"
)

// tape keeps what is logged until somebody prints it, so that log lines do not
// fall into the middle of a step.
type tape struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (t *tape) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.Write(p)
}

// play prints what was logged since the last call.
func (t *tape) play(out io.Writer, prefix string) {
	t.mu.Lock()
	text := t.text.String()
	t.text.Reset()
	t.mu.Unlock()
	for line := range strings.Lines(text) {
		_, _ = io.WriteString(out, prefix+line)
	}
}

// logger writes lines without their time, which the steps show already.
func (t *tape) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(t, &slog.HandlerOptions{
		ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if len(groups) == 0 && (a.Key == slog.TimeKey || a.Key == "board" && a.Value.String() == "") {
				return slog.Attr{}
			}
			return a
		},
	}))
}
