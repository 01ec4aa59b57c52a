package main

import (
	"fmt"
	"time"
)

// missed returns what the outcomes had to show and did not. They are those of variants,
// in that order.
func missed(outcomes []outcome) []error {
	nothing, first, second, all := outcomes[0], outcomes[1], outcomes[2], outcomes[3]
	var missed []error
	must := func(holds bool, format string, args ...any) {
		if !holds {
			missed = append(missed, fmt.Errorf("not reached: "+format, args...))
		}
	}
	for _, o := range outcomes {
		name := o.variant.name
		for i, sends := range o.sends {
			most, least := 3, 3
			if !o.variant.guarded {
				most = int(stall / retry)
				least = most - 2 // on a machine that stands still ticks are left out
			}
			n := during(sends)
			must(least <= n && n <= most, "%s, %s: %d subscribes in %v, must be %d to %d", name, names[i], n, stall, least, most)
			if o.variant.guarded {
				must(together(sends) == 1, "%s, %s: %d subscribes at a time, must be 1", name, names[i], together(sends))
				must(climb(sends), "%s, %s: waits of %s s, must be about 5, 10 and 20", name, names[i], seconds(waits(sends, 3)))
			}
		}
		cost := 1 + items
		if o.variant.batched {
			cost = 1
		}
		must(o.cost() == cost, "%s: a subscribe takes %d requests, must be %d", name, o.cost(), cost)
		if o.variant != nothing.variant {
			must(o.good && o.recovery() <= prompt, "%s: all is good %t, %v after the stall, must be in %v", name, o.good, o.recovery().Round(time.Second), prompt)
			must(o.requests < nothing.requests, "%s: %d requests, must be fewer than the %d of %s", name, o.requests, nothing.requests, nothing.variant.name)
			must(o.peakOpen < nothing.peakOpen, "%s: %d requests at a time, must be fewer than the %d of %s", name, o.peakOpen, nothing.peakOpen, nothing.variant.name)
			must(o.peak < nothing.peak, "%s: %d commands queued, must be fewer than the %d of %s", name, o.peak, nothing.peak, nothing.variant.name)
		}
	}
	must(!nothing.good, "%s: all is good after %v, must not be while requests go on", nothing.variant.name, nothing.recovery().Round(time.Second))
	must(nothing.left > fanOut*len(names), "%s: %d commands before the worker at the end, must be more than the %d of two subscribes", nothing.variant.name, nothing.left, fanOut*len(names))
	must(all.recovery() < min(first.recovery(), second.recovery()), "all: good %v after the stall, must be before lever 1 (%v) and lever 2 (%v)",
		all.recovery().Round(time.Second), first.recovery().Round(time.Second), second.recovery().Round(time.Second))
	return missed
}

// climb tells whether the first waits are the floor, twice and four times that, with a
// fifth more or less for the jitter; at the floor there is no less.
func climb(sends []send) bool {
	w := waits(sends, 3)
	if len(w) < 3 {
		return false
	}
	for i, delay := range []time.Duration{floor, 2 * floor, 4 * floor} {
		wait := w[i].Round(time.Millisecond) // no speed divides every time
		if wait < max(floor, delay-delay/5) || wait > delay+delay/5 {
			return false
		}
	}
	return true
}
