package node

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/tiers/adapter/observation"
)

// wantDocument compares all but the calendar time.
func wantDocument(t *testing.T, got, want observation.Document) {
	t.Helper()
	if _, err := time.Parse(time.RFC3339Nano, got.Sampled.At); err != nil {
		t.Error(err)
	}
	got.Sampled.At = ""
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestDocument(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wantDocument(t, evaluatorOf(t, goodSource()).document(t.Context()), goodDocument())
	})
}

// TestStatuses: Degraded takes nothing out, and what is no status is a no.
func TestStatuses(t *testing.T) {
	for status, yes := range map[check.Status]bool{
		check.Healthy: true, check.Degraded: true, check.Unhealthy: false, check.Status(99): false,
	} {
		synctest.Test(t, func(t *testing.T) {
			s, want := goodSource(), goodDocument()
			s.Healthy, s.Owner, s.Ready = answers(status), answers(status), answers(status)
			want.Native = observation.Native{Healthy: yes, Owner: yes}
			want.Activation.Ready = yes
			wantDocument(t, evaluatorOf(t, s).document(t.Context()), want)
		})
	}
}

// faults are the ways of not answering.
var faults = map[string]func(ctx context.Context){
	"panics":               func(context.Context) { panic("canary " + secret) },
	"ends its goroutine":   func(context.Context) { runtime.Goexit() },
	"hangs":                func(context.Context) { time.Sleep(time.Hour) },
	"hangs until it ends":  func(ctx context.Context) { <-ctx.Done() },
	"answers at its limit": func(context.Context) { time.Sleep(budget) },
}

// facts are the ways of giving a source a fact, and of a document without it.
var facts = map[string]struct {
	set     func(s *Source, fault func(context.Context))
	without func(d *observation.Document)
}{
	"healthy": {
		func(s *Source, fault func(context.Context)) { s.Healthy = faulty(fault) },
		func(d *observation.Document) { d.Native.Healthy = false },
	},
	"owner": {
		func(s *Source, fault func(context.Context)) { s.Owner = faulty(fault) },
		func(d *observation.Document) { d.Native.Owner = false },
	},
	"ready": {
		func(s *Source, fault func(context.Context)) { s.Ready = faulty(fault) },
		func(d *observation.Document) { d.Activation.Ready = false },
	},
	"listeners": {
		func(s *Source, fault func(context.Context)) {
			s.Ingress.(*gauge).listeners = func() ([]observation.Listener, bool) {
				fault(context.Background())
				return []observation.Listener{aListener}, true
			}
		},
		func(d *observation.Document) { d.Inventory = observation.Inventory{} },
	},
	"capacity": {
		func(s *Source, fault func(context.Context)) {
			s.Ingress.(*gauge).capacity = func() (observation.Capacity, bool) {
				fault(context.Background())
				return aCapacity, true
			}
		},
		func(d *observation.Document) {
			d.Pressure.Available, d.Capacity = false, observation.Capacity{}
		},
	},
}

func faulty(fault func(context.Context)) check.Checker {
	return check.Func(func(ctx context.Context) check.Result {
		fault(ctx)
		return check.Result{Status: check.Healthy, Description: secret}
	})
}

// TestFactsThatFail: each fact in each way of not answering is false, fails the
// document within the budget, and takes no other fact along.
func TestFactsThatFail(t *testing.T) {
	for name, fact := range facts {
		for how, fault := range faults {
			if (name == "listeners" || name == "capacity") && how == "hangs until it ends" {
				continue
			}
			t.Run(name+" "+how, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s, want := goodSource(), goodDocument()
					fact.set(&s, fault)
					fact.without(&want)
					want.Result = observation.Failed
					start := time.Now()
					e := evaluatorOf(t, s)
					d := e.document(t.Context())
					took := time.Since(start)
					if took > budget {
						t.Errorf("it took %v", took)
					}
					want.Sampled.AgeMs = took.Milliseconds() // of the others, which answered at once
					wantDocument(t, d, want)

					start = time.Now()
					d = e.document(t.Context())
					if how == "hangs" && time.Since(start) != 0 {
						t.Errorf("a fact known to hang was waited for: %v", time.Since(start))
					}
					if text := string(e.encode(t.Context())); strings.Contains(text, secret) {
						t.Errorf("a text of the application: %s", text)
					}
					if d.Result != observation.Failed {
						t.Error("the second document succeeded")
					}
					time.Sleep(2 * time.Hour)
				})
			})
		}
	}
}

// TestFactsAreAskedAnew: nothing is reused that a source did not reuse itself.
func TestFactsAreAskedAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, held := goodSource(), true
		s.Owner = Holds(func() bool { return held })
		e := evaluatorOf(t, s)
		for range 4 {
			if got := e.document(t.Context()); got.Native.Owner != held {
				t.Errorf("owner %v, want %v", got.Native.Owner, held)
			}
			held = !held
		}
	})
}

// TestRecovery: a fact that hung is asked again once it has returned.
func TestRecovery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, calls := goodSource(), 0
		s.Owner = check.Func(func(context.Context) check.Result {
			if calls++; calls == 1 {
				time.Sleep(5 * time.Second)
			}
			return check.Result{Status: check.Healthy}
		})
		e := evaluatorOf(t, s)
		if got := e.document(t.Context()); got.Result != observation.Failed || got.Native.Owner {
			t.Errorf("while it hangs: %+v", got)
		}
		time.Sleep(4*time.Second + 1)
		if got := e.document(t.Context()); got.Result != observation.Succeeded || !got.Native.Owner || got.Sampled.AgeMs != 0 {
			t.Errorf("afterwards: %+v", got)
		}
	})
}

