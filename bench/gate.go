package bench

import "fmt"

// Gate is one promise about speed or size that a change must keep.
type Gate struct {
	// ID is the gate's number, such as "P1"; several gates may share one.
	ID string
	// Name says what is compared with what.
	Name string
	// Bound is the most the figure may be, or the least when Min is set.
	Bound float64
	Min   bool
	// NoAllocs demands that the measured operation allocates nothing.
	NoAllocs bool
	// Measure takes the figure.
	Measure func(Settings) (Figure, error)
}

// Gates returns all gates in the order of their numbers.
func Gates() []Gate {
	var all []Gate
	for _, some := range [][]Gate{
		reportGates(), telemetryGates(), rivalGates(), parallelGates(), verdictGates(),
		scrapeGates(), jsonGates(), peerGates(), watchGates(), heapGates(), loopGates(),
	} {
		all = append(all, some...)
	}
	return all
}

// Check says what keeps the figure from passing the gate, or nothing.
func (g Gate) Check(f Figure) error {
	switch {
	case g.Min && !(f.Value >= g.Bound):
		return fmt.Errorf("%.3g short of the bound", g.Bound-f.Value)
	case !g.Min && !(f.Value <= g.Bound): // Negated, so that NaN falls short too.
		return fmt.Errorf("%.3g over the bound", f.Value-g.Bound)
	case g.NoAllocs && f.Allocs > 0:
		return fmt.Errorf("%g allocations, want none", f.Allocs)
	}
	return nil
}

// Line is the gate's line in the report, without what became of it.
func (g Gate) Line(f Figure) string {
	sign := "<="
	if g.Min {
		sign = ">="
	}
	return fmt.Sprintf("%s %s %s %s %s", g.ID, g.Name, decimals(f.Value), sign, decimals(g.Bound))
}

// decimals gives ratios two decimals and byte counts none.
func decimals(v float64) string {
	if v >= 100 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.2f", v)
}
