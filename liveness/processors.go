package liveness

import (
	"strconv"
	"time"

	"github.com/loopvitals/loopvitals/board"
)

// Processor is a processor with the verdict on it, and with the facts that
// people want beside it.
type Processor struct {
	Verdict
	// Lag is in events, the sum over the workers where the processor's own line
	// has none, and LagAge is how old the oldest part of it is; both valid
	// while LagKnown. A lag does not become current by being shown.
	Lag      int64
	LagAge   time.Duration
	LagKnown bool
	// Faults counts the processor's faulted incarnations.
	Faults uint64
}

func processorOf(o *board.Observation, v *Verdict) Processor {
	p := Processor{Verdict: *v, Faults: o.Faults}
	p.Lag, p.LagAge, p.LagKnown = o.TotalLag()
	return p
}

// Processors is the list of processors in a Monitor's Result.Data. As JSON it
// is an array of objects with the keys id, board, state, reason, status, ageMs,
// boundMs, busyMs, lag, lagAgeMs, faults and worker, in alphabetical order. What
// is not known is left out, and so is the age of a processor that need not beat
// here.
type Processors struct {
	// Board is the board's name; empty when it has none.
	Board string
	// Processors are in order, the worst first.
	Processors []Processor
}

// AppendJSON appends the list as JSON. It never fails.
func (ps Processors) AppendJSON(dst []byte) ([]byte, error) {
	dst = append(dst, '[')
	for i := range ps.Processors {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = ps.Processors[i].appendJSON(dst, ps.Board)
	}
	return append(dst, ']'), nil
}

// MarshalJSON is AppendJSON for encoding/json.
func (ps Processors) MarshalJSON() ([]byte, error) { return ps.AppendJSON(nil) }

func (v *Processor) appendJSON(dst []byte, boardName string) []byte {
	dst = append(dst, '{')
	if v.ages() {
		dst = appendMillis(dst, `"ageMs":`, v.Age)
	}
	if boardName != "" {
		dst = append(dst, `"board":`...)
		dst = append(appendString(dst, boardName), ',')
	}
	if v.Bound > 0 {
		dst = appendMillis(dst, `"boundMs":`, v.Bound)
	}
	if v.State == board.Busy || v.Busy > 0 {
		dst = appendMillis(dst, `"busyMs":`, v.Busy)
	}
	dst = append(dst, `"faults":`...)
	dst = strconv.AppendUint(dst, v.Faults, 10)
	dst = append(dst, `,"id":`...)
	dst = appendString(dst, v.Key)
	if v.LagKnown {
		dst = append(dst, `,"lag":`...)
		dst = strconv.AppendInt(dst, v.Lag, 10)
		dst = append(dst, ',')
		dst = appendMillis(dst, `"lagAgeMs":`, v.LagAge)
		dst = dst[:len(dst)-1]
	}
	// The words below are this module's own and need no escaping.
	dst = append(append(dst, `,"reason":"`...), v.Reason.String()...)
	dst = append(append(dst, `","state":"`...), v.State.String()...)
	dst = append(append(dst, `","status":"`...), v.Status.Known().String()...)
	dst = append(dst, '"')
	if v.Worker != "" {
		dst = append(dst, `,"worker":`...)
		dst = appendString(dst, v.Worker)
	}
	return append(dst, '}')
}

// ages tells whether an age says something: not before the first report, and
// not while nothing is expected.
func (v *Verdict) ages() bool {
	switch v.State {
	case board.Unreported, board.Standby, board.Paused, board.Stopped:
		return false
	}
	return true
}

// appendMillis appends a key and whole milliseconds, with a comma.
func appendMillis(dst []byte, key string, d time.Duration) []byte {
	dst = append(dst, key...)
	dst = strconv.AppendInt(dst, d.Milliseconds(), 10)
	return append(dst, ',')
}