// TestOneEvaluationAtATime: however many ask, a fact is asked by one.
func TestOneEvaluationAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var (
			mu            sync.Mutex
			inside, calls int
			s             = goodSource()
		)
		s.Healthy = instantly{check.Func(func(context.Context) check.Result {
			mu.Lock()
			inside++
			calls++
			if inside > 1 {
				t.Error("two at the same time")
			}
			mu.Unlock()
			time.Sleep(100 * ms)
			mu.Lock()
			inside--
			mu.Unlock()
			return check.Result{Status: check.Healthy}
		})}
		e := evaluatorOf(t, s)
		var all sync.WaitGroup
		for range 200 {
			all.Go(func() {
				if d := e.document(t.Context()); !d.Native.Healthy {
					t.Errorf("%+v", d)
				}
			})
		}
		all.Wait()
		if calls != 1 {
			t.Errorf("%d calls for 200 documents at once", calls)
		}
	})
}

// instantly marks a checker as one that only reads memory, as a Monitor does.
type instantly struct{ check.Checker }

func (instantly) Instant() {}

// TestCallerGoesAway: the end of a request fails its document, and ends nothing.
func TestCallerGoesAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := goodSource()
		s.Ready = check.Func(func(ctx context.Context) check.Result {
			time.Sleep(500 * ms)
			if ctx.Err() != nil {
				t.Error("the run ended with the caller")
			}
			return check.Result{Status: check.Healthy}
		})
		e := evaluatorOf(t, s)
		ctx, cancel := context.WithTimeout(t.Context(), 100*ms)
		defer cancel()
		start := time.Now()
		if d := e.document(ctx); d.Result != observation.Failed || d.Activation.Ready || time.Since(start) != 100*ms {
			t.Errorf("after %v: %+v", time.Since(start), d)
		}
		if d := e.document(t.Context()); !d.Activation.Ready || d.Sampled.AgeMs != 500 {
			t.Errorf("one who joined: %+v", d)
		}
	})
}

// TestImpossibleGauge: what cannot be said is not said.
func TestImpossibleGauge(t *testing.T) {
	huge := make([]observation.Listener, observation.MaxListeners+1)
	for name, list := range map[string][]observation.Listener{
		"a name twice": {aListener, aListener},
		"no name":      {{Address: "a", Owner: "o", Live: true}},
		"bad UTF-8":    {{Name: "\xff", Address: "a", Owner: "o", Live: true}},
		"too many":     huge,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, want := goodSource(), goodDocument()
				s.Ingress.(*gauge).listeners = func() ([]observation.Listener, bool) { return list, true }
				want.Result = observation.Failed
				want.Pressure, want.Capacity = observation.Pressure{}, observation.Capacity{}
				want.Inventory = observation.Inventory{Listeners: []observation.Listener{}}
				got, err := observation.Decode(evaluatorOf(t, s).encode(t.Context()))
				if err != nil {
					t.Fatal(err)
				}
				wantDocument(t, got, want)
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		s := goodSource()
		s.Ingress.(*gauge).capacity = func() (observation.Capacity, bool) {
			return observation.Capacity{Buffers: observation.Use{InUse: -1}}, true
		}
		got, err := observation.Decode(evaluatorOf(t, s).encode(t.Context()))
		if err != nil || got.Pressure.Available || got.Result != observation.Failed {
			t.Errorf("%v: %+v", err, got)
		}
	})
}

func TestSourceRefusals(t *testing.T) {
	for want, change := range map[string]func(*Source){
		`node: source: node "": must be 1 to 200 bytes`:       func(s *Source) { s.Node = "" },
		`node: source: node "a\nb": must be 1 to 200 bytes`:   func(s *Source) { s.Node = "a\nb" },
		`node: source: instance "\xff": must be 1 to 200 byt`: func(s *Source) { s.Instance = "\xff" },
		`node: source: healthy: check: checker nil`:           func(s *Source) { s.Healthy = nil },
		`node: source: owner: check: checker nil`:             func(s *Source) { s.Owner = Holds(nil) },
		`node: source: ready: node: tier: set nil`:            func(s *Source) { s.Ready = Tier(nil, "ready") },
		`node: source: ready: node: tier "x": must be`:        func(s *Source) { s.Ready = Tier(nil, "x") },
		`node: source: owner: check: checker nil: must no`:    func(s *Source) { s.Owner = (*check.Runner)(nil) },
		`node: source: ingress nil: must be set`:              func(s *Source) { s.Ingress = nil },
		`node: source: ingress nil: must be`:                  func(s *Source) { s.Ingress = (*Ingress)(nil) },
	} {
		s := goodSource()
		change(&s)
		if _, err := s.evaluator(nil); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("want %s, got %v", want, err)
		}
	}
}

// TestInstances: two lives of a node are told apart without the application's help.
func TestInstances(t *testing.T) {
	s := goodSource()
	s.Instance = ""
	a, b := evaluatorOf(t, s), evaluatorOf(t, s)
	if a.identity.Instance == b.identity.Instance || len(a.identity.Instance) < 20 {
		t.Errorf("%q, %q", a.identity.Instance, b.identity.Instance)
	}
}

func TestHolds(t *testing.T) {
	for held, want := range map[bool]check.Status{true: check.Healthy, false: check.Unhealthy} {
		if got := Holds(func() bool { return held }).Check(t.Context()).Status; got != want {
			t.Errorf("held %v: %v", held, got)
		}
	}
}
