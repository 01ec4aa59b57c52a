package board_test

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/loopvitals/loopvitals/board"
)

// historyKey is the processor that histories are about.
const historyKey = "orders"

// A stage is one board and the clients that use it at once. Mostly it is the
// clock of the board as well: each client has a reading of its own, so that the
// specification knows what a call read.
type stage struct {
	board *board.Board
	pace  time.Duration // of the clients' calls, on a board with a clock of its own
	// order counts calls and returns: the real-time order of the history.
	order   atomic.Int64
	main    *client
	clients []*client // the others, each in a goroutine of its own
	ready   sync.WaitGroup
	running sync.WaitGroup

	mu        sync.Mutex
	reporters []*board.Reporter // every one there ever was
}

// A client makes calls, one after the other.
type client struct {
	stage    *stage
	number   int
	calls    []call
	start    chan struct{}
	rest     chan bool // see sleep
	caller   uintptr   // see whoCalls
	reading  time.Duration
	buffer   board.Observation
	history  []porcupine.Operation
	panicked any
}

// newStage makes a board and registers the processor on it, and has a client
// ready for each row of a plan.
func newStage(p plan, options ...board.Option) *stage {
	s := new(stage)
	s.main = &client{stage: s}
	s.board = board.New(append([]board.Option{board.WithClock(s)}, options...)...)
	s.main.do(call{op: opRegister})
	for i, calls := range p {
		c := &client{stage: s, number: i + 1, calls: calls, start: make(chan struct{}), rest: make(chan bool)}
		s.clients = append(s.clients, c)
		s.ready.Add(1)
		s.running.Add(1)
		go entrances[i](c)
	}
	s.ready.Wait()
	return s
}

// begin lets the clients loose, all at once.
func (s *stage) begin() {
	for _, c := range s.clients {
		close(c.start)
	}
}

// end waits for all clients, makes one call more when all is quiet, and returns
// what happened.
func (s *stage) end(last call) (history []porcupine.Operation, err error) {
	s.running.Wait()
	s.main.do(last)
	for _, c := range append(s.clients, s.main) {
		if c.panicked != nil {
			err = fmt.Errorf("client %d panicked: %v", c.number, c.panicked)
		}
		history = append(history, c.history...)
	}
	markCrowds(history)
	switch {
	case err != nil:
	case slices.ContainsFunc(s.reporters, board.Leaks):
		err = errors.New("a report that has ended holds a cell or a register")
	case !porcupine.CheckOperations(specification, history):
		err = errNotLinearizable
	}
	return history, err
}

var errNotLinearizable = errors.New("not linearizable")

// live is a client's goroutine.
func (c *client) live() {
	defer c.stage.running.Done()
	defer close(c.rest)
	defer func() { c.panicked = recover() }()
	c.caller = whoCalls()
	c.stage.ready.Done()
	<-c.start
	for i, call := range c.calls {
		if c.stage.pace > 0 {
			time.Sleep(c.stage.pace)
		}
		call.reporter = c.stage.reporter(c.number + i)
		c.do(call)
	}
}

// Now is the reading of the client that calls.
func (s *stage) Now() time.Time {
	now, caller := s.main.reading, whoCalls()
	for _, c := range s.clients {
		if c.caller == caller {
			now = c.reading
		}
	}
	return time.Unix(0, int64(now))
}

// entrances has a function for each client, so that the outermost one of a
// goroutine tells whose it is. A clock is told nothing else of its caller.
var entrances = [...]func(*client){
	func(c *client) { c.live() },
	func(c *client) { c.live() },
	func(c *client) { c.live() },
	func(c *client) { c.live() },
	func(c *client) { c.live() },
	func(c *client) { c.live() },
}

// whoCalls is the place in the outermost function of this goroutine.
func whoCalls() uintptr {
	var places [32]uintptr
	n := runtime.Callers(0, places[:])
	return places[n-2] // the last one is the runtime's
}

// reporter is mostly the newest one; every fourth is one from before, whose
// life has often ended.
func (s *stage) reporter(turn int) *board.Reporter {
	s.mu.Lock()
	defer s.mu.Unlock()
	if turn%4 == 3 {
		return s.reporters[turn%len(s.reporters)]
	}
	return s.reporters[len(s.reporters)-1]
}

// keep remembers a Reporter for everybody's further calls.
func (s *stage) keep(r *board.Reporter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r != nil && !slices.Contains(s.reporters, r) {
		s.reporters = append(s.reporters, r)
	}
}

// do makes one call and records it.
func (c *client) do(in call) {
	c.reading = in.at
	o := porcupine.Operation{ClientId: c.number, Input: in, Call: c.stage.order.Add(1)}
	out := c.perform(in)
	o.Output, o.Return = out, c.stage.order.Add(1)
	c.stage.keep(out.reporter)
	c.history = append(c.history, o)
}

func (c *client) perform(in call) (out answer) {
	b, r := c.stage.board, in.reporter
	switch in.op {
	case opBeat:
		r.Beat()
	case opBeatLag:
		r.BeatLag(in.lag)
	case opSetLag:
		r.SetLag(in.lag)
	case opIdle:
		r.Idle()
	case opBusy:
		r.Busy()
	case opBusyFor:
		r.BusyFor(in.limit)
	case opDone:
		r.Done()
	case opStandby:
		r.Standby()
	case opPause:
		r.Pause()
	case opResume:
		r.Resume()
	case opStop:
		r.Stop()
	case opFault:
		r.Fault(in.cause)
	case opRestart:
		out.reporter = r.Restart()
	case opClose:
		r.Close()
	case opRegister:
		var err error
		if out.reporter, err = b.Register(board.Spec{ID: historyKey}); err != nil && !errors.Is(err, board.ErrDuplicate) {
			panic(err)
		}
	case opRemove:
		out.ok = b.Remove(historyKey)
	default:
		out = c.look(in.op)
	}
	return out
}

// look reads the processor in one of the ways there are.
func (c *client) look(way op) (out answer) {
	b := c.stage.board
	switch way {
	case opGet:
		if o, ok := b.Get(historyKey); ok {
			out = seen(&o)
		}
	case opAll:
		for o := range b.All() {
			out = seen(&o)
		}
	case opScan:
		for s := b.Sweep(); s.Next(); {
			if s.Observe(&c.buffer) {
				out = seen(&c.buffer)
			}
		}
	case opGlance:
		for s := b.Sweep(); s.Next(); {
			out.sight.age, out.ok = s.Running()
		}
	}
	return out
}

func seen(o *board.Observation) answer {
	return answer{ok: true, sight: sight{
		state: o.State, age: o.Age, limit: o.Limit,
		lag: o.Lag, lagAge: o.LagAge, lagKnown: o.LagKnown,
		err: o.Err, starts: o.Starts, faults: o.Faults,
	}}
}
