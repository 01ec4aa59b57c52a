package board_test

import (
	"math/rand/v2"
	"time"
)

// A plan is what each client of a history calls, in its order.
type plan [][]call

// hour is what the clock of most reads says, so that ages tell stamps exactly.
const hour = time.Hour

var readOps = []op{opGet, opGet, opAll, opScan, opGlance}

// themes are the reports of one history. A few that have to do with each other
// meet more often than all of them do, and the board must stand both.
var themes = [][]op{
	{opBeatLag, opSetLag},
	{opBusyFor, opBusyFor, opSetLag, opDone},
	{opBusyFor, opBusyFor, opPause, opResume},
	{opIdle, opIdle, opIdle, opBeat},
	{opBeat, opBeat, opStandby, opResume},
	{opFault, opRestart, opBeat},
	{opFault, opClose, opRegister, opRegister},
	{
		opBeat, opBeatLag, opSetLag, opIdle, opBusy, opBusyFor, opDone, opStandby, opPause, opResume, opStop,
		opFault, opRestart, opClose, opRegister, opRemove,
	},
}

// newPlan makes the plan of the nth history, for 3 to 5 clients with 4 to 8
// calls each.
func newPlan(random *rand.Rand, n int) plan {
	reports := themes[n%len(themes)]
	times := clocks[random.IntN(len(clocks))]
	steady := random.IntN(4) == 0
	p := make(plan, 3+random.IntN(3))
	calls := 0
	for i := range p {
		p[i] = make([]call, 4+random.IntN(5))
		for j := range p[i] {
			calls++
			c := &p[i][j]
			*c = call{op: pick(random, reports), at: times(random, j)}
			if random.IntN(2) == 0 {
				c.op = pick(random, readOps)
			}
			if c.op.reads() && random.IntN(4) > 0 {
				c.at += hour
			}
			c.argue(random, calls, steady)
		}
	}
	return p
}

// argue gives a call arguments that no other call of the history has, but for
// the lag where that is steady: it is for a loop that keeps up, and of two cells
// that look alike only the version tells that they are not the same.
func (c *call) argue(random *rand.Rand, number int, steady bool) {
	switch c.op {
	case opBeatLag, opSetLag:
		c.lag = int64(number)
		if steady {
			c.lag = 1
		}
		if random.IntN(16) == 0 {
			c.lag = -c.lag
		}
	case opBusyFor:
		c.limit = time.Duration(number) * time.Millisecond
	case opFault:
		c.cause = failure(number)
	}
}

// clocks are the ways in which the clock goes on from one call of a client to
// its next. One that stands lets words be equal that are not the same; one that
// jumps back shows whether stamps do.
var clocks = []func(random *rand.Rand, turn int) time.Duration{
	func(*rand.Rand, int) time.Duration { return 0 },
	func(_ *rand.Rand, turn int) time.Duration { return time.Duration(turn) },
	func(random *rand.Rand, turn int) time.Duration { return time.Duration(100*turn + random.IntN(100)) },
	func(random *rand.Rand, _ int) time.Duration { return time.Duration(random.IntN(8)) },
}

func pick(random *rand.Rand, from []op) op { return from[random.IntN(len(from))] }
