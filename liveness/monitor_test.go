package liveness

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/check"
)

// A Monitor is a check that only reads memory, and so is Wedged.
var (
	_ check.Instant = (*Monitor)(nil)
	_ check.Instant = (&Monitor{}).Wedged(0).(check.Instant)
)

// TestVerdictsInKeyOrder: complete, in order, appended to what is there.
func TestVerdictsInKeyOrder(t *testing.T) {
	r := newRig(t)
	for _, key := range []string{"c", "a", "d", "b"} {
		r.register(key, 0).Beat()
	}
	got := r.m.Append([]Verdict{{Key: "before"}})
	var keys []string
	for _, v := range got {
		keys = append(keys, v.Key)
	}
	if want := []string{"before", "a", "b", "c", "d"}; !slices.Equal(keys, want) {
		t.Errorf("keys = %v, want %v", keys, want)
	}
	if _, ok := r.m.Verdict("e"); ok {
		t.Error("an unknown key has a verdict")
	}
	if v, _ := r.m.Verdict("e"); v.Reason != Unreported || v.Key != "e" {
		t.Errorf("unknown key: %+v", v)
	}
}

// TestAppendAgreesWithJudge: the short way that Append takes past processors
// that are well leads to what Judge says, for every kind of policy, at every
// bound, and whatever the buffer held before.
func TestAppendAgreesWithJudge(t *testing.T) {
	policies := map[string]Policy{
		"default":   {},
		"shorter":   {StaleAfter: 2 * second},
		"longer":    {StaleAfter: 20 * second},
		"lag":       {DegradedLag: 10},
		"stalled":   {StalledAfter: 3 * second},
		"busy only": {BusyLimit: second},
	}
	intervals := []time.Duration{0, second, second + 1, 2 * second, 2*second + 1, 4 * second}
	ages := []time.Duration{0, 1, 2 * second, 2*second + 1, 5 * second, 5*second + 1, 5*second + 6, 10 * second, 10*second + 1, 20 * second, 20*second + 1}
	for name, policy := range policies {
		r := newRig(t, WithPolicy(policy))
		for i, interval := range intervals {
			key := fmt.Sprint(i)
			r.register(key+" beat", interval).Beat()
			r.register(key+" lag", interval).BeatLag(11)
			r.register(key+" busy", interval).Busy()
			r.register(key+" silent", interval)
			r.register(key+" stands still", interval).SetPosition(1)
			still := r.register(key+" stands still with lag", interval)
			still.SetPosition(1)
			still.BeatLag(1)
		}
		dirty := Verdict{Key: "dirty", Worker: "dirty", Age: 1, Bound: 2, Busy: 3, Behind: 4, Reason: Stuck, State: board.Paused}
		for _, age := range ages {
			r.clock.set(age)
			got := r.m.Append(slices.Repeat([]Verdict{dirty}, r.board.Len())[:0])
			var want []Verdict
			for o := range r.board.All() {
				want = append(want, policy.Judge(o, Watch{}))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s policy, age %v: %s", name, age, diff)
			}
		}
	}
}

// TestAppendAllocatesNothing into a buffer that is large enough, whatever it
// held before, pools included.
func TestAppendAllocatesNothing(t *testing.T) {
	r := newRig(t, WithPolicyFor("p-050", Policy{StaleAfter: time.Hour}))
	for i := range 100 {
		x := r.register(fmt.Sprintf("p-%03d", i), 0)
		x.BeatLag(int64(i))
		if i%10 == 0 {
			w, err := x.Worker("one")
			if err != nil {
				t.Fatal(err)
			}
			w.Busy()
		}
	}
	r.clock.set(6 * second)
	buffer := slices.Repeat([]Verdict{{Key: "stale", Worker: "stale", Busy: 1, Behind: 2}}, 100)
	if n := testing.AllocsPerRun(100, func() { buffer = r.m.Append(buffer[:0]) }); n != 0 {
		t.Errorf("Append allocates %v times", n)
	}
	if fresh := r.m.Verdicts(); !slices.Equal(buffer, fresh) {
		t.Error("a used buffer gives other verdicts than a fresh one")
	}
	if n := testing.AllocsPerRun(100, func() { r.m.Verdict("p-010") }); n > 1 { // room for the workers
		t.Errorf("Verdict allocates %v times", n)
	}
}

// TestNilIsLegal: no method of a nil Monitor, or of a Monitor of a nil board,
// panics; without a board there are no processors, without a monitor no health.
func TestNilIsLegal(t *testing.T) {
	empty, err := NewMonitor(nil)
	if err != nil {
		t.Fatal(err)
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	for name, m := range map[string]*Monitor{"nil monitor": nil, "nil board": empty, "zero monitor": new(Monitor)} {
		v := reflect.ValueOf(m)
		for i := range v.NumMethod() {
			method := v.Type().Method(i)
			args := make([]reflect.Value, 0, 2)
			for in := 1; in < method.Type.NumIn(); in++ {
				if method.Type.In(in) == reflect.TypeFor[context.Context]() {
					args = append(args, reflect.ValueOf(done))
					continue
				}
				args = append(args, reflect.Zero(method.Type.In(in)))
			}
			func() {
				defer func() {
					if r := recover(); r != nil {
						t.Errorf("%s: %s panics: %v", name, method.Name, r)
					}
				}()
				v.Method(i).Call(args)
			}()
		}
	}
	if got := empty.Check(done); got.Status != check.Healthy || got.Description != "no processors" {
		t.Errorf("nil board: %+v", got)
	}
	if got := (*Monitor)(nil).Check(done); got.Status != check.Unhealthy {
		t.Errorf("nil monitor: %+v", got)
	}
	if got := (*Monitor)(nil).Wedged(0).Check(done); got.Status != check.Degraded {
		t.Errorf("nil monitor, wedged: %+v: a restart would not help", got)
	}
}

// TestVerdictsConcurrentSafe: verdicts are taken while everything changes, and
// each holds together.
func TestVerdictsConcurrentSafe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := board.New()
		m, err := NewMonitor(b, WithTransitions(func(Transition) {}))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 300*ms)
		defer cancel()
		var all sync.WaitGroup
		all.Go(func() {
			if err := m.Run(ctx); err != nil {
				t.Error(err)
			}
		})
		for i := range 4 {
			all.Go(func() {
				key := fmt.Sprint("p", i)
				for ctx.Err() == nil {
					r, err := b.Register(board.Spec{ID: key})
					if err != nil {
						t.Error(err)
						return
					}
					r.Beat()
					r.Busy()
					time.Sleep(time.Millisecond)
					r.Fault(nil)
					r = r.Restart()
					r.Idle()
					r.Close()
				}
			})
		}
		for range 4 {
			all.Go(func() {
				var buffer []Verdict
				for ctx.Err() == nil {
					buffer = m.Append(buffer[:0])
					for i, v := range buffer {
						if v.Status != v.Reason.status() || v.Age < 0 || i > 0 && buffer[i-1].Key >= v.Key {
							t.Errorf("verdict %d of %+v", i, buffer)
						}
					}
					m.Check(ctx)
					m.Wedged(0).Check(ctx)
					time.Sleep(time.Millisecond)
				}
			})
		}
		all.Wait()
	})
}
