package promtest

import "math"

// The numbers that stand for words, as mapped on the dashboard.
const (
	healthy, unhealthy = 0, 3

	stopped, paused, standby, busy, idle, running, unreported = 0, 1, 2, 3, 4, 5, 6
	lagging, stale, faulted                                   = 7, 11, 14

	secondary = 1 // of the roles
)

func exactly(v float64) span   { return span{v, v} }
func within(l, m float64) span { return span{l, m} }

// more is anything above zero.
func more() span { return span{math.SmallestNonzeroFloat64, math.MaxFloat64} }

// some is anything that is known.
func some() span { return span{0, math.MaxFloat64} }

func by(label string, spans map[string]span) content { return content{label, spans} }

// alone is an answer of one series without labels.
func alone(s span) content { return content{"job", map[string]span{"": s}} }

// standing is why each processor of the program has its status.
var standing = map[string]span{
	"stopped": exactly(stopped), "paused": exactly(paused), "audit": exactly(standby), "billing": exactly(busy),
	"idle": exactly(idle), "turning": exactly(idle), "lonely": exactly(running), "orders::rebuild::2": exactly(running),
	"new": exactly(unreported), "orders": exactly(lagging), "search": exactly(stale), "mail": exactly(faulted),
}

// contents are what the queries have to return, by the panel's title and the
// query's letter or name.
var contents = map[string]content{
	"Tiers/A":                    by("tier", map[string]span{"ready": exactly(unhealthy), "active": exactly(unhealthy)}),
	"Unhealthy/A":                alone(within(2, 100)), // search and mail, on every job
	"Degraded/A":                 alone(within(1, 100)),
	"Oldest age/A":               alone(more()),
	"Nearest to its threshold/A": alone(within(1, math.MaxFloat64)),
	"Age of the values/A":        by("", map[string]span{"": some()}),

	"Reasons over time/A": by("processor", standing),
	"Worst first/Status": by("processor", map[string]span{
		"orders": exactly(1), "search": exactly(unhealthy), "mail": exactly(unhealthy), "billing": exactly(healthy), "lonely": exactly(healthy),
	}),
	"Worst first/Reason":    by("processor", standing),
	"Worst first/Age":       by("board", map[string]span{"shop": some(), "-": some()}),
	"Worst first/Threshold": by("processor", map[string]span{"orders": exactly(5), "search": exactly(1)}),
	"Worst first/Busy for":  by("processor", map[string]span{"billing": more()}),
	"Worst first/Lag":       by("processor", map[string]span{"orders": more(), "orders::rebuild::2": more()}),
	"Worst first/Faults":    by("processor", map[string]span{"mail": exactly(1), "orders": exactly(0), "crashing": more()}),
	"Worst first/Starts":    by("processor", map[string]span{"lonely": exactly(1), "new": exactly(0), "crashing": more()}),
	"Worst first/Rebuild":   by("processor", map[string]span{"orders": exactly(0), "orders::rebuild::2": exactly(1)}),

	"Age against threshold/A":    by("processor", map[string]span{"orders": some(), "lonely": some(), "search": within(1, math.MaxFloat64)}),
	"Beats per second/A":         by("processor", map[string]span{"orders": more(), "lonely": more(), "billing": exactly(0)}),
	"Time in one unit of work/A": by("processor", map[string]span{"billing": more()}),

	"Lag/A":               by("processor", map[string]span{"orders": more()}),
	"Lag/B":               by("processor", map[string]span{"orders": exactly(100)}),
	"Events per second/A": by("processor", map[string]span{"orders": more()}),
	"Time to catch up/A":  by("processor", map[string]span{"orders": more(), "orders::rebuild::2": more()}),

	"Faults/A": by("processor", map[string]span{"crashing": more(), "orders": exactly(0)}),
	"Starts/A": by("processor", map[string]span{"crashing": more(), "orders": exactly(0)}),

	"Checks over time/A":   by("check", map[string]span{"database": exactly(healthy), "processors": exactly(unhealthy), "lease": exactly(unhealthy)}),
	"Duration/A":           by("check", map[string]span{"database": within(0, 1)}),
	"Duration/B":           by("check", map[string]span{"database": within(0, 1)}),
	"Duration/C":           by("check", map[string]span{"database": within(0, 1)}),
	"Runs by outcome/A":    by("outcome", map[string]span{"ok": more()}),
	"Hung runs/A":          by("check", map[string]span{"lease": exactly(1), "database": within(0, 1)}),
	"Since the last run/A": by("check", map[string]span{"database": some()}),

	"Service level/A":                     by("", map[string]span{"": exactly(240)}),
	"Roles over time/A":                   by("", map[string]span{"": exactly(secondary)}),
	"Denials/A":                           by("site", map[string]span{"write": some(), "ack": exactly(0), "alarm-emit": exactly(0)}),
	"Age of the snapshot/A":               by("", map[string]span{"": within(0, 15)}),
	"Probes of peers/A":                   by("peer", map[string]span{"a:4053": some()}),
	"Changes of the level/A":              by("level", map[string]span{"0": some(), "100": some(), "200": exactly(0), "240": some(), "250": exactly(0)}),
	"Ignored messages and failed calls/A": by("kind", map[string]span{"garbage": more(), "version": exactly(0), "failure": exactly(0)}),

	"Subscribe requests/A":           by("guard", map[string]span{"dead": more(), "slow": exactly(0), "well": exactly(0)}),
	"Presumed lost/A":                by("guard", map[string]span{"dead": more(), "slow": exactly(0), "well": exactly(0)}),
	"Back-off/A":                     by("guard", map[string]span{"dead": within(0.001, 0.1), "slow": within(5, 6), "well": exactly(5)}),
	"Waiting for an answer/A":        by("guard", map[string]span{"dead": within(0, 1), "slow": exactly(1), "well": exactly(0)}),
	"Age of the request in flight/A": by("guard", map[string]span{"slow": more()}),

	"Observer lateness/A": by("board", map[string]span{"shop": some(), "": some()}),
	"Internal events/A":   by("kind", map[string]span{"refused_registration": more(), "clamped_lag": exactly(0), "dropped_transition": some()}),
	"Dropped series/A":    by("", map[string]span{"": exactly(0)}),
}
