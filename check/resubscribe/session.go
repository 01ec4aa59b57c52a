package resubscribe

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// DefaultCommandTimeout is how long a command of a session may take unless told
// otherwise (S3.23).
const DefaultCommandTimeout = time.Minute

// SessionOptions are what is asked of the peer for a whole session. A zero field
// is not set and takes its default.
type SessionOptions struct {
	// CommandTimeout is how long the peer may spend on one command before it
	// gives up. 0 is DefaultCommandTimeout. It holds for every command of the
	// session, writes included: a write that is stuck is reported that much
	// later, so bound writes on this side as well. It is a margin which keeps a
	// peer that is merely slow from being taken for one that fails, and cures
	// nothing by itself (S3.24).
	CommandTimeout time.Duration
	// Logger gets one line for each session: what was asked and what the peer
	// answered, as a warning when these differ. Nil is no log.
	Logger *slog.Logger
}

// Opened is what the peer answered to the request that opens a session.
type Opened struct {
	// Capabilities are what the peer says it can do.
	Capabilities []string
	// CommandTimeout is the time limit that the peer goes by. 0 is a peer that
	// does not say.
	CommandTimeout time.Duration
}

// Session is what was agreed on when a session was opened. It does not change
// for as long as the session lasts: a new connection has a new Session. It may be
// used by any number of goroutines. A nil Session supports nothing.
type Session struct {
	capabilities map[string]struct{}
	asked, told  time.Duration
}

// OpenSession calls open, which sends the time limit for commands to the peer and
// returns its answer, and keeps what was agreed on. An open that panics is one
// that failed. The errors of open can be found in the returned error.
func OpenSession(ctx context.Context, o SessionOptions, open func(ctx context.Context, commandTimeout time.Duration) (Opened, error)) (*Session, error) {
	if o.CommandTimeout < 0 {
		return nil, fmt.Errorf("resubscribe: command timeout %v: must be above 0", o.CommandTimeout)
	}
	if o.CommandTimeout == 0 {
		o.CommandTimeout = DefaultCommandTimeout
	}
	if open == nil {
		return nil, errors.New("resubscribe: open nil: must be set")
	}
	var answer Opened
	err := guarded(func() (err error) {
		answer, err = open(ctx, o.CommandTimeout)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("resubscribe: open session: %w", err)
	}
	s := newSession(o.CommandTimeout, answer)
	s.log(ctx, o.Logger)
	return s, nil
}

// newSession copies the answer, which belongs to whoever made it.
func newSession(asked time.Duration, answer Opened) *Session {
	s := &Session{
		capabilities: make(map[string]struct{}, len(answer.Capabilities)),
		asked:        asked,
		told:         max(answer.CommandTimeout, 0),
	}
	for _, capability := range answer.Capabilities {
		s.capabilities[capability] = struct{}{}
	}
	return s
}

// Supports tells whether the peer named the capability, letter by letter, when
// the session was opened (S3.18). No version number implies one.
func (s *Session) Supports(capability string) bool {
	if s == nil {
		return false
	}
	_, found := s.capabilities[capability]
	return found
}

// CommandTimeout returns the time limit for commands that was asked for, and the
// one that the peer answered it goes by, which is 0 if it did not say.
func (s *Session) CommandTimeout() (asked, told time.Duration) {
	if s == nil {
		return 0, 0
	}
	return s.asked, s.told
}

// log writes the session's line, whatever the handler does.
func (s *Session) log(ctx context.Context, to *slog.Logger) {
	if to == nil {
		return
	}
	level, text := slog.LevelInfo, "session opened"
	switch {
	case s.told == 0:
		level, text = slog.LevelWarn, "session opened by a peer that does not tell its command timeout"
	case s.told != s.asked:
		level, text = slog.LevelWarn, "session opened with another command timeout than asked"
	}
	_ = guarded(func() error {
		to.Log(ctx, level, "resubscribe: "+text,
			"askedMs", s.asked.Milliseconds(), "toldMs", s.told.Milliseconds(), "capabilities", len(s.capabilities))
		return nil
	})
}

// guarded calls f and makes a panic an error.
func guarded(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: panic: %v", errClient, p)
		}
	}()
	return f()
}
