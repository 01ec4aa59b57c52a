package dash

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// word is a value of a label that the dashboard shows as a number, since a panel
// can colour and sort numbers only. The number is the place in the list.
type word struct {
	text, colour string
}

const (
	red    = "red"
	orange = "orange"
	green  = "green"
	blue   = "blue"
	purple = "purple"
	grey   = "#8e8e8e"
)

// statuses are those of processors, tiers and checks; the last is the worst.
// Unknown is below unhealthy: it asks for a look, the other for help.
var statuses = []word{
	{"healthy", green},
	{"degraded", orange},
	{"unknown", purple},
	{"unhealthy", red},
}

// reasons are those of processors; the last takes precedence. The colours of
// healthy ones tell work from waiting.
var reasons = []word{
	{"stopped", grey},
	{"paused", grey},
	{"standby", purple},
	{"busy", "semi-dark-green"},
	{"idle", blue},
	{"running", green},
	{"unreported", grey},
	{"lagging", "yellow"},
	{"starved", "light-orange"},
	{"stalled", orange},
	{"observer_late", "dark-orange"},
	{"stale", red},
	{"stuck", "dark-red"},
	{"never_started", "light-red"},
	{"faulted", "semi-dark-red"},
}

// roles are those of a node, the one that asks for a look last.
var roles = []word{
	{"detached", grey},
	{"secondary", blue},
	{"primary", green},
	{"unknown", purple},
}

// flights are whether a guard waits for an answer.
var flights = []word{
	{"no", green},
	{"waiting", blue},
}

// coded turns series with the value 1 and a label into the word's number. of
// gives the selector of one word. Adding the series up instead would lose a
// processor of which an exporter's limit hides one.
func coded(words []word, of func(text string) string) string {
	terms := make([]string, len(words))
	for code, w := range slices.Backward(words) {
		terms[len(words)-1-code] = fmt.Sprintf("%d * (%s == 1)", code, of(w.text))
	}
	return strings.Join(terms, " or ")
}

// status is the number of the status of which there is a state set.
func (s sheet) status(by, metric string, on func(metric string, matchers ...string) string) string {
	return worst(by, coded(statuses, func(text string) string {
		return on(metric, fmt.Sprintf("status=%q", text))
	}))
}

// reason is the number of each processor's reason. Only the reason that holds
// is exported, and whatever was pushed before it stays visible for five minutes
// for want of a staleness marker: the newest sample decides.
func (s sheet) reason() string {
	const metric = "liveness_processor_reason"
	all := coded(reasons, func(text string) string {
		return s.onProcessor(metric, fmt.Sprintf("reason=%q", text))
	})
	newest := fmt.Sprintf("topk by (%s) (1, timestamp(%s))", byProcessor, s.onProcessor(metric))
	return worst(byProcessor, fmt.Sprintf("(%s) and %s", all, newest))
}

// mapping shows numbers as their words.
func mapping(words []word) []dashboard.ValueMapping {
	options := make(map[string]dashboard.ValueMappingResult, len(words))
	for code, w := range words {
		index := int32(len(words) - 1 - code) // the worst heads the legend
		options[strconv.Itoa(code)] = dashboard.ValueMappingResult{Text: &w.text, Color: &w.colour, Index: &index}
	}
	return []dashboard.ValueMapping{{
		ValueMap: &dashboard.ValueMap{Type: dashboard.MappingTypeValueToText, Options: options},
	}}
}
