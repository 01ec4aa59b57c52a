package otelbridge_test

import (
	"strings"
	"testing"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/check/redundancy"
	"github.com/loopvitals/loopvitals/check/resubscribe"
	"github.com/loopvitals/loopvitals/liveness"
	"github.com/loopvitals/loopvitals/otelbridge"
	"github.com/loopvitals/loopvitals/tiers"
)

// TestNewRefuses names field, value and bound of what cannot be exported.
func TestNewRefuses(t *testing.T) {
	provider := noop.NewMeterProvider()
	of := func(boards ...*board.Board) otelbridge.Sources {
		var src otelbridge.Sources
		for _, b := range boards {
			src.Monitors = append(src.Monitors, newMonitor(t, b))
		}
		return src
	}
	named := func(name string) *board.Board { return board.New(board.WithName(name)) }
	prefix := func(p string) []otelbridge.Option { return []otelbridge.Option{otelbridge.WithNamePrefix(p)} }
	one := of(board.New())
	cases := []struct {
		name     string
		provider metric.MeterProvider
		src      otelbridge.Sources
		opts     []otelbridge.Option
		want     string // empty: accepted
	}{
		{name: "no provider", src: one, want: "meter provider nil: must not be nil"},
		{name: "a nil pointer", provider: (*sdkmetric.MeterProvider)(nil), src: one, want: "meter provider nil: must not be nil"},
		{name: "nothing to export", provider: provider, want: "sources empty: must hold a monitor, a tier set, a redundancy node or a guard"},
		{name: "a nil monitor", provider: provider, src: otelbridge.Sources{Monitors: []*liveness.Monitor{newMonitor(t, named("a")), nil}}, want: "monitor 1 nil: must not be nil"},
		{name: "two boards without a name", provider: provider, src: of(board.New(), board.New()), want: `board name "" of monitor 1: at most one board may have no name`},
		{name: "no board and one without a name", provider: provider, src: of(nil, board.New()), want: `board name "" of monitor 1: at most one`},
		{name: "two boards of one name", provider: provider, src: of(named("a"), named("b"), named("a")), want: `board name "a" of monitor 2: must be unique`},
		{name: "a name that breaks a scrape", provider: provider, src: of(named("a\xff")), want: `board name "a\xff": must be valid UTF-8`},
		{name: "a nil guard", provider: provider, src: otelbridge.Sources{Guards: []*resubscribe.Guard{newGuard(t, "a"), nil}}, want: "guard 1 nil: must not be nil"},
		{name: "a zero guard", provider: provider, src: otelbridge.Sources{Guards: []*resubscribe.Guard{{}}}, want: "guard 0 without a key: must be made by resubscribe.New"},
		{name: "two guards of one key", provider: provider, src: otelbridge.Sources{Guards: []*resubscribe.Guard{newGuard(t, "a"), newGuard(t, "b"), newGuard(t, "a")}}, want: `guard key "a" of guard 2: must be unique`},
		{name: "prefix without a separator", provider: provider, src: one, opts: prefix("otopcua"), want: `name prefix "otopcua": must be a letter`},
		{name: "prefix that begins with a digit", provider: provider, src: one, opts: prefix("1."), want: `name prefix "1.": must be a letter`},
		{name: "prefix with a space", provider: provider, src: one, opts: prefix("o pc."), want: `name prefix "o pc.": must be a letter`},
		{name: "prefix with a line", provider: provider, src: one, opts: prefix("o.\n"), want: `name prefix "o.\n": must be a letter`},
		{name: "prefix too long", provider: provider, src: one, opts: prefix(strings.Repeat("a", 200) + "."), want: "name prefix of 201 bytes: must be at most 200"},

		{name: "longest prefix", provider: provider, src: one, opts: prefix(strings.Repeat("a", 199) + ".")},
		{name: "shortest prefix", provider: provider, src: one, opts: prefix("o.")},
		{name: "no prefix", provider: provider, src: one, opts: append(prefix(""), nil)},
		{name: "no board", provider: provider, src: of(nil)},
		{name: "one without and others with a name", provider: provider, src: of(named("a"), board.New(), named("b"))},
		{name: "tiers alone", provider: provider, src: otelbridge.Sources{Tiers: tiers.New()}},
		{name: "redundancy alone", provider: provider, src: otelbridge.Sources{Redundancy: new(redundancy.Node)}},
		{name: "guards alone", provider: provider, src: otelbridge.Sources{Guards: []*resubscribe.Guard{newGuard(t, "a"), newGuard(t, "b")}}},
		{name: "no guard beside tiers", provider: provider, src: otelbridge.Sources{Tiers: tiers.New(), Guards: []*resubscribe.Guard{}}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			bridge, err := otelbridge.New(c.provider, c.src, c.opts...)
			switch {
			case c.want == "" && err != nil:
				t.Errorf("refused: %v", err)
			case c.want == "":
				must(t, bridge.Close())
			case err == nil || !strings.HasPrefix(err.Error(), "otelbridge: "+c.want):
				t.Errorf("error %v, want %q", err, c.want)
			case bridge != nil:
				t.Error("a bridge and an error")
			}
		})
	}
}

// TestNamePrefix puts every name behind the prefix, and the longest prefix
// within what the SDK takes.
func TestNamePrefix(t *testing.T) {
	for _, prefix := range []string{"otopcua.", "a_", strings.Repeat("a", 199) + "."} {
		b := board.New()
		b.MustRegister(board.Spec{ID: "orders"})
		r := newRig(t, otelbridge.Sources{Monitors: []*liveness.Monitor{newMonitor(t, b)}, Tiers: tiers.New()}, otelbridge.WithNamePrefix(prefix))
		s := r.collect(t)
		s.want(t, prefix+"liveness.processor.faults{processor=orders}", 0)
		for series := range s {
			if !strings.HasPrefix(series, prefix) {
				t.Errorf("%s: no prefix %s", series, prefix)
			}
		}
		if prefix == "otopcua." {
			r.gather(t).want(t, "otopcua_liveness_processor_faults_total{processor=orders}", 0)
		}
	}
}

// TestClose ends every series, once and for all, and leaves alone what another
// bridge of the provider exports.
func TestClose(t *testing.T) {
	b, other := board.New(board.WithName("a")), board.New(board.WithName("b"))
	b.MustRegister(board.Spec{ID: "orders"})
	other.MustRegister(board.Spec{ID: "orders"})
	reader := sdkmetric.NewManualReader()
	mp := sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))
	bridge, err := otelbridge.New(mp, otelbridge.Sources{Monitors: []*liveness.Monitor{newMonitor(t, b)}, Tiers: tiers.New()})
	must(t, err)
	_, err = otelbridge.New(mp, otelbridge.Sources{Monitors: []*liveness.Monitor{newMonitor(t, other)}})
	must(t, err)
	r := &rig{reader: reader}
	r.collect(t).want(t, "liveness.processor.faults{board=a,processor=orders}", 0)

	must(t, bridge.Close(), bridge.Close())
	s := r.collect(t)
	s.absent(t, "board=a")
	s.absent(t, "health.tier")
	s.want(t, "liveness.processor.faults{board=b,processor=orders}", 0)

	var none *otelbridge.Bridge
	must(t, none.Close(), new(otelbridge.Bridge).Close())
}
