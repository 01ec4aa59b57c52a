package adapter

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopvitals/loopvitals/tiers/adapter/observation"
)

const ms = time.Millisecond

// TestBeforeTheFirstSample answers no until a sample has ended.
func TestBeforeTheFirstSample(t *testing.T) {
	good := run{takes: 500 * ms, output: encoded(t, healthy())}
	inVirtualTime(t, 0, always(good), func(b *bench) {
		b.want(0, allNo)
		b.want(499*ms, allNo)
		b.want(500*ms, allYes)
	})
}

// TestAgeStartsWithTheSample has a success of a slow command served until 3 s after
// its start, and not its end (S2.11, R2), to the nanosecond.
func TestAgeStartsWithTheSample(t *testing.T) {
	good := run{takes: 1200 * ms, output: encoded(t, healthy())}
	inVirtualTime(t, 0, played(good, hangs), func(b *bench) {
		b.want(1200*ms, allYes)
		b.want(3000*ms, allYes)
		b.want(3000*ms+1, allNo) // the next sample, which hangs, lasts until 3.7 s
		b.want(3700*ms, allNo)
	})
}

// TestNodeAgeIsAdded counts the age that the node told from before the sample.
func TestNodeAgeIsAdded(t *testing.T) {
	for _, c := range []struct {
		ageMs int64
		until time.Duration // success is served
	}{{0, 3000 * ms}, {1, 2999 * ms}, {700, 2300 * ms}, {1800, 1200 * ms}} {
		good := run{takes: 1200 * ms, output: encoded(t, with(aged(c.ageMs)))}
		inVirtualTime(t, 0, played(good, hangs), func(b *bench) {
			b.want(c.until, allYes)
			b.want(c.until+1, allNo)
		})
	}
}

// TestStaleWhenItComes has facts that are too old on arrival count as no good
// sample: they do not even close the latch (S2.3).
func TestStaleWhenItComes(t *testing.T) {
	stale := run{takes: 200 * ms, output: encoded(t, with(aged(2801)))}
	live := run{takes: 100 * ms, output: encoded(t, with(full))}
	inVirtualTime(t, 0, played(stale, live), func(b *bench) {
		b.want(200*ms, allNo)
		b.want(1300*ms, answers{live: true})
	})
}

// TestSampledAtIsForPeople gives documents with any calendar time the same answers
// (X27).
func TestSampledAtIsForPeople(t *testing.T) {
	for _, at := range []string{"1970-01-01T00:00:00Z", "2026-11-30T09:00:00Z", "2036-11-30T10:00:00Z"} {
		good := run{takes: 100 * ms, output: encoded(t, with(func(d *observation.Document) { d.Sampled.At = at }))}
		inVirtualTime(t, 0, played(good, hangs), func(b *bench) {
			b.want(100*ms, allYes)
			b.want(2599*ms, allYes)
			b.want(2600*ms, allNo)
		})
	}
}

// TestFailedSampleReplacesAGoodOne at once, whatever failed (A7).
func TestFailedSampleReplacesAGoodOne(t *testing.T) {
	good := run{takes: 100 * ms, output: encoded(t, healthy())}
	for name, bad := range map[string]run{
		"error":          {err: errors.New("exit status 1"), output: good.output},
		"no output":      {},
		"half":           {output: good.output[:len(good.output)/2]},
		"more":           {output: slices.Concat(good.output, good.output)},
		"another node":   {output: encoded(t, with(other))},
		"corrupted node": {output: encoded(t, with(sick))},
	} {
		t.Run(name, func(t *testing.T) {
			bad.takes = 100 * ms
			inVirtualTime(t, 0, played(good, bad, good), func(b *bench) {
				b.want(1199*ms, allYes)
				b.want(1200*ms, allNo)
				b.want(2300*ms, allYes) // and the latch has been kept
			})
		})
	}
}

// TestHungSampleKeepsTheOldOne while it lasts, but not beyond the bound of its age:
// a child that cannot even be killed holds the sampler for ever (S2.12).
func TestHungSampleKeepsTheOldOne(t *testing.T) {
	good := run{takes: 100 * ms, output: encoded(t, healthy())}
	inVirtualTime(t, 0, played(good, hangs), func(b *bench) {
		b.want(3000*ms, allYes)
		b.want(3000*ms+1, allNo)
		b.want(time.Hour, allNo)
	}, func(b *bench) { b.script.timeout = 24 * time.Hour })
}

// TestFullNode is live and not ready (S2.5).
func TestFullNode(t *testing.T) {
	good := run{takes: 100 * ms, output: encoded(t, healthy())}
	filled := run{takes: 100 * ms, output: encoded(t, with(full))}
	inVirtualTime(t, 0, played(filled, filled, good, filled), func(b *bench) {
		b.want(100*ms, answers{live: true})
		b.want(1200*ms, answers{live: true})
		b.want(2300*ms, allYes)
		b.want(3400*ms, answers{startup: true, live: true})
	})
}

// TestStartupNeedsThePresent has a latched startup fail with a node that is broken,
// with another one, and with another life of its own (S2.6).
func TestStartupNeedsThePresent(t *testing.T) {
	says := func(changes ...func(*observation.Document)) run {
		return run{takes: 100 * ms, output: encoded(t, with(changes...))}
	}
	runs := []run{
		says(), says(full), says(sick), says(full), says(other, life("life-2")), says(full),
		says(full, life("life-2")), says(full),
	}
	inVirtualTime(t, 0, played(runs...), func(b *bench) {
		b.want(100*ms, allYes)
		latched := answers{startup: true, live: true}
		b.want(1200*ms, latched)
		b.want(2300*ms, allNo)               // broken
		b.want(3400*ms, latched)             // and not any more
		b.want(4500*ms, allNo)               // another node
		b.want(5600*ms, latched)             // whose life is not this one's
		b.want(6700*ms, answers{live: true}) // another life
		b.want(7800*ms, answers{live: true}) // and the old one again
	})
}

