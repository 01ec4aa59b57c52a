package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

const heading = `
          subscribes    under way    waits           requests                requests      commands
          in %3.0f s      at a time    after the       for one     requests    at a time,    queued,      all good
variant   a connection  a connection first three, s  subscribe   in all      most          most         after, s
`

func printHeading(out io.Writer, s speed) {
	fmt.Fprintf(out, "Two consumers of %d items each are deployed while their gateway stalls for %.0f s.\n", items, stall.Seconds())
	fmt.Fprintf(out, "Time goes by %d times faster than is told.\n", s)
	text := fmt.Sprintf(heading, stall.Seconds())
	fmt.Fprint(out, text, strings.Repeat("-", 118), "\n")
}

// printLine prints an outcome: counts of the connection that has the larger, and the
// waits of the first.
func printLine(out io.Writer, o outcome) {
	good := fmt.Sprintf("%.1f", o.recovery().Seconds())
	if !o.good {
		good = fmt.Sprintf("not in %d", (o.until-stall)/time.Second)
	}
	fmt.Fprintf(out, "%-9s %-13d %-12d %-16s %-11d %-11d %-13d %-12d %s\n", o.variant.name,
		o.most(during), o.most(together), seconds(waits(o.sends[0], 3)), o.cost(), o.requests, o.peakOpen, o.peak, good)
}

// seconds lists times.
func seconds(times []time.Duration) string {
	var texts []string
	for _, d := range times {
		texts = append(texts, fmt.Sprintf("%.1f", d.Seconds()))
	}
	return strings.Join(texts, " ")
}

// printNotes explains the table.
func printNotes(out io.Writer, outcomes []outcome) {
	fmt.Fprintf(out, `
lever 1   an in-flight guard with back-off (%v to %v, ceiling %v) in place of a timer of %v
lever 2   one request for all items, where the gateway says that it can do that; else one
          to add them and one to advise each, %d at a time for each subscribe
lever 3   a time limit for commands of %v, asked for with the session, in place of %v;
          "all" is the three levers
waits     how long it is to the next subscribe when one fails; a guard's, to which no answer
          comes, goes out at the ceiling, and the back-off climbs all the same
requests  in all: from the beginning of the stall until all is good, or to the end
`, floor, most, ceiling, retry, fanOut, variants()[3].limit, variants()[0].limit)
	for _, o := range outcomes {
		if !o.good {
			fmt.Fprintf(out, "\n%s: up to the end each connection has sent %d subscribes. Some (%d) brought all items, when others\nhad replaced them. The worker had %d commands before it.\n",
				o.variant.name, o.most(func(s []send) int { return len(s) }), o.most(late), o.left)
		}
	}
}
