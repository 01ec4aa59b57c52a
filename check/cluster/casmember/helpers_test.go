package casmember_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/cluster/casmember"
)

const (
	ttl    = 3 * time.Second
	margin = 500 * time.Millisecond // of that ttl
)

// bubbleClock is the clock of a bubble of synctest.
type bubbleClock struct{}

func (bubbleClock) Now() cluster.Instant { return cluster.Instant(time.Now().UnixNano()) }

// started is a node that runs.
type started struct {
	*casmember.Node
	log  *lines
	kill func()
	run  chan error // what Run has returned
}

// start runs a node at an address, until it is killed or the test ends.
func start(t *testing.T, kv casmember.KV, address string, change ...func(*casmember.Config)) *started {
	t.Helper()
	c := casmember.Config{Address: address, TTL: ttl}
	for _, f := range change {
		f(&c)
	}
	log := &lines{}
	n, err := casmember.New(kv, c, casmember.WithClock(bubbleClock{}), casmember.WithLogger(slog.New(slog.NewTextHandler(log, nil))))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	s := &started{Node: n, log: log, kill: func() { cancel(errKilled) }, run: make(chan error, 1)}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.run <- n.Run(ctx)
	}()
	t.Cleanup(func() { s.kill(); <-ended })
	return s
}

var errKilled = errors.New("killed")

// self is what the node shows of itself.
func (s *started) self() cluster.Member {
	m, _ := s.View().Member(s.View().Self)
	return m
}

// active tells whether the node is the active one.
func (s *started) active() bool { return cluster.Ask(s).Active }

// lines is a log.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// count is how many lines have the text in them.
func (l *lines) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), text)
}

// wait lets time pass until the condition holds, at most for as long as given,
// and returns how long it took.
func wait(t *testing.T, most time.Duration, what string, holds func() bool) time.Duration {
	t.Helper()
	began := time.Now()
	for !holds() {
		if time.Since(began) > most {
			t.Fatalf("not within %v: %s", most, what)
		}
		time.Sleep(5 * time.Millisecond)
	}
	return time.Since(began)
}

// between goes on to a moment in which nothing is due: nodes that were started by
// these tests do all they do at multiples of 5 ms.
func between() {
	time.Sleep(137 * time.Millisecond)
	synctest.Wait()
}

const (
	lowest = "10.0.0.1:4053"
	middle = "10.0.0.2:4053"
	other  = "10.0.0.3:4053"
)