// TestPauseIsCountedFromTheEnd of a sample, whatever it took (S2.14).
func TestPauseIsCountedFromTheEnd(t *testing.T) {
	output := encoded(t, healthy())
	runs := []run{{takes: 0, output: output}, {takes: 700 * ms, output: output}, hangs, {takes: 1499 * ms, output: output}, {err: errors.New("no")}}
	inVirtualTime(t, 0, played(runs...), func(b *bench) {
		b.until(9 * time.Second)
		want := []time.Duration{0, 1000 * ms, 2700 * ms, 5200 * ms, 7699 * ms, 8699 * ms}
		if !slices.Equal(b.script.starts, want) {
			b.Errorf("samples start at %v, want %v", b.script.starts, want)
		}
	})
}

// TestRequestsSampleNothing asks very often (S2.10).
func TestRequestsSampleNothing(t *testing.T) {
	inVirtualTime(t, 0, always(run{takes: 100 * ms, output: encoded(t, healthy())}), func(b *bench) {
		b.until(5 * time.Second)
		before, held := len(b.script.starts), b.standing.Load()
		for range 10_000 {
			if b.answers() != allYes {
				b.Fatal("a healthy node is not")
			}
		}
		if after := len(b.script.starts); after != before || b.standing.Load() != held {
			b.Errorf("30 000 requests changed the state, or started %d samples", after-before)
		}
	})
}

// TestSteadiness runs commands on both sides of A13's bound for a minute: below it
// readiness is steady, and above it has gaps.
func TestSteadiness(t *testing.T) {
	for _, c := range []struct {
		takes  time.Duration
		ageMs  int64
		steady bool
	}{{10 * ms, 0, true}, {999 * ms, 0, true}, {1001 * ms, 0, false}, {1400 * ms, 0, false}, {700 * ms, 599, true}, {700 * ms, 601, false}} {
		r := run{takes: c.takes, output: encoded(t, with(aged(c.ageMs)))}
		inVirtualTime(t, 0, always(r), func(b *bench) {
			b.until(c.takes)
			gaps := 0
			for range 60_000 {
				time.Sleep(ms)
				if !b.answer(ready) {
					gaps++
				}
			}
			if (gaps == 0) != c.steady {
				b.Errorf("%v with an age of %d ms: not ready for %d of 60000 ms, want steady %v", c.takes, c.ageMs, gaps, c.steady)
			}
			if steady(c.takes, time.Duration(c.ageMs)*ms, b.config) != c.steady {
				b.Errorf("%v with an age of %d ms: steady is %v", c.takes, c.ageMs, !c.steady)
			}
		})
	}
}

// TestStopInTheMiddle ends Run while a command hangs: as soon as that is dead, and not
// before (S2.16).
func TestStopInTheMiddle(t *testing.T) {
	for _, dies := range []time.Duration{0, 100 * ms} {
		inVirtualTime(t, 0, always(hangs), func(b *bench) {
			b.script.dies = dies
			b.until(700 * ms)
			b.Stop()
			if dies > 0 {
				b.until(700*ms + dies - 1)
				if len(b.ended) > 0 {
					b.Error("Run has returned")
				}
			}
			b.until(700*ms + dies)
			if len(b.ended) == 0 {
				b.Errorf("Run has not returned %v after Stop", dies)
			}
			if b.answers() != allNo {
				b.Error("something passes")
			}
		})
	}
}

// TestRunOnce refuses a second Run, and the Run of what New did not make.
func TestRunOnce(t *testing.T) {
	inVirtualTime(t, 0, always(hangs), func(b *bench) {
		b.until(ms)
		if err := b.Adapter.Run(t.Context()); err != errRan {
			b.Errorf("the second Run: %v", err)
		}
		b.until(2 * ms) // and the first goes on
		if b.stopped() {
			b.Error("it has stopped")
		}
	})
}

// TestLoggerThatEndsTheSampler stops the adapter, with an error: without a sampler
// it could never say yes again.
func TestLoggerThatEndsTheSampler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAdapter(testConfig())
		WithLogger(slog.New(rude{runtime.Goexit})).apply(a)
		s := &script{play: always(run{output: encoded(t, healthy())}), now: a.now, timeout: time.Second, stop: make(chan struct{})}
		a.runner, a.server = s, &silent{stop: make(chan struct{})}
		if err := a.Run(t.Context()); !errors.Is(err, errSampler) {
			t.Errorf("Run: %v", err)
		}
	})
}

// TestNotMade has nil, and what New did not make, do nothing, and say so.
func TestNotMade(t *testing.T) {
	for _, a := range []*Adapter{nil, {}} {
		a.Stop()
		if a.Addr().IsValid() || !errors.Is(a.Run(t.Context()), errNotMade) || a.Usage() != (Usage{}) {
			t.Errorf("%p is something", a)
		}
	}
	if _, err := New(Config{}, nil, WithLogger(nil)); err == nil {
		t.Error("an empty Config is accepted")
	}
}

// TestRunWithoutContext goes on until it is stopped.
func TestRunWithoutContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAdapter(testConfig())
		s := &script{play: always(hangs), now: a.now, timeout: time.Second, stop: make(chan struct{})}
		a.runner, a.server = s, &silent{stop: make(chan struct{})}
		time.AfterFunc(time.Second, a.Stop)
		var none context.Context
		if err := a.Run(none); err != nil {
			t.Error(err)
		}
	})
}
