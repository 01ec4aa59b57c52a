package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// testPlay is a play whose print is returned as well.
func testPlay(t *testing.T, ctx context.Context) (*play, *bytes.Buffer) {
	t.Helper()
	out := new(bytes.Buffer)
	return &play{ctx: ctx, out: out, begun: time.Now()}, out
}

func TestInterruptedWhileBuilding(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	t.Setenv("TMPDIR", t.TempDir())
	var out bytes.Buffer
	if err := run(ctx, &out); err == nil || err.Error() != "interrupted" {
		t.Errorf("error %v, want interrupted", err)
	}
}

// A trial that cannot fail shows nothing.
func TestAStepThatFailsSaysWhatWasThere(t *testing.T) {
	p, out := testPlay(t, t.Context())
	passed := step{"Fine", "It is.\nReally.", func() error { return nil }}
	err := p.run(func() string { return "the autopsy" }, []step{passed, {"Broken", "", func() error {
		return p.await(time.Millisecond, "a light", func() string { return "darkness" })
	}}, {"Never", "", func() error { t.Error("a step after one that failed"); return nil }}})
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"step 2 failed (Broken)\n", "expected: a light\n", "got:      darkness\n", "waited:   1ms\n", "the autopsy"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("nothing of %q in\n%v", want, err)
		}
	}
	if want := "\n[1] Fine  (0.0 s)\n  It is.\n  Really.\n\n[2] Broken  (0.0 s)\n"; !strings.HasPrefix(out.String(), want) {
		t.Errorf("printed %q, want %q", out, want)
	}
}

func TestAwaitEndsWithItsContext(t *testing.T) {
	over := errors.New("the time is over")
	ctx, cancel := context.WithCancelCause(t.Context())
	p, _ := testPlay(t, ctx)
	err := p.await(time.Hour, "a light", func() string { cancel(over); return "darkness" })
	if !errors.Is(err, over) || !strings.Contains(err.Error(), "got:      darkness") {
		t.Errorf("error %v", err)
	}
}

func TestSettleCountsFromTheLastDisturbance(t *testing.T) {
	p, _ := testPlay(t, t.Context())
	looks, begun := 0, time.Now()
	calm, err := p.settle(50*time.Millisecond, time.Minute, "calm", func() string {
		if looks++; looks == 3 {
			return "a noise"
		}
		return ""
	})
	if err != nil || calm > looks-3 || time.Since(begun) < 50*time.Millisecond {
		t.Errorf("%d looks, %d of them calm, %v", looks, calm, err)
	}
}

func TestKeepEndsAtTheFirstDisturbance(t *testing.T) {
	p, _ := testPlay(t, t.Context())
	looks := 0
	_, err := p.keep(time.Minute, "calm", func() string {
		if looks++; looks == 3 {
			return "a noise"
		}
		return ""
	})
	if err == nil || looks != 3 || !strings.Contains(err.Error(), "a noise") {
		t.Errorf("%d looks, %v", looks, err)
	}
}
