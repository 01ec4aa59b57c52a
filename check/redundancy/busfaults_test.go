package redundancy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// badBus does with each call what the test wants, and leaves the rest to a good one.
type badBus struct {
	Bus
	publish   func(ctx context.Context, topic string) error // nil: as the good one
	subscribe func(ctx context.Context) error               // nil: as the good one
	calls     atomic.Int64                                  // under way
	most      atomic.Int64
}

func (b *badBus) Publish(ctx context.Context, topic string, message []byte) error {
	b.most.Store(max(b.most.Load(), b.calls.Add(1)))
	defer b.calls.Add(-1)
	if b.publish != nil {
		if err := b.publish(ctx, topic); err != nil {
			return err
		}
	}
	return b.Bus.Publish(ctx, topic, message)
}

func (b *badBus) Subscribe(ctx context.Context, receive func([]byte)) error {
	if b.subscribe != nil {
		if err := b.subscribe(ctx); err != nil {
			return err
		}
	}
	return b.Bus.Subscribe(ctx, receive)
}

// overBus has a node use a bus that is bad.
func overBus(b *badBus) func(*Config) {
	return func(c *Config) { b.Bus, c.Bus = c.Bus, b }
}

// misdeeds are what a call of a bus can do instead of its work, but for blocking.
var misdeeds = map[string]func(context.Context) error{
	"fails":                 func(context.Context) error { return errors.New("no route") },
	"panics":                func(context.Context) error { panic("bus") },
	"panics with an error":  func(context.Context) error { panic(errors.New("bus")) },
	"ends its goroutine":    func(context.Context) error { runtime.Goexit(); return nil },
	"is out of time":        func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
	"fails without a text":  func(context.Context) error { return textless{} },
	"returns what is empty": func(context.Context) error { return errors.New("") },
}

// textless is an error whose text cannot be had.
type textless struct{}

func (textless) Error() string { panic("no text") }

// TestPublishFails: whatever Publish does is counted, keeps nobody from anything else,
// makes nobody primary, and is over when it is over.
func TestPublishFails(t *testing.T) {
	for name, misdeed := range misdeeds {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				var bad atomic.Bool
				bad.Store(true)
				bus := &badBus{publish: func(ctx context.Context, _ string) error {
					if bad.Load() {
						return misdeed(ctx)
					}
					return nil
				}}
				a, b := w.start(nodeA, overBus(bus)), w.start(nodeB)
				w.up(nodeA, nodeB)
				w.sleep(time.Minute)
				w.wantRole("the builder, which told itself", a, Primary)
				w.wantRole("who was not told", b, RoleUnknown)
				if got := ignoredBy(a.Node, IgnoredFailure); got < 6 {
					t.Errorf("%d failures counted, want one for each snapshot and result", got)
				}
				if most := bus.most.Load(); most > 2 {
					t.Errorf("%d calls at a time, want one for each topic at most", most)
				}
				bad.Store(false)
				w.sleep(15 * time.Second)
				w.wantRole("after that", b, Secondary)
			})
		})
	}
}

// TestPublishBlocks: a call that never returns costs one goroutine for each topic; the
// newest waits behind it and goes when it returns.
func TestPublishBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, goOn := newWorld(t), make(chan struct{})
		bus := &badBus{publish: func(context.Context, string) error { <-goOn; return nil }}
		a, b := w.start(nodeA, overBus(bus)), w.start(nodeB)
		w.up(nodeA, nodeB)
		w.sleep(time.Second)
		before := runtime.NumGoroutine()
		w.sleep(10 * time.Minute)
		if now := goroutines(before); now > before {
			t.Errorf("%d goroutines, %d before", now, before)
		}
		w.wantRole("the builder", a, Primary)
		w.wantLevel("the builder", a, 250)
		w.wantRole("the other", b, RoleUnknown)
		if got := ignoredBy(a.Node, IgnoredFailure); got != 2 {
			t.Errorf("%d failures counted, want each blocked call once", got)
		}
		close(goOn)
		w.sleep(100 * time.Millisecond)
		w.wantRole("the other, after that", b, Secondary)
		if sent := w.mesh.snapshots(); len(sent) != 2 || sent[1].Sequence < sent[0].Sequence+59 {
			t.Errorf("%d snapshots arrived, want the one that was stuck and the newest", len(sent))
		}
	})
}

