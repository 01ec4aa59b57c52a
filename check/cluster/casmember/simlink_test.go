package casmember_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster/casmember"
)

// weather is what a schedule does to all calls and watches.
type weather struct {
	request, answer, watch time.Duration // the usual longest delay of each
	lost                   float64       // how many requests, and answers, never arrive
	late                   float64       // how many requests arrive seconds later, and are done then
	stale                  time.Duration // from how long ago lists may come
}

// calm is what a schedule ends with.
var calm = weather{request: 3 * time.Millisecond, answer: 3 * time.Millisecond, watch: 3 * time.Millisecond}

// link is what one process has of the engine: a casmember.KV with the network in
// it, and the process's own stillness.
type link struct {
	sim *simulation

	// Each purpose has its own luck, so that the seed decides it whichever of
	// them comes first at one instant.
	heart, keeper, watch *luck

	mu      sync.Mutex
	own     string // the key of the process itself
	state   linkState
	changed chan struct{}
}

// luck is used by one goroutine at a time.
type luck struct{ *rand.Rand }

func newLuck(rng *rand.Rand) *luck { return &luck{rand.New(rand.NewPCG(rng.Uint64(), rng.Uint64()))} }

// upTo is a random time, below d mostly and a few times as much now and then.
func (l *luck) upTo(d time.Duration) time.Duration {
	u := l.Float64()
	if u > 0.97 {
		u *= 4
	}
	return time.Duration(u*float64(d)) + time.Duration(l.IntN(1000))
}

func (l *luck) chance(p float64) bool { return l.Float64() < p }

// linkState is what faults set.
type linkState struct {
	deaf, mute bool // nothing is heard, nothing arrives
	stalled    bool // the watch says nothing and does not break
	dead       bool // the process was killed
	thaw       time.Time
	watches    int // how many times its watches were broken
}

func newLink(s *simulation, rng *rand.Rand) *link {
	return &link{sim: s, heart: newLuck(rng), keeper: newLuck(rng), watch: newLuck(rng), changed: make(chan struct{})}
}

// set changes the state.
func (l *link) set(change func(*linkState)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change(&l.state)
	close(l.changed)
	l.changed = make(chan struct{})
}

func (l *link) get() (linkState, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state, l.changed
}

// awake waits while the process is frozen. What has come meanwhile is taken up
// in any order.
func (l *link) awake(by *luck) {
	for {
		s, _ := l.get()
		wait := time.Until(s.thaw)
		if s.dead || wait <= 0 {
			return
		}
		time.Sleep(wait + by.upTo(5*time.Millisecond))
	}
}

type reply struct {
	revision uint64
	err      error
}

// request is what becomes of one call, drawn when it is sent.
type request struct {
	lost, answerLost     bool
	delay, stall, answer time.Duration
}

func (l *link) draw(by *luck) request {
	w := l.sim.weather()
	r := request{
		lost: by.chance(w.lost), answerLost: by.chance(w.lost),
		delay: by.upTo(w.request), stall: by.upTo(time.Millisecond), answer: by.upTo(w.answer),
	}
	if by.chance(w.late) {
		r.delay += by.upTo(4 * time.Second)
	}
	return r
}

// call sends an operation to the engine and waits for the answer. The operation
// may arrive after nobody waits any more.
func (l *link) call(ctx context.Context, key string, op func() (uint64, error)) (uint64, error) {
	by := l.purpose(key)
	l.awake(by)
	r := l.draw(by)
	replies := make(chan reply, 1)
	if s, _ := l.get(); !s.dead && !s.mute && !r.lost {
		time.AfterFunc(r.delay, func() { l.arrive(r, op, replies) })
	}
	defer l.awake(by)
	select {
	case r := <-replies:
		return r.revision, r.err
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// purpose is the luck of the loop that makes a call: the heart has to do with the
// record of the process itself only, and the keeper with all others.
func (l *link) purpose(key string) *luck {
	l.mu.Lock()
	defer l.mu.Unlock()
	if key == l.own {
		return l.heart
	}
	return l.keeper
}

// arrive has the engine do the operation, once it is not frozen, and answers.
func (l *link) arrive(r request, op func() (uint64, error), replies chan<- reply) {
	if frozen := time.Until(l.sim.engineThaw()); frozen > 0 {
		time.AfterFunc(frozen+r.stall, func() { l.arrive(r, op, replies) })
		return
	}
	revision, err := op()
	if r.answerLost {
		return
	}
	time.AfterFunc(r.answer, func() {
		if s, _ := l.get(); !s.deaf {
			replies <- reply{revision, err}
		}
	})
}

func (l *link) Create(ctx context.Context, key string, value []byte) (uint64, error) {
	l.mu.Lock()
	l.own = key
	l.mu.Unlock()
	return l.call(ctx, key, func() (uint64, error) { return l.sim.engine.create(key, value) })
}

func (l *link) Update(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	return l.call(ctx, key, func() (uint64, error) { return l.sim.engine.update(key, value, revision) })
}

func (l *link) Delete(ctx context.Context, key string, revision uint64) error {
	_, err := l.call(ctx, key, func() (uint64, error) { return l.sim.engine.remove(key, revision) })
	return err
}

func (l *link) Get(ctx context.Context, key string) (uint64, error) {
	return l.call(ctx, key, func() (uint64, error) { return l.sim.engine.get(key) })
}

var errBroken = errors.New("the watch broke")

// Watch lists a state of the engine, perhaps an old one, and goes on from there.
func (l *link) Watch(ctx context.Context, sink func(casmember.Event)) error {
	began, _ := l.get()
	w := l.sim.weather()
	if err := l.pass(ctx, began.watches, l.watch.upTo(w.request+w.answer)); err != nil {
		return err
	}
	revision := l.sim.revisionAt(l.watch.upTo(w.stale + 1))
	state := l.sim.engine.at(revision)
	sink(casmember.Event{Kind: casmember.Reset})
	for _, e := range state {
		if l.watch.chance(0.05) { // a list has a length, too
			if err := l.pass(ctx, began.watches, l.watch.upTo(w.watch)); err != nil {
				return err
			}
		}
		sink(e)
	}
	sink(casmember.Event{Kind: casmember.Synced})
	for {
		newest, more := l.sim.engine.revision()
		if revision == newest {
			if err := l.wait(ctx, began.watches, more, nil); err != nil {
				return err
			}
			continue
		}
		revision++
		lag := l.watch.upTo(l.sim.weather().watch) - time.Since(l.sim.committed(revision))
		if err := l.pass(ctx, began.watches, max(lag, 0)); err != nil {
			return err
		}
		e, kept := l.sim.engine.change(revision)
		if !kept {
			return errBroken // it must not go on as if nothing had been there
		}
		sink(e)
	}
}

// pass waits for the delay, and then for as long as nothing comes through.
func (l *link) pass(ctx context.Context, watches int, delay time.Duration) error {
	if delay > 0 {
		if err := l.wait(ctx, watches, nil, time.After(delay)); err != nil {
			return err
		}
	}
	for {
		l.awake(l.watch)
		s, changed := l.get()
		if !s.deaf && !s.stalled {
			return nil
		}
		if err := l.wait(ctx, watches, changed, nil); err != nil {
			return err
		}
	}
}

// wait waits for one of the two, or the end of the watch.
func (l *link) wait(ctx context.Context, watches int, a <-chan struct{}, b <-chan time.Time) error {
	for {
		s, changed := l.get()
		if s.watches != watches || s.dead {
			l.awake(l.watch)
			return errBroken
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-a:
			return nil
		case <-b:
			return nil
		case <-changed:
			if a == changed {
				return nil
			}
		}
	}
}
