package liveness

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/check"
)

// list returns the listed processors of a result.
func list(t *testing.T, r check.Result) []Processor {
	t.Helper()
	ps, ok := r.Data["processors"].(Processors)
	if !ok {
		t.Fatalf("data.processors is a %T", r.Data["processors"])
	}
	return ps.Processors
}

// TestCheckDescription: the worst one by its text, and how many more are not
// healthy (X25).
func TestCheckDescription(t *testing.T) {
	r := newRig(t, WithPolicy(Policy{DegradedLag: 10}))
	want := func(status check.Status, description string) {
		t.Helper()
		if got := r.wantStatus(status); got.Description != description {
			t.Errorf("description = %q, want %q", got.Description, description)
		}
	}
	want(check.Healthy, "no processors")
	a := r.register("a", 0)
	want(check.Healthy, "1 processor is healthy")
	b, c := r.register("b", 0), r.register("c", 0)
	want(check.Healthy, "3 processors are healthy")
	b.BeatLag(11)
	want(check.Degraded, "Processor 'b' is 11 events behind")
	c.Busy()
	a.Beat()
	r.clock.set(6 * second)
	want(check.Unhealthy, "Processor 'c' has been busy for 6s, limit 5s — possible wedge, and 2 more")
	a.Fault(nil)
	want(check.Unhealthy, "Processor 'a' faulted and stopped, and 2 more")
	b.Stop()
	c.Stop()
	want(check.Unhealthy, "Processor 'a' faulted and stopped")
}

// TestCheckData: the counts, the worst first, the healthy ones while there is
// room and in key order.
func TestCheckData(t *testing.T) {
	r := newRig(t, WithListed(4), WithPolicy(Policy{DegradedLag: 10}))
	reporters := map[string]*board.Reporter{}
	for _, key := range []string{"a", "b", "c", "d", "e", "f"} {
		reporters[key] = r.register(key, 0)
		reporters[key].Idle()
	}
	keys := func() (keys []string) {
		result := r.m.Check(t.Context())
		for _, v := range list(t, result) {
			keys = append(keys, v.Key)
		}
		if result.Data["total"] != 6 || result.Data["omitted"] != 2 || len(result.Data) != 3 {
			t.Errorf("data = %+v", result.Data)
		}
		return keys
	}
	want := func(want ...string) {
		t.Helper()
		if got := keys(); !slices.Equal(got, want) {
			t.Errorf("listed %v, want %v", got, want)
		}
	}
	want("a", "b", "c", "d")
	reporters["a"].Stop()
	reporters["c"].Beat()
	reporters["d"].Busy()
	want("a", "b", "c", "d") // a list of healthy ones does not jump about
	for _, key := range []string{"c", "d"} {
		reporters[key].Idle()
	}
	reporters["f"].BeatLag(11)
	want("f", "a", "b", "c")
	reporters["c"].Fault(nil)
	want("c", "f", "a", "b")
	r.clock.add(second)
	reporters["b"].Beat()
	r.clock.add(second)
	reporters["d"].Beat()
	r.clock.add(6 * second) // b and d are stale, b for longer; f too, from the start
	want("c", "f", "b", "d")
}

// TestCheckListsMany: the worst of many, found in one pass, are those that a
// sort would have found.
func TestCheckListsMany(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 9))
	for range 200 {
		n := random.IntN(200)
		ranked := ranking{limit: random.IntN(50)}
		all := make([]Processor, n)
		for i := range all {
			v := Verdict{Key: fmt.Sprintf("%04d", i), Reason: Reason(random.IntN(15)), Age: time.Duration(random.IntN(5))}
			v.Status = v.Reason.status()
			o := board.Observation{Faults: uint64(i)}
			all[i] = processorOf(&o, &v)
			ranked.add(&o, &v)
		}
		slices.SortStableFunc(all, func(a, b Processor) int {
			switch {
			case a.worseThan(&b.Verdict):
				return -1
			case b.worseThan(&a.Verdict):
				return 1
			}
			return 0
		})
		if diff := cmp.Diff(all[:min(n, ranked.limit)], ranked.listed); diff != "" && ranked.limit > 0 && n > 0 {
			t.Fatal(diff)
		}
	}
}

