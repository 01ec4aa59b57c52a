package redundancy

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster/clustertest"
)

// store is a shared database that does what the test wants.
type store struct {
	asked, inFlight, most atomic.Int64
	do                    atomic.Pointer[func(context.Context) error] // nil answers
}

func (s *store) ping(ctx context.Context) error {
	s.asked.Add(1)
	s.most.Store(max(s.most.Load(), s.inFlight.Add(1)))
	defer s.inFlight.Add(-1)
	if do := s.do.Load(); do != nil {
		return (*do)(ctx)
	}
	return nil
}

func (s *store) then(do func(context.Context) error) {
	if do == nil {
		s.do.Store(nil)
		return
	}
	s.do.Store(&do)
}

func asking(s *store) func(*Config) { return func(c *Config) { c.Database = s.ping } }

// TestDatabaseIsAsked is S4.23: at once and every 5 s, however many want to know.
func TestDatabaseIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, s := newWorld(t), &store{}
		a := w.start(nodeA, asking(s))
		synctest.Wait()
		if got := s.asked.Load(); got != 1 {
			t.Errorf("asked %d times at once, want 1", got)
		}
		for range 100 {
			a.ServiceLevel()
			a.Check(t.Context())
			a.Database().Check(t.Context())
			a.State()
		}
		time.Sleep(5*time.Second - 1)
		synctest.Wait()
		if got := s.asked.Load(); got != 1 {
			t.Errorf("asked %d times before the interval, want 1", got)
		}
		time.Sleep(time.Minute + 1)
		synctest.Wait()
		if got := s.asked.Load(); got != 14 {
			t.Errorf("asked %d times in 65 s, want 14", got)
		}
	})
}

// TestDatabaseAnswers: every way that a query can end, and what the level is then
// (S4.11, S4.14).
func TestDatabaseAnswers(t *testing.T) {
	for _, test := range []struct {
		name string
		do   func(context.Context) error
		want uint8
	}{
		{"answers", func(context.Context) error { return nil }, 250},
		{"answers just in time", func(context.Context) error { time.Sleep(2*time.Second - 1); return nil }, 250},
		{"answers at the limit", func(context.Context) error { time.Sleep(2 * time.Second); return nil }, 100},
		{"heeds its context", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, 100},
		{"ends at the limit as if all were well", func(ctx context.Context) error { <-ctx.Done(); return nil }, 100},
		{"fails", func(context.Context) error { return errors.New("no route") }, 100},
		{"panics", func(context.Context) error { panic("database") }, 100},
		{"ends its goroutine", func(context.Context) error { runtime.Goexit(); return nil }, 100},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, s := newWorld(t), &store{}
				s.then(test.do)
				a := w.start(nodeA, asking(s))
				w.up(nodeA)
				w.sleep(3 * time.Second)
				w.wantLevel("after one query", a, test.want)
				w.sleep(time.Minute)
				w.wantLevel("a minute later", a, test.want)
				s.then(nil)
				w.sleep(10 * time.Second)
				w.wantLevel("well again", a, 250)
			})
		})
	}
}

// TestBeforeTheFirstAnswer is S4.19: the level comes from the roles until the database
// has answered once, or is out of time.
func TestBeforeTheFirstAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, s := newWorld(t), &store{}
		s.then(func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
		a, b := w.start(nodeA, asking(s)), w.start(nodeB, asking(s))
		w.up(nodeA, nodeB)
		w.sleep(time.Second)
		w.wantLevel("the primary", a, 240)
		w.wantLevel("the secondary", b, 100)
		w.sleep(time.Second)
		w.wantLevel("the primary, out of time", a, 100)
		w.wantLevel("the secondary, out of time", b, 100)
	})
}

// TestDatabaseHangs: a query that never returns makes the database unreachable after
// its time, costs one goroutine, and ends when it returns.
func TestDatabaseHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, s, goOn := newWorld(t), &store{}, make(chan struct{})
		a := w.start(nodeA, asking(s))
		w.up(nodeA)
		w.sleep(time.Second)
		w.wantLevel("well", a, 250)
		s.then(func(context.Context) error { <-goOn; return nil })
		w.sleep(4*time.Second + 2*time.Second - 1)
		w.wantLevel("just before the query is out of time", a, 250)
		w.sleep(1)
		w.wantLevel("out of time", a, 100)
		before := runtime.NumGoroutine()
		w.sleep(10 * time.Minute)
		w.wantLevel("ten minutes later", a, 100)
		if most := s.most.Load(); most != 1 {
			t.Errorf("%d queries at a time, want 1", most)
		}
		if now := goroutines(before + 1); now > before+1 {
			t.Errorf("%d goroutines, %d before", now, before)
		}
		s.then(nil)
		close(goOn)
		w.sleep(5 * time.Second)
		w.wantLevel("it has returned", a, 250)
	})
}

// TestNoDatabase: none is none that is missing.
func TestNoDatabase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		a := w.start(nodeA)
		w.up(nodeA)
		w.sleep(time.Hour)
		w.wantLevel("an hour later", a, 250)
	})
}

// TestDatabaseAtTheEnd: a query that is ended with the node says nothing about the
// database.
func TestDatabaseAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, s := newWorld(t), &store{}
		a := w.start(nodeA, asking(s))
		synctest.Wait()
		s.then(func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
		time.Sleep(6 * time.Second)
		a.stop()
		synctest.Wait()
		if reach, age, err := a.database.last(clustertest.Clock{}.Now()); reach != Reachable || age != 6*time.Second || err != nil {
			t.Errorf("%v, %v old, %v; want the answer of the start", reach, age, err)
		}
	})
}
