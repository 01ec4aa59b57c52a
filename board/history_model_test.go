package board_test

import (
	"slices"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/loopvitals/loopvitals/board"
)

// An op is one use of the API.
type op uint8

const (
	opBeat op = iota
	opBeatLag
	opSetLag
	opIdle
	opBusy
	opBusyFor
	opDone
	opStandby
	opPause
	opResume
	opStop
	opFault
	opRestart
	opClose
	opRegister
	opRemove
	opGet
	opAll
	opScan
	opGlance // Sweep.Running
)

var opNames = [...]string{
	"Beat", "BeatLag", "SetLag", "Idle", "Busy", "BusyFor", "Done", "Standby", "Pause", "Resume", "Stop", "Fault",
	"Restart", "Close", "Register", "Remove", "Get", "All", "Scan", "Sweep.Running",
}

func (o op) String() string { return opNames[o] }

func (o op) reads() bool { return o >= opGet }

// A call is an op with its arguments, and what the clock reads meanwhile.
type call struct {
	op       op
	reporter *board.Reporter
	at       time.Duration
	lag      int64
	limit    time.Duration
	cause    failure
	// crowded: so many reports were in progress at once that the lag or the
	// limit of this one may have been lost, as documented.
	crowded bool
}

// An answer is what a call returned.
type answer struct {
	reporter *board.Reporter // by Register and Restart; nil: refused
	ok       bool            // by Remove and the reads
	sight    sight
}

// A sight is the part of an Observation that the specification speaks of.
type sight struct {
	state          board.State
	age            time.Duration
	limit          time.Duration
	lag            int64
	lagAge         time.Duration
	lagKnown       bool
	err            error
	starts, faults uint64
}

// failure is the cause of a fault; each has a number of its own.
type failure int

func (failure) Error() string { return "failed" }

// A processor is the state of the specification: docs/adr/0002, whose table
// this file restates without a look at the implementation.
type processor struct {
	life   *board.Reporter // nil: not present
	closed bool            // faulted and then closed: Register begins its next life
	state  board.State
	stamp  time.Duration
	limit  time.Duration
	lag    lag
	cause  error
	// crowded marks a limit that a crowd may have lost; the first look at it
	// tells.
	crowded        bool
	starts, faults uint64
}

type lag struct {
	value   int64
	stamp   time.Duration
	known   bool
	crowded bool
}

// specification is the model that histories are checked against.
var specification = porcupine.Model{
	Init: func() any { return processor{} },
	Step: func(state, input, output any) (bool, any) {
		return step(state.(processor), input.(call), output.(answer))
	},
}

// step tells whether the call may return the answer in this state, and what
// the state is then.
func step(p processor, c call, a answer) (bool, processor) {
	switch c.op {
	case opRegister:
		return p.register(c, a)
	case opRemove:
		return a.ok == (p.life != nil), processor{}
	case opGet, opAll, opScan:
		return p.look(c, a)
	case opGlance:
		running := p.life != nil && p.state == board.Running
		return a.ok == running && (!running || a.sight.age == age(c.at, p.stamp)), p
	case opRestart:
		if c.reporter != p.life {
			return a.reporter == c.reporter, p
		}
		return a.reporter != c.reporter, p.restart(c, a)
	}
	if c.reporter == p.life {
		p = p.report(c)
	}
	return true, p
}

func (p processor) register(c call, a answer) (bool, processor) {
	switch {
	case p.life != nil && p.closed:
		return a.reporter != nil, p.restart(c, a)
	case p.life != nil:
		return a.reporter == nil, p
	}
	return a.reporter != nil, processor{life: a.reporter, stamp: c.at}
}

func (p processor) restart(c call, a answer) processor {
	return processor{life: a.reporter, stamp: max(p.stamp, c.at), starts: p.starts, faults: p.faults}
}

// report is the table's effect of a report on the current life.
func (p processor) report(c call) processor {
	const (
		unreported = board.Unreported
		running    = board.Running
		idle       = board.Idle
		busy       = board.Busy
		standby    = board.Standby
		paused     = board.Paused
		stopped    = board.Stopped
		faulted    = board.Faulted
	)
	switch c.op {
	case opBeat, opBeatLag:
		if p.state == busy {
			p.stamp = max(p.stamp, c.at)
		} else if !p.move(c.at, running, unreported, running, idle) {
			return p
		}
		if c.op == opBeatLag {
			p.lag = lag{max(c.lag, 0), p.stamp, true, c.crowded}
		}
	case opSetLag:
		if !p.closed { // else its reporter has ended
			p.lag = lag{max(c.lag, 0), c.at, true, c.crowded}
		}
	case opDone:
		p.move(c.at, running, unreported, running, idle, busy)
	case opIdle:
		p.move(c.at, idle, unreported, running, busy)
	case opBusy:
		p.move(c.at, busy, unreported, running, idle, busy)
	case opBusyFor:
		if p.move(c.at, busy, unreported, running, idle, busy) {
			p.limit, p.crowded = c.limit, c.crowded
		}
	case opStandby:
		p.move(c.at, standby, unreported, running, idle, busy)
	case opPause:
		p.move(c.at, paused, unreported, running, idle, busy)
	case opResume:
		p.move(c.at, running, standby, paused)
	case opStop:
		p.move(c.at, stopped, unreported, running, idle, busy, standby, paused)
	case opFault:
		if p.move(c.at, faulted, unreported, running, idle, busy, standby, paused, stopped) {
			p.cause = c.cause
			p.faults++
		}
	case opClose:
		if p.state != faulted {
			return processor{}
		}
		p.closed = true
	}
	return p
}

// move goes to a state from those given, and tells whether it did.
func (p *processor) move(at time.Duration, to board.State, from ...board.State) bool {
	if !slices.Contains(from, p.state) {
		return false
	}
	if p.state == board.Unreported {
		p.starts++
	}
	p.state, p.stamp = to, max(p.stamp, at)
	p.limit, p.crowded = 0, false
	return true
}

// look compares what a read saw. Where a crowd may have lost a value, the first
// look decides for those that follow.
func (p processor) look(c call, a answer) (bool, processor) {
	if !a.ok || p.life == nil {
		return !a.ok && p.life == nil, p
	}
	if p.lag.crowded && !a.sight.lagKnown {
		p.lag = lag{}
	}
	if p.crowded && a.sight.limit == 0 {
		p.limit = 0
	}
	p.lag.crowded, p.crowded = false, false
	want := sight{
		state: p.state, age: age(c.at, p.stamp), limit: p.limit,
		lag: p.lag.value, lagKnown: p.lag.known,
		err: p.cause, starts: p.starts, faults: p.faults,
	}
	if p.lag.known {
		want.lagAge = age(c.at, p.lag.stamp)
	}
	return a.sight == want, p
}

func age(now, stamp time.Duration) time.Duration { return max(now-stamp, 0) }
