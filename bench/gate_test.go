package bench

import (
	"math"
	"testing"
)

func TestGateCheck(t *testing.T) {
	most := Gate{Bound: 1.2}
	least := Gate{Bound: 20, Min: true}
	clean := Gate{Bound: 1.2, NoAllocs: true}
	for _, tt := range []struct {
		name string
		gate Gate
		fig  Figure
		want string
	}{
		{"below a maximum", most, Figure{Value: 1}, ""},
		{"at a maximum", most, Figure{Value: 1.2}, ""},
		{"over a maximum", most, Figure{Value: 1.3}, "0.1 over the bound"},
		{"over a minimum", least, Figure{Value: 21}, ""},
		{"at a minimum", least, Figure{Value: 20}, ""},
		{"short of a minimum", least, Figure{Value: 18}, "2 short of the bound"},
		{"not a number, maximum", most, Figure{Value: math.NaN()}, "NaN over the bound"},
		{"not a number, minimum", least, Figure{Value: math.NaN()}, "NaN short of the bound"},
		{"allocates, and may", most, Figure{Value: 1, Allocs: 1}, ""},
		{"allocates, and may not", clean, Figure{Value: 1, Allocs: 2}, "2 allocations, want none"},
	} {
		got := ""
		if err := tt.gate.Check(tt.fig); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestGateLine(t *testing.T) {
	for _, tt := range []struct {
		gate  Gate
		value float64
		want  string
	}{
		{Gate{ID: "P1", Name: "beat/limit", Bound: 1.2}, 1.014, "P1 beat/limit 1.01 <= 1.20"},
		{Gate{ID: "P15", Name: "dictionary/ours", Bound: 20, Min: true}, 71.06, "P15 dictionary/ours 71.06 >= 20.00"},
		{Gate{ID: "P26", Name: "bytes", Bound: 450}, 384.4, "P26 bytes 384 <= 450"},
	} {
		if got := tt.gate.Line(Figure{Value: tt.value}); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

// The gates are a promise: none may vanish or be loosened by an edit that
// meant something else.
func TestGatesAreTheAgreedOnes(t *testing.T) {
	want := map[string][]float64{
		"P1": {1.20}, "P2": {1.45}, "P2b": {1.12, 1.12}, "P4": {5}, "P5": {0.5},
		"P6": {8, 15}, "P7": {40}, "P8": {3.5}, "P9": {1.3},
		"P10": {3.5}, "P11": {1.15}, "P12": {1.7}, "P13": {1.2},
		"P14": {3, 3}, "P15": {20}, "P16": {40, 40}, "P17": {100}, "P18": {1.3}, "P20": {4}, "P21": {8},
		"P22": {20}, "P24": {10}, "P25": {1}, "P26": {450, 450}, "P27": {1.20, 1.08},
	}
	atLeast := map[string]bool{"P6": true, "P7": true, "P8": true, "P9": true, "P10": true, "P12": true, "P15": true, "P16": true, "P17": true, "P20": true, "P21": true, "P22": true, "P24": true}
	noAllocs := map[string]bool{"P1": true, "P2": true, "P14": true, "P18": true}
	got := map[string][]float64{}
	for _, g := range Gates() {
		got[g.ID] = append(got[g.ID], g.Bound)
		if g.Min != atLeast[g.ID] {
			t.Errorf("%s: minimum %v, want %v", g.ID, g.Min, atLeast[g.ID])
		}
		if noAllocs[g.ID] && !g.NoAllocs {
			t.Errorf("%s: allocations are allowed", g.ID)
		}
		if g.Name == "" || g.Measure == nil {
			t.Errorf("%s: name %q, measured %v", g.ID, g.Name, g.Measure != nil)
		}
	}
	for id, bounds := range want {
		if len(got[id]) != len(bounds) {
			t.Errorf("%s: bounds %v, want %v", id, got[id], bounds)
			continue
		}
		for i := range bounds {
			if got[id][i] != bounds[i] {
				t.Errorf("%s: bounds %v, want %v", id, got[id], bounds)
			}
		}
		delete(got, id)
	}
	if len(got) > 0 {
		t.Errorf("gates without a place in this table: %v", got)
	}
}