// TestWorkIsReleased: a snapshot that is stuck on its way to the bus does not hold up a
// node that leaves for longer than a call may take.
func TestWorkIsReleased(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, goOn := newWorld(t), make(chan struct{})
		bus := &badBus{publish: func(context.Context, string) error { <-goOn; return nil }}
		a := w.start(nodeA, overBus(bus))
		w.up(nodeA)
		w.sleep(250 * time.Millisecond)
		if got := a.script.Working(); got != 1 {
			t.Errorf("%d works are counted while a snapshot is sent, want 1", got)
		}
		w.sleep(2 * time.Second)
		if got := a.script.Working(); got != 0 {
			t.Errorf("%d works are counted after the call was given up, want 0", got)
		}
		close(goOn)
	})
}

// TestSubscribeFails: whatever Subscribe does is counted, and tried again after a
// second.
func TestSubscribeFails(t *testing.T) {
	for name, misdeed := range misdeeds {
		if name == "is out of time" {
			continue // a subscription has no time to be out of
		}
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				var tries atomic.Int64
				bus := &badBus{subscribe: func(ctx context.Context) error {
					if tries.Add(1) <= 5 {
						return misdeed(ctx)
					}
					return nil
				}}
				w.start(nodeA)
				b := w.start(nodeB, overBus(bus))
				w.up(nodeA, nodeB)
				w.sleep(5*time.Second - 1)
				w.wantRole("before it works", b, RoleUnknown)
				if got := tries.Load(); got != 5 {
					t.Errorf("%d tries in 5 s, want one each second", got)
				}
				w.sleep(6 * time.Second)
				w.wantRole("within one interval after that", b, Secondary)
				if got := ignoredBy(b.Node, IgnoredFailure); got != 5 {
					t.Errorf("%d failures counted, want 5", got)
				}
			})
		})
	}
}

// TestSubscriptionBreaks: one that ends without a reason is resumed, and what a broken
// one goes on to say is not heard.
func TestSubscriptionBreaks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		broken := &breaking{Bus: w.mesh.at(nodeB), after: 3 * time.Second}
		w.start(nodeA)
		b := w.start(nodeB, func(c *Config) { c.Bus = broken })
		w.up(nodeA, nodeB)
		w.sleep(time.Hour)
		w.wantRole("an hour later", b, Secondary)
		w.wantLevel("an hour later", b, 240)
		got := ignoredBy(b.Node, IgnoredFailure)
		if got < 800 || got > 900 {
			t.Errorf("%d breaks counted in an hour, want one every 4 s", got)
		}
		old := ignoredBy(b.Node, IgnoredGarbage)
		broken.mu.Lock()
		say := broken.receive
		broken.mu.Unlock()
		say([]byte("from the grave"))
		if now := ignoredBy(b.Node, IgnoredGarbage); now != old {
			t.Error("a subscription that has ended is still heard")
		}
	})
}

// breaking is a bus whose subscriptions end after a while.
type breaking struct {
	Bus
	after time.Duration

	mu      sync.Mutex
	receive func([]byte) // of the first, which has ended
}

func (b *breaking) Subscribe(ctx context.Context, receive func([]byte)) error {
	b.mu.Lock()
	if b.receive == nil {
		b.receive = receive
	}
	b.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, b.after)
	defer cancel()
	_ = b.Bus.Subscribe(ctx, receive)
	return nil
}

