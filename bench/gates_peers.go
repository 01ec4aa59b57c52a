package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/benbjohnson/clock"

	"github.com/loopvitals/loopvitals/bench/rival"
	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/tiers"
)

// peerGates hold an answer to a probe against other health libraries.
func peerGates() []Gate {
	return []Gate{
		{ID: "P22", Name: "fastest peer's handler/ours, 1k checks", Bound: 20, Min: true, Measure: peerHandlers},
	}
}

// peerHandlers measures from request to body, with a thousand checks that all
// have passed a while ago: every library that can answers from the results it
// has. The peer that comes nearest counts. Nobody's garbage does: the goroutines
// that peers keep would make our collections dear.
func peerHandlers(s Settings) (Figure, error) {
	names := checkNames(1000)
	ours, err := readyHandler(names)
	if err != nil {
		return Figure{}, err
	}
	peers, err := rival.Peers(names, func(context.Context) error { return nil })
	if err != nil {
		return Figure{}, err
	}
	defer rival.StopPeers(peers)
	var fastest Figure
	for _, p := range peers {
		f := Compare(fewer(s, 21), scrapes(p.Handler), scrapes(ours))
		if fastest.Value == 0 || f.Value < fastest.Value {
			fastest = f
		}
	}
	return fastest, nil
}

// checkNames are so short, two letters or digits, that a thousand entries stay
// within the 64 KiB past which our body leaves entries out: all sides write all
// of them.
func checkNames(n int) []string {
	const base = 36
	names := make([]string, n)
	for i := range names {
		names[i] = strconv.FormatInt(int64(base+i), base)
	}
	return names
}

// readyHandler is our ready tier with a check of every name. Each was made once,
// and its result is reused from then on.
func readyHandler(names []string) (http.Handler, error) {
	const never = 24 * time.Hour
	past := newPast(time.Hour)
	set := tiers.New(tiers.WithClock(past))
	healthy := check.Func(func(context.Context) check.Result {
		return check.Result{Status: check.Healthy, Description: rival.Message}
	})
	for _, name := range names {
		err := set.AddReady(name, healthy, tiers.WithSampling(check.Sampling{Reuse: never, MaxAge: never}))
		if err != nil {
			return nil, err
		}
	}
	set.Evaluate(context.Background(), tiers.Ready)
	past.over.Store(true)
	h := set.Handler(tiers.Ready)
	return h, allTold(h, names)
}

// past is a clock that lies in the past until that is over, and then is the real
// one. Meanwhile it advances by a microsecond for each reading, which gives
// checks durations of three decimals: six of them would not fit into the body.
type past struct {
	clock.Clock
	began    time.Time
	readings atomic.Int64
	over     atomic.Bool
}

func newPast(ago time.Duration) *past {
	real := clock.New()
	return &past{Clock: real, began: real.Now().Add(-ago)}
}

func (p *past) Now() time.Time {
	if p.over.Load() {
		return p.Clock.Now()
	}
	return p.began.Add(time.Duration(p.readings.Add(1)) * time.Microsecond)
}

// allTold makes sure that the body has an entry for every name.
func allTold(h http.Handler, names []string) error {
	var body struct {
		Status    string
		Truncated int
		Entries   map[string]json.RawMessage
	}
	if err := json.Unmarshal([]byte(scrape(h)), &body); err != nil {
		return fmt.Errorf("bench: body of the ready tier: %w", err)
	}
	if body.Status != check.Healthy.String() {
		return errors.New("bench: body of the ready tier: " + body.Status)
	}
	for _, name := range names {
		if _, ok := body.Entries[name]; !ok {
			return fmt.Errorf("bench: body of the ready tier: no entry %s, %d left out", name, body.Truncated)
		}
	}
	return nil
}
