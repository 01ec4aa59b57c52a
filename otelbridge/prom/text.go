package prom

import (
	"slices"
	"strings"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/otelbridge/internal/catalogue"
	"github.com/loopvitals/loopvitals/otelbridge/internal/reading"
	"github.com/loopvitals/loopvitals/tiers"
)

// text is the part of an Exporter that the handler reads. What it prepares are
// escaped labels, open at their end: {board="shop",processor="orders" is followed
// by more labels or by a brace.
type text struct {
	reader *reading.Reader[string, *checkText, string]
	boards []boardText // by monitor
}

// boardText is what the labels of one board begin with.
type boardText struct {
	name   string // board="shop", or nothing
	before string // the same with a comma behind it, where there is a name
}

// checkText are the labels of one check.
type checkText struct {
	self  string   // {check="database"
	tiers []string // ,tier="ready", sorted
}

func newText(src reading.Sources, clock board.Clock, boards boardNames) *text {
	t := &text{}
	for _, name := range boards.names {
		b := boardText{}
		if name != "" {
			b.name = label(catalogue.KeyBoard, name)
			b.before = b.name + ","
		}
		t.boards = append(t.boards, b)
	}
	t.reader = reading.New(src, clock, reading.Prepare[string, *checkText, string]{
		Processor: func(monitor int, key string) string {
			return "{" + t.boards[monitor].before + label(catalogue.KeyProcessor, key)
		},
		Check:  newCheckText,
		Series: seriesText,
		Guard:  guardText,
	})
	return t
}

func newCheckText(c *tiers.CheckState) *checkText {
	t := &checkText{self: "{" + label(catalogue.KeyCheck, c.Name)}
	for _, tier := range c.Tiers {
		t.tiers = append(t.tiers, ","+label(catalogue.KeyTier, string(tier)))
	}
	slices.Sort(t.tiers)
	return t
}

// seriesText is the labels of one series of a redundancy node, with their braces;
// nothing if it has none.
func seriesText(s reading.SeriesID) string {
	var labels []string
	for i, key := range s.ID.Metric().Keys {
		labels = append(labels, label(key, s.Values[i]))
	}
	if len(labels) == 0 {
		return ""
	}
	return "{" + strings.Join(labels, ",") + "}"
}

// guardText is the label of all series of one guard, with its braces.
func guardText(key string) string { return "{" + label(catalogue.KeyGuard, key) + "}" }

// label writes name="value" as both formats want it. Boards and sets refuse
// names with lines in them; the formats do not rely on that.
func label(name, value string) string { return name + `="` + escaper.Replace(value) + `"` }

var escaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)
