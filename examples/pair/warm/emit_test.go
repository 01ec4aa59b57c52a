package warm

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/loopvitals/loopvitals/check/redundancy"
	"github.com/loopvitals/loopvitals/examples/pair/alarm"
	"github.com/loopvitals/loopvitals/examples/pair/engine"
	"github.com/loopvitals/loopvitals/examples/pair/freeport"
	"github.com/loopvitals/loopvitals/examples/pair/stream"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// server is a NATS with nothing on it.
func server(t *testing.T) (address string) {
	t.Helper()
	address, err := freeport.Address("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	serving, stop := context.WithCancel(context.Background())
	ready, done := make(chan struct{}), make(chan error, 1)
	go func() { done <- engine.Serve(serving, engine.NATS, address, t.TempDir(), func() { close(ready) }) }()
	t.Cleanup(func() { stop(); <-done })
	select {
	case <-ready:
	case err := <-done:
		t.Fatal(err)
	}
	return address
}

// plant is a server with both streams.
func plant(t *testing.T) (*stream.Streams, context.Context) {
	t.Helper()
	s, ctx := streams(t, server(t))
	if err := s.Create(ctx); err != nil {
		t.Fatal(err)
	}
	return s, ctx
}

// streams are those of a server, which may not be there yet.
func streams(t *testing.T, address string) (*stream.Streams, context.Context) {
	t.Helper()
	conn, js, err := engine.DialNATS([]string{address})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return stream.New(js), ctx
}

// emitter is the emitting side of a node whose gate is open, as that of every node
// that works alone.
func emitter(t *testing.T, s *stream.Streams) (*Node, *redundancy.Site) {
	t.Helper()
	r, err := redundancy.New(redundancy.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return &Node{streams: s, Redundancy: r, config: Config{Log: slog.New(slog.DiscardHandler)}}, r.Site(redundancy.SiteAlarmEmit)
}

// drain emits until nothing is left. A machine that stands still costs a round.
func drain(ctx context.Context, t *testing.T, n *Node, site *redundancy.Site) {
	t.Helper()
	for n.pending.size() > 0 {
		if err := n.emitAll(ctx, site); err != nil && ctx.Err() != nil {
			t.Error(err)
			return
		}
	}
}

func output(ctx context.Context, t *testing.T, s *stream.Streams) (all []alarm.Transition) {
	t.Helper()
	for {
		_, one, found, err := s.Transition(ctx, uint64(len(all)+1))
		if err != nil {
			t.Fatal(err)
		}
		if !found {
			return all
		}
		all = append(all, one)
	}
}

func some(n int) (all []alarm.Transition) {
	for i := range n {
		all = append(all, alarm.Transition{Seq: uint64(3 * (i + 1)), Tag: "a", Raised: i%2 == 0})
	}
	return all
}

func TestSuccessorEmitsWhatIsMissing(t *testing.T) {
	s, ctx := plant(t)
	all := some(5)
	old, oldSite := emitter(t, s)
	next, nextSite := emitter(t, s)
	for _, one := range all[:3] {
		old.pending.add(one)
	}
	drain(ctx, t, old, oldSite)
	// The old one has evaluated a fourth, and is no more. The next one has
	// evaluated all.
	for _, one := range all {
		next.pending.add(one)
	}
	drain(ctx, t, next, nextSite)
	if got := output(ctx, t, s); !slices.Equal(got, all) {
		t.Errorf("got %v, want %v", got, all)
	}
	// The old one comes back, with what it had.
	old.pending.add(all[3])
	drain(ctx, t, old, oldSite)
	if got := output(ctx, t, s); !slices.Equal(got, all) {
		t.Errorf("after the old one came back: got %v, want %v", got, all)
	}
}

// TestOnceEvenWithBothGatesOpen: what the gate keeps apart meets at the stream.
func TestOnceEvenWithBothGatesOpen(t *testing.T) {
	s, ctx := plant(t)
	all := some(60)
	var group sync.WaitGroup
	for range 2 {
		n, site := emitter(t, s)
		for _, one := range all {
			n.pending.add(one)
		}
		group.Go(func() { drain(ctx, t, n, site) })
	}
	group.Wait()
	if got := output(ctx, t, s); !slices.Equal(got, all) {
		t.Errorf("%d transitions, want %d, each once and in order", len(got), len(all))
	}
}

func TestStandbyForgetsWhatWasEmitted(t *testing.T) {
	s, ctx := plant(t)
	all := some(4)
	primary, site := emitter(t, s)
	standby, _ := emitter(t, s)
	for i, one := range all {
		standby.pending.add(one)
		if i < 3 {
			primary.pending.add(one)
		}
	}
	drain(ctx, t, primary, site)
	for standby.pending.size() > 1 && ctx.Err() == nil {
		standby.dropEmitted(ctx)
	}
	if first, _ := standby.pending.first(); standby.pending.size() != 1 || first != all[3] {
		t.Errorf("%d pending, the first is %+v", standby.pending.size(), first)
	}
}

// TestPendingOfANodeThatIsBehind: what it evaluates after it has looked at the
// output, and is there, must not be emitted again.
func TestPendingOfANodeThatIsBehind(t *testing.T) {
	var p pending
	p.emitted(6)
	for _, one := range some(3) { // 3, 6, 9
		p.add(one)
	}
	p.emitted(3) // of an answer that was under way
	if first, _ := p.first(); p.size() != 1 || first.Seq != 9 {
		t.Errorf("%d pending, the first is %+v", p.size(), first)
	}
	if fresh, _ := p.news(); fresh != 3 {
		t.Errorf("%d are new, want 3", fresh)
	}
}

func TestPending(t *testing.T) {
	var p pending
	if fresh, all := p.news(); fresh != 0 || all != 0 {
		t.Errorf("got %d, %d", fresh, all)
	}
	for _, one := range some(3) { // 3, 6, 9
		p.add(one)
	}
	if fresh, all := p.news(); fresh != 3 || all != 3 {
		t.Errorf("got %d, %d", fresh, all)
	}
	for last, want := range map[uint64]int{2: 3, 3: 2, 5: 2, 6: 1} {
		q := pending{all: some(3)}
		if q.emitted(last); q.size() != want {
			t.Errorf("emitted up to %d: %d are left, want %d", last, q.size(), want)
		}
	}
	p.emitted(9)
	if _, left := p.first(); left {
		t.Error("some are left")
	}
	if fresh, all := p.news(); fresh != 0 || all != 0 {
		t.Errorf("got %d, %d", fresh, all)
	}
}
