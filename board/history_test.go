package board_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/anishathalye/porcupine"

	"github.com/loopvitals/loopvitals/board"
)

// TestHistoriesAreLinearizable lets clients loose on one processor, and
// requires that one order of their calls, each at one instant between its call
// and its return, explains all that they saw. It says how often calls really
// overlapped: where they do not, the test shows little.
func TestHistoriesAreLinearizable(t *testing.T) {
	for _, procs := range []int{1, 2, 4} {
		t.Run(fmt.Sprintf("procs=%d", procs), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			var met overlap
			n := histories(t)
			for i := range n {
				seed := rand.Uint64()
				random := rand.New(rand.NewPCG(seed, 0))
				s := newStage(newPlan(random, i))
				s.begin()
				history, err := s.end(call{op: opGet, at: hour})
				met.count(history)
				if err != nil {
					t.Fatalf("history %d, plan %d: %v\n%s", i+1, seed, err, transcript(history))
				}
			}
			t.Logf("%d histories, %d calls, %.0f%% overlapped another", n, met.calls, met.percent())
			if board.Yields && met.percent() < 60 {
				t.Errorf("%.0f%% of calls overlapped another: must be 60%% or more", met.percent())
			}
		})
	}
}

// histories is how many are made at each number of processors.
func histories(t *testing.T) int {
	if s := os.Getenv("LOOPVITALS_HISTORIES"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	soak := os.Getenv("LOOPVITALS_SOAK") != ""
	switch {
	case soak && raceEnabled:
		return 34_000
	case soak:
		return 1_000_000
	case raceEnabled:
		return 700
	case board.Yields:
		return 6_700
	}
	return 1_000
}

// overlap counts calls, and those that another one overlapped.
type overlap struct{ calls, overlapped int }

// count leaves out the main client, which calls when all else is quiet.
func (o *overlap) count(history []porcupine.Operation) {
	for i, a := range history {
		if a.ClientId == 0 {
			continue
		}
		o.calls++
		for j, b := range history {
			if i != j && a.Call < b.Return && b.Call < a.Return {
				o.overlapped++
				break
			}
		}
	}
}

func (o *overlap) percent() float64 { return 100 * float64(o.overlapped) / float64(max(o.calls, 1)) }

// transcript prints a history in the order of its calls.
func transcript(history []porcupine.Operation) string {
	slices.SortFunc(history, func(a, b porcupine.Operation) int { return cmp.Compare(a.Call, b.Call) })
	lives := map[*board.Reporter]int{nil: 0}
	for _, o := range history {
		if r := o.Output.(answer).reporter; r != nil && lives[r] == 0 {
			lives[r] = len(lives)
		}
	}
	var text strings.Builder
	for _, o := range history {
		in, out := o.Input.(call), o.Output.(answer)
		fmt.Fprintf(&text, "[%3d,%3d] client %d, clock %v: %v of life %d", o.Call, o.Return, o.ClientId, in.at, in.op, lives[in.reporter])
		switch in.op {
		case opBeatLag, opSetLag:
			fmt.Fprintf(&text, ", lag %d", in.lag)
		case opBusyFor:
			fmt.Fprintf(&text, ", limit %v", in.limit)
		case opFault:
			fmt.Fprintf(&text, ", cause %d", int(in.cause))
		case opRestart, opRegister:
			fmt.Fprintf(&text, " gives life %d", lives[out.reporter])
		case opRemove, opGet, opAll, opScan, opGlance:
			fmt.Fprintf(&text, ": %v %+v", out.ok, out.sight)
		}
		text.WriteByte('\n')
	}
	return text.String()
}
