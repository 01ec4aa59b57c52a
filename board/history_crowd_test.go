package board_test

import (
	"slices"

	"github.com/anishathalye/porcupine"
)

// markCrowds marks the reports that may have found all cells for lags, or all
// registers for limits, taken: there is one for what holds, and one for each
// further report in progress but the last. A cell is held by a report that
// gives a lag; a register by one that takes it or gives another's back.
func markCrowds(history []porcupine.Operation) {
	for i := range history {
		in := history[i].Input.(call)
		switch in.op {
		case opBeatLag, opSetLag:
			in.crowded = crowd(history, history[i], opBeatLag, opSetLag) > 3
		case opBusyFor:
			in.crowded = crowd(history, history[i], opBusyFor, opBusy, opDone, opIdle, opStandby, opPause, opStop, opFault) > 2
		}
		history[i].Input = in
	}
}

// crowd is how many calls of some kinds were in progress at one moment of
// another call.
func crowd(history []porcupine.Operation, o porcupine.Operation, kinds ...op) (most int) {
	var met []porcupine.Operation
	for _, other := range history {
		if other.Call != o.Call && other.Call < o.Return && o.Call < other.Return && slices.Contains(kinds, other.Input.(call).op) {
			met = append(met, other)
		}
	}
	for _, moment := range append(met, o) {
		at := max(moment.Call, o.Call)
		n := 0
		for _, other := range met {
			if other.Call <= at && at < other.Return {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}
