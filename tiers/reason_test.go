package tiers_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopvitals/loopvitals/tiers"
)

// denial is an error that says why in public.
type denial func() string

func (denial) Error() string { return "denied: " + canary }

func (d denial) PublicReason() string { return d() }

// trap is an error whose As is user code, too.
type trap struct{}

func (trap) Error() string { return canary }
func (trap) As(any) bool   { panic(canary) }

// denying is a gate that refuses with err.
func denying(err error) tiers.Gate {
	return admitter(func(context.Context) (context.Context, func(), error) { return nil, nil, err })
}

func says(text string) denial { return func() string { return text } }

// TestPublicReason is the table of reasons (S4.30): what a gate gives is shown in
// the place of "not active", and what cannot be shown is no reason.
func TestPublicReason(t *testing.T) {
	const plain = `{"status":"Unhealthy","error":"not active"}`
	longest := strings.Repeat("ö", 128)
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"says why":             {says("not primary (role unknown)"), `{"status":"Unhealthy","error":"not primary (role unknown)"}`},
		"wrapped":              {fmt.Errorf("write: %w", says("not primary")), `{"status":"Unhealthy","error":"not primary"}`},
		"escaped":              {says(`<b>"\&`), `{"status":"Unhealthy","error":"\u003cb\u003e\"\\\u0026"}`},
		"as long as may be":    {says(longest), `{"status":"Unhealthy","error":"` + longest + `"}`},
		"one byte too long":    {says(longest + "x"), plain},
		"empty":                {says(""), plain},
		"not UTF-8":            {says("no\xff"), plain},
		"two lines":            {says("no\n" + canary), plain},
		"what does not show":   {says("no\u202e"), plain},
		"has none":             {errors.New(canary), plain},
		"panics":               {denial(func() string { panic(canary) }), plain},
		"ends its goroutine":   {denial(func() string { runtime.Goexit(); return canary }), plain},
		"nil function":         {denial(nil), plain},
		"panics when searched": {trap{}, plain},
	} {
		t.Run(name, func(t *testing.T) {
			rec := probe(tiers.RequireActive(denying(c.err), nil), "GET", "/write")
			if rec.Code != http.StatusServiceUnavailable || rec.Body.String() != c.want {
				t.Errorf("%d %s, want %s", rec.Code, rec.Body, c.want)
			}
			_, release, err := tiers.FailClosed(denying(c.err)).(tiers.Admitter).Enter(t.Context())
			release()
			if err == nil || err.Error() != c.err.Error() {
				t.Errorf("the gate's own error is lost: %v", err)
			}
			if twice := probe(tiers.RequireActive(tiers.FailClosed(denying(c.err)), nil), "GET", "/write").Body.String(); twice != c.want {
				t.Errorf("behind two guards: %s", twice)
			}
		})
	}
}

// TestPublicReasonKeepsTheError: whoever asks with errors.Is and errors.As finds
// what the gate has returned.
func TestPublicReasonKeepsTheError(t *testing.T) {
	lost := errors.New("lost the role")
	_, _, err := tiers.FailClosed(denying(fmt.Errorf("%w: %w", lost, says("not primary")))).(tiers.Admitter).Enter(t.Context())
	var d denial
	if !errors.Is(err, lost) || !errors.As(err, &d) {
		t.Errorf("found neither in %v", err)
	}
	var e tiers.Explainer
	if !errors.As(err, &e) || e.PublicReason() != "not primary" {
		t.Errorf("no reason in %v", err)
	}
}

// TestPublicReasonIsAskedOnce: whoever has the error of a guard can ask for the
// reason without calling the author's code, however that behaves.
func TestPublicReasonIsAskedOnce(t *testing.T) {
	for name, c := range map[string]struct {
		said, want string
		panics     int // from which call on
	}{"says why": {"not primary", "not primary", 2}, "not fit": {"not primary\n", "", 2}, "panics": {"", "", 1}} {
		asked := 0
		_, _, err := tiers.FailClosed(denying(denial(func() string {
			asked++
			if asked >= c.panics {
				panic(canary)
			}
			return c.said
		}))).(tiers.Admitter).Enter(t.Context())
		var e tiers.Explainer
		if !errors.As(err, &e) || e.PublicReason() != c.want || asked != 1 {
			t.Errorf("%s: %v, asked %d times", name, err, asked)
		}
	}
}

// TestPublicReasonThatBlocks holds a refusal up for a second, and like all of a
// gate's code that blocks keeps no more than one goroutine.
func TestPublicReasonThatBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := make(chan struct{})
		h := tiers.RequireActive(denying(denial(func() string { <-gone; return "not primary" })), nil)
		for i := range 3 {
			begun := time.Now()
			rec := probe(h, "GET", "/write")
			if took, want := time.Since(begun), map[bool]time.Duration{true: time.Second}[i == 0]; took != want {
				t.Errorf("%d: took %v, want %v", i, took, want)
			}
			if rec.Body.String() != `{"status":"Unhealthy","error":"not active"}` {
				t.Errorf("%d: %s", i, rec.Body)
			}
		}
		close(gone)
		synctest.Wait()
		if got := probe(h, "GET", "/write").Body.String(); got != `{"status":"Unhealthy","error":"not primary"}` {
			t.Errorf("afterwards: %s", got)
		}
	})
}

// TestPublicReasonBesideTheNode: the reason and where to go instead are told
// together.
func TestPublicReasonBesideTheNode(t *testing.T) {
	type located struct {
		tiers.Gate
		tiers.Admitter
		tiers.Locator
	}
	g := denying(says("not primary"))
	rec := probe(tiers.RequireActive(located{g, g.(tiers.Admitter), locator(func() (string, bool) { return nodeB, true })}, nil), "POST", "/write")
	if want := `{"status":"Unhealthy","error":"not primary","activeNode":"10.0.0.2:4053"}`; rec.Body.String() != want {
		t.Errorf("got %s, want %s", rec.Body, want)
	}
}
