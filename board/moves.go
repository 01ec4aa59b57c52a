package board

// A move says where a report leads from each code: the life-cycle table. A code
// that leads to stay ignores the report.
type move struct {
	to   [1 << codeBits]code
	beat bool // the report counts as a beat
}

const stay = code(1<<codeBits - 1)

// The life cycle. Rows not named are stay: Standby, Paused, Stopped and Faulted
// ignore what a running loop says, so a late beat revives nothing, and an ended
// word ignores everything.
var (
	// beating: a beat inside a unit of work is progress and stays Busy.
	beating = moves(code(Running), Unreported, Running, Idle).keep(Busy).counted()
	// finishing: Done is a beat that also ends the unit.
	finishing = moves(code(Running), Unreported, Running, Idle, Busy).counted()
	// waiting: Idle again is no new entry, so that a loop which is woken for
	// nothing can still be seen to starve.
	waiting = moves(code(Idle), Unreported, Running, Busy)
	working = moves(code(Busy), Unreported, Running, Idle, Busy)

	yielding = moves(code(Standby), Unreported, Running, Idle, Busy)
	pausing  = moves(code(Paused), Unreported, Running, Idle, Busy)
	resuming = moves(code(Running), Standby, Paused)
	stopping = moves(code(Stopped), Unreported, Running, Idle, Busy, Standby, Paused)
	// noting changes no state: SetLag.
	noting = moves(stay).keep(Unreported, Running, Idle, Busy, Standby, Paused, Stopped, Faulted)
)

// moves leads from the given states to one code.
func moves(to code, from ...State) *move {
	m := new(move)
	for c := range m.to {
		m.to[c] = stay
	}
	for _, s := range from {
		for _, c := range codesOf(s) {
			m.to[c] = to
		}
	}
	return m
}

// keep returns m with the given states leading to themselves.
func (m *move) keep(states ...State) *move {
	for _, s := range states {
		for _, c := range codesOf(s) {
			m.to[c] = c
		}
	}
	return m
}

func (m *move) counted() *move {
	m.beat = true
	return m
}

// codesOf lists the codes that show as s.
func codesOf(s State) []code {
	codes := []code{code(s)}
	if s == Busy {
		for i := range limitRegisters {
			codes = append(codes, codeLimited+code(i))
		}
	}
	return codes
}
