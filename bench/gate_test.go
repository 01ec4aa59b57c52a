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
