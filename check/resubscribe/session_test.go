package resubscribe_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/check/resubscribe"
)

// logTo returns a logger whose lines have no time.
func logTo(b *bytes.Buffer) *slog.Logger {
	return slog.New(slog.NewTextHandler(b, &slog.HandlerOptions{
		ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey && len(groups) == 0 {
				return slog.Attr{}
			}
			return a
		},
	}))
}

// TestCommandTimeout sends the limit at open, and shows what the peer made of it
// (S3.23, S3.24).
func TestCommandTimeout(t *testing.T) {
	cases := []struct {
		name                      string
		option, answer            time.Duration
		sent, wantAsked, wantTold time.Duration
		log                       string
	}{
		{
			"the default", 0, time.Minute, time.Minute, time.Minute, time.Minute,
			`level=INFO msg="resubscribe: session opened" askedMs=60000 toldMs=60000 capabilities=1`,
		},
		{
			"the smallest", 1, 1, 1, 1, 1,
			`level=INFO msg="resubscribe: session opened" askedMs=0 toldMs=0 capabilities=1`,
		},
		{
			"the largest", math.MaxInt64, math.MaxInt64, math.MaxInt64, math.MaxInt64, math.MaxInt64,
			`level=INFO msg="resubscribe: session opened" askedMs=9223372036854 toldMs=9223372036854 capabilities=1`,
		},
		{
			"a peer that goes by less", 90 * time.Second, 30 * time.Second, 90 * time.Second, 90 * time.Second, 30 * time.Second,
			`level=WARN msg="resubscribe: session opened with another command timeout than asked" askedMs=90000 toldMs=30000 capabilities=1`,
		},
		{
			"a peer that goes by more", time.Second, 2 * time.Second, time.Second, time.Second, 2 * time.Second,
			`level=WARN msg="resubscribe: session opened with another command timeout than asked" askedMs=1000 toldMs=2000 capabilities=1`,
		},
		{
			"a peer that does not say", 0, 0, time.Minute, time.Minute, 0,
			`level=WARN msg="resubscribe: session opened by a peer that does not tell its command timeout" askedMs=60000 toldMs=0 capabilities=1`,
		},
		{
			"a peer that says nonsense", 0, -1, time.Minute, time.Minute, 0,
			`level=WARN msg="resubscribe: session opened by a peer that does not tell its command timeout" askedMs=60000 toldMs=0 capabilities=1`,
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var sent time.Duration
			var log bytes.Buffer
			s, err := resubscribe.OpenSession(t.Context(), resubscribe.SessionOptions{CommandTimeout: c.option, Logger: logTo(&log)},
				func(_ context.Context, limit time.Duration) (resubscribe.Opened, error) {
					sent = limit
					return resubscribe.Opened{Capabilities: []string{"unary-invoke"}, CommandTimeout: c.answer}, nil
				})
			if err != nil {
				t.Fatal(err)
			}
			if asked, told := s.CommandTimeout(); sent != c.sent || asked != c.wantAsked || told != c.wantTold {
				t.Errorf("sent %v, asked %v, told %v", sent, asked, told)
			}
			if got := strings.TrimSpace(log.String()); got != c.log {
				t.Errorf("logged\n%s, want\n%s", got, c.log)
			}
		})
	}
}

// TestSessionIsRefused names what is wrong.
func TestSessionIsRefused(t *testing.T) {
	fine := func(context.Context, time.Duration) (resubscribe.Opened, error) { return resubscribe.Opened{}, nil }
	refusal := errors.New("too many sessions")
	cases := []struct {
		name string
		o    resubscribe.SessionOptions
		open func(context.Context, time.Duration) (resubscribe.Opened, error)
		want string
	}{
		{"a negative limit", resubscribe.SessionOptions{CommandTimeout: -1}, fine, "resubscribe: command timeout -1ns: must be above 0"},
		{"no open", resubscribe.SessionOptions{}, nil, "resubscribe: open nil: must be set"},
		{
			"an error",
			resubscribe.SessionOptions{},
			func(context.Context, time.Duration) (resubscribe.Opened, error) { return resubscribe.Opened{}, refusal },
			"resubscribe: open session: too many sessions",
		},
		{
			"a panic",
			resubscribe.SessionOptions{},
			func(context.Context, time.Duration) (resubscribe.Opened, error) { panic("no connection") },
			"resubscribe: open session: resubscribe: the client is broken: panic: no connection",
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s, err := resubscribe.OpenSession(t.Context(), c.o, c.open)
			if s != nil || err == nil || err.Error() != c.want {
				t.Errorf("%v, %v, want %s", s, err, c.want)
			}
		})
	}
}

// TestCapabilitiesAreThoseOfTheOpening changes the answer afterwards (S3.18).
func TestCapabilitiesAreThoseOfTheOpening(t *testing.T) {
	answer := []string{"unary-invoke"}
	s := agreed(t, answer...)
	answer[0] = resubscribe.BulkSupervisory
	if !s.Supports("unary-invoke") || s.Supports(resubscribe.BulkSupervisory) || s.Supports("") {
		t.Error("the session changed with the answer")
	}
}

// TestNoSession is about the nil and the zero one.
func TestNoSession(t *testing.T) {
	for _, s := range []*resubscribe.Session{nil, {}} {
		asked, told := s.CommandTimeout()
		if s.Supports(resubscribe.BulkSupervisory) || asked != 0 || told != 0 {
			t.Errorf("supports, or %v, %v", asked, told)
		}
	}
}

// brokenHandler panics.
type brokenHandler struct{ slog.Handler }

func (brokenHandler) Enabled(context.Context, slog.Level) bool  { return true }
func (brokenHandler) Handle(context.Context, slog.Record) error { panic("disk full") }

// TestSessionLogPanics opens the session anyway.
func TestSessionLogPanics(t *testing.T) {
	o := resubscribe.SessionOptions{Logger: slog.New(brokenHandler{})}
	if _, err := resubscribe.OpenSession(t.Context(), o, func(context.Context, time.Duration) (resubscribe.Opened, error) {
		return resubscribe.Opened{}, nil
	}); err != nil {
		t.Error(err)
	}
}