// TestQuickLookAgrees: Check, which only glances at most processors, says what
// the verdicts on all of them say, to the nanosecond.
func TestQuickLookAgrees(t *testing.T) {
	policies := []Option{
		WithPolicy(Policy{}), WithPolicy(Policy{DegradedLag: 10}), WithPolicy(Policy{StalledAfter: 7 * second}),
		WithPolicyFor("p-3", Policy{StaleAfter: second}), WithPolicyFor("p-4", Policy{StaleAfter: time.Hour}),
	}
	for i, policy := range policies {
		random := rand.New(rand.NewPCG(uint64(i), 12))
		r := newRig(t, policy, WithListed(0))
		var loops []*board.Reporter
		for i := range 6 {
			loops = append(loops, r.register(fmt.Sprint("p-", i), time.Duration(i)*second))
		}
		bounds := []time.Duration{0, 1, second, second + 1, 5 * second, 5*second + 1, 10 * second, 10*second + 1}
		for range 2000 {
			l := loops[random.IntN(len(loops))]
			switch random.IntN(8) {
			case 0:
				l.Idle()
			case 1:
				l.Busy()
			case 2:
				l.BeatLag(random.Int64N(15))
			case 3:
				l.SetPosition(random.Int64N(3))
			default:
				l.Beat()
			}
			r.clock.add(bounds[random.IntN(len(bounds))])
			all := r.m.Verdicts()
			want := check.Healthy
			for _, v := range all {
				want = check.Worst(want, v.Status)
			}
			got := r.wantStatus(want)
			if got.Data["total"] != len(all) || got.Data["omitted"] != len(all) {
				t.Fatalf("policy %d: data %v for %d processors", i, got.Data, len(all))
			}
		}
	}
}

// TestCheckKeepsSecrets: the cause of a fault is for the log. It is in the
// result's Err and nowhere else.
func TestCheckKeepsSecrets(t *testing.T) {
	const canary = "postgres://admin:hunter2@db"
	r := newRig(t)
	secret := errors.New(canary)
	orders := r.register("orders", 0)
	worker, err := orders.Worker("one")
	if err != nil {
		t.Fatal(err)
	}
	worker.Fault(fmt.Errorf("connect: %w", secret))
	r.register("billing", 0).Fault(&PanicError{Value: secret})
	r.clock.set(time.Hour)
	for name, c := range map[string]check.Checker{"check": r.m, "wedged": r.m.Wedged(0)} {
		result := c.Check(t.Context())
		if result.Status != check.Unhealthy {
			t.Errorf("%s: %+v", name, result)
		}
		shown := result.Description + fmt.Sprintf("%+v", result.Data)
		if ps, ok := result.Data["processors"].(Processors); ok {
			body, err := ps.AppendJSON(nil)
			if err != nil {
				t.Fatal(err)
			}
			shown += string(body)
		}
		if strings.Contains(shown, "hunter2") {
			t.Errorf("%s shows the cause: %s", name, shown)
		}
	}
	if result := r.m.Check(t.Context()); !errors.Is(result.Err, secret) {
		t.Errorf("Err = %v, want the cause", result.Err)
	}
	for _, v := range r.m.Verdicts() {
		if strings.Contains(fmt.Sprintf("%+v", v)+v.Text(), "hunter2") {
			t.Errorf("the verdict shows the cause: %+v", v)
		}
	}
}

// TestCheckIsCheap: what Check allocates does not grow with the board.
func TestCheckIsCheap(t *testing.T) {
	allocations := func(n int) float64 {
		r := newRig(t)
		for i := range n {
			r.register(fmt.Sprintf("p-%05d", i), 0).Beat()
		}
		return testing.AllocsPerRun(20, func() { r.m.Check(t.Context()) })
	}
	few, many := allocations(100), allocations(10_000)
	if many > few+2 || few > 10 { // two counts that are too large to be shared
		t.Errorf("Check allocates %v times for 100 processors, %v for 10 000", few, many)
	}
}
