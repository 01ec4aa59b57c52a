package mixin

import (
	"os"
	"strconv"
	"strings"
	"time"
)

// The labels that rules aggregate by. All else that a series carries, such as
// the scope labels of an exporter, is left behind, so that joins hold.
const (
	byTarget    = "job, instance"
	byBoard     = "job, instance, board"
	byProcessor = "job, instance, board, processor"
)

// Reasons of a processor by what they say of it, as regular expressions.
const (
	// atRest: it need not do anything here.
	atRest = "unreported|standby|paused|stopped"
	// inPlay: it is there to work its input off, and not Unhealthy, which has
	// alerts of its own.
	inPlay = "running|idle|busy|observer_late|stalled|starved|lagging"
)

// maker makes rules for one Config.
type maker struct {
	Config
	prefix   string // as Prometheus has it
	selector []matcher
	targets  []matcher // of up: those of selector, and more
}

// metricName is prefix as the default translation of OpenTelemetry's exporters
// writes it: runs of anything but letters and digits become one underscore.
func metricName(prefix string) string {
	words := strings.FieldsFunc(prefix, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	})
	if len(words) == 0 {
		return ""
	}
	return strings.Join(words, "_") + "_"
}

// expr fills in a text of PromQL. In it
//
//	${target}, ${board}, ${processor}  are the labels of the above lists,
//	${liveness_x}, ${health_x}, ${redundancy_x} or ${resubscribe_x}
//	                                   is that metric with prefix and selector,
//	${liveness_x|reason="stale"}       with a matcher more,
//	${now|reason="stale"}              is the processors of which that reason holds,
//	${unheard}                         is the instances that push tiers and have not for a while,
//	${told|role="primary"}             is that role's value, of the nodes that are heard of,
//	${up}, ${anyup}                    is up of the targets that are expected, or of all,
//	${expected}                        is what tells them apart where nothing is selected,
//	${named}                           is every metric of this repository,
//	${Field}                           is a field of the Config.
//
// What is filled in keeps the indentation of its line.
func (m *maker) expr(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		filled := os.Expand(line, m.fill)
		lines[i] = strings.ReplaceAll(filled, "\n", "\n"+indent)
	}
	return strings.Join(lines, "\n")
}

func (m *maker) fill(name string) string {
	name, extra, _ := strings.Cut(name, "|")
	switch name {
	case "target":
		return byTarget
	case "board":
		return byBoard
	case "processor":
		return byProcessor
	case "up":
		return braces("up", m.targets, extra)
	case "anyup":
		return braces("up", m.selector, extra)
	case "expected":
		return m.expected()
	case "named":
		return braces("", m.selector, `__name__=~"`+m.prefix+`(liveness|health|redundancy|resubscribe)_.+",`+extra)
	case "now":
		return m.now(extra)
	case "unheard":
		return m.unheard()
	case "told":
		return m.told(extra)
	case "SilentAfter":
		return seconds(m.SilentAfter)
	case "HeardWithin":
		return seconds(m.heardWithin())
	case "HeardBefore":
		return duration(m.heardWithin())
	case "SilentWindow":
		return duration(m.SilentWindow)
	case "StalledAfter":
		return duration(m.StalledAfter)
	case "HalfStalledAfter":
		return seconds(m.StalledAfter / 2)
	case "LagWindow":
		return duration(m.LagWindow)
	case "LagGrowth":
		return strconv.FormatFloat(m.LagGrowth, 'g', -1, 64)
	case "CrashWindow":
		return duration(m.CrashWindow)
	case "CrashFaults":
		return strconv.Itoa(m.CrashFaults)
	case "ObserverLate":
		return seconds(m.ObserverLate)
	case "FlapWindow":
		return duration(m.FlapWindow)
	case "FlapChanges":
		return strconv.Itoa(m.FlapChanges)
	case "LostWindow":
		return duration(m.LostWindow)
	case "LostRequests":
		return strconv.Itoa(m.LostRequests)
	}
	return braces(m.prefix+name, m.selector, extra)
}

// now selects the processors of which a reason holds in the newest values of
// their board; the value says when. Where metrics are pushed nothing ends a
// series, and for five minutes the last reason stands beside the present one:
// only its time tells them apart. Where they are scraped the times are equal.
func (m *maker) now(reason string) string {
	return m.expr(`
(
    max by (${processor}) (timestamp(${liveness_processor_reason|` + reason + `}))
  >= on (${board}) group_left ()
    max by (${board}) (timestamp(${liveness_board_observed_timestamp_seconds})) - 0.5
)`)
}

// unheard is the instances that have pushed no tiers for five eighths of
// SilentAfter, 75 s: more than one interval of pushes, and together with a drain
// less than the two minutes of HealthTierUnhealthy. Whatever has an up series is
// scraped: its values end with it.
func (m *maker) unheard() string {
	return m.expr(`
(
    time() - max by (${target}) (timestamp(${health_tier_checks})) > ${HeardWithin}
  unless on (${target})
    ${anyup}
)`)
}

// heardWithin is how old the last push of an instance may be that is heard of.
func (m *maker) heardWithin() time.Duration { return m.SilentAfter * 5 / 8 }

// expected narrows targets down to those of jobs that export these metrics, or
// did within a day, where neither Selector nor Targets says which they are.
func (m *maker) expected() string {
	if len(m.targets) > 0 {
		return ""
	}
	return "\n" + m.expr(`
and on (job)
(
  last_over_time(${liveness_board_observed_timestamp_seconds}[1d])
  or
  last_over_time(${health_tier_checks}[1d])
  or
  last_over_time(${redundancy_observed_timestamp_seconds}[1d])
  or
  last_over_time(${resubscribe_in_flight}[1d])
)`)
}

// braces writes a selector.
func braces(metric string, matchers []matcher, extra string) string {
	var all []string
	for _, m := range matchers {
		all = append(all, m.String())
	}
	if extra != "" {
		all = append(all, extra)
	}
	if len(all) == 0 {
		return metric
	}
	return metric + "{" + strings.Join(all, ",") + "}"
}

// seconds writes a duration as a number.
func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'g', -1, 64) }

// duration writes whole seconds as Prometheus does: 90 s is 1m30s.
func duration(d time.Duration) string {
	if d == 0 {
		return "0s"
	}
	text := ""
	for _, unit := range []struct {
		size   time.Duration
		suffix string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "m"}, {time.Second, "s"}} {
		if n := d / unit.size; n > 0 {
			text += strconv.FormatInt(int64(n), 10) + unit.suffix
			d %= unit.size
		}
	}
	return text
}