// TestMessagesOfStrangers: what cannot be read, is of another version or too large, or
// claims what no member could, is counted and changes nothing.
func TestMessagesOfStrangers(t *testing.T) {
	takeover := func(token uint64, builder string) []byte {
		return fmt.Appendf(nil, `{"v":1,"kind":"snapshot","token":%d,"sequence":9223372036854775808,"revision":9,"role":"driver","builder":%q,"nodes":[{"node":%q,"role":"primary"}]}`, token, builder, nodeB)
	}
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		a, b := w.start(nodeA), w.start(nodeB)
		w.up(nodeA, nodeB)
		w.sleep(time.Second)
		for _, test := range []struct {
			name    string
			message []byte
			want    Ignored
		}{
			{"empty", nil, IgnoredGarbage},
			{"noise", []byte{0xff, 0, 1}, IgnoredGarbage},
			{"half of one", takeover(1, nodeA)[:60], IgnoredGarbage},
			{"1 MB", bytes.Repeat([]byte{' '}, 1<<20), IgnoredGarbage},
			{"1 MB around a message", append(takeover(1, nodeA), bytes.Repeat([]byte{' '}, 1<<20)...), IgnoredGarbage},
			{"another version", []byte(`{"v":2,"kind":"snapshot"}`), IgnoredVersion},
			{"a token that nobody has", takeover(1<<63, nodeB), IgnoredStranger},
			{"a token of another member", takeover(a.script.View().Members[0].Age, nodeB), IgnoredStranger},
			{"from nobody", takeover(7, nodeD), IgnoredStranger},
			{"a result from nobody", mustEncodeResult(t, probeResult{prober: keyOf(nodeD), probed: b.key, sequence: 9}), IgnoredStranger},
		} {
			before := ignoredBy(b.Node, test.want)
			w.mesh.inject(test.message)
			synctest.Wait()
			if got := ignoredBy(b.Node, test.want) - before; got != 1 {
				t.Errorf("%s: counted %d as %v, want 1: %v", test.name, got, test.want, b.State().Ignored)
			}
			w.wantRole(test.name, a, Primary)
			w.wantRole(test.name, b, Secondary)
		}
		w.sleep(time.Minute)
		w.wantLevel("a minute later", a, 250)
		w.wantLevel("a minute later", b, 240)
	})
}

// TestHeardBeforeTheView: a snapshot of a builder that the view does not have yet is
// counted, and taken when it has.
func TestHeardBeforeTheView(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.start(nodeA)
		b := w.start(nodeB)
		w.up(nodeA, nodeB)
		w.sleep(time.Second)
		w.blind[nodeB] = true
		w.remove(nodeA)
		w.up(nodeC) // and A's place is taken by a node that B has not heard of
		w.sleep(time.Second)
		c := w.start(nodeC)
		c.key = w.members[w.at(nodeC)].Key
		w.remove(nodeB)
		w.sleep(time.Second)
		w.wantRole("the next", c, Primary)
		if got := ignoredBy(b.Node, IgnoredStranger); got == 0 {
			t.Error("no stranger counted")
		}
		delete(w.blind, nodeB)
		w.up(nodeB)
		synctest.Wait()
		if s := b.newest(); s.Builder != nodeC {
			t.Errorf("the newest is of %s", s.Builder)
		}
		w.sleep(time.Second)
		w.wantRole("in the end", b, Secondary)
	})
}

func mustEncodeResult(t testing.TB, r probeResult) []byte {
	t.Helper()
	message, err := encodeProbe(r)
	if err != nil {
		t.Fatal(err)
	}
	return message
}

// TestSnapshotTooLarge: a cluster of more nodes than a message holds is told about in
// the log, and each of them denies.
func TestSnapshotTooLarge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		a := w.start(nodeA)
		w.up(nodeA)
		w.sleep(time.Second)
		for i := range 2000 {
			w.members = append(w.members, cluster.Member{
				Key:    cluster.Key{Address: fmt.Sprintf("10.1.%d.%d:4053", i/250, i%250), Incarnation: "1"},
				Status: cluster.Up, Age: uint64(1000 + i),
			})
		}
		w.tell()
		w.sleep(time.Second)
		if got := ignoredBy(a.Node, IgnoredFailure); got == 0 {
			t.Error("not counted")
		}
		if got := a.log.count("to write a snapshot failed"); got != 1 {
			t.Errorf("%d warnings, want 1", got)
		}
	})
}
