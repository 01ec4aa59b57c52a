package main

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/loopvitals/loopvitals/bench"
)

// gate returns one that measures the value and notes the rounds asked for.
func gate(id string, value, bound float64, rounds *int) bench.Gate {
	return bench.Gate{ID: id, Name: "case/base", Bound: bound, Measure: func(s bench.Settings) (bench.Figure, error) {
		if rounds != nil {
			*rounds = s.Rounds
		}
		return bench.Figure{Value: value}, nil
	}}
}

func broken(id string) bench.Gate {
	return bench.Gate{ID: id, Name: "case/base", Bound: 1, Measure: func(bench.Settings) (bench.Figure, error) {
		return bench.Figure{}, errors.New("no CPU")
	}}
}

func TestMain(m *testing.M) {
	pause = 0
	os.Exit(m.Run())
}

func TestRun(t *testing.T) {
	minimum := gate("P4", 7, 8, nil)
	minimum.Min = true
	all := []bench.Gate{gate("P1", 1, 1.2, nil), gate("P2", 1.5, 1.2, nil), broken("P3"), minimum}
	for _, tt := range []struct {
		name, args   string
		status       int
		out, errText string
	}{
		{"one that holds", "-only P1", 0, "P1 case/base 1.00 <= 1.20 ok\n", ""},
		{"one that falls short", "-only P2", 1, "P2 case/base 1.50 <= 1.20 FAIL: 0.3 over the bound\n", ""},
		{"one that cannot be measured", "-only P3", 1, "P3 case/base FAIL: no CPU\n", ""},
		{
			"all of them, all measured", "", 1,
			"P1 case/base 1.00 <= 1.20 ok\nP2 case/base 1.50 <= 1.20 FAIL: 0.3 over the bound\n" +
				"P3 case/base FAIL: no CPU\nP4 case/base 7.00 >= 8.00 FAIL: 1 short of the bound\n", "",
		},
		{
			"the list", "-list -only P3,P4", 0,
			"P3 case/base at most 1.00\nP4 case/base at least 8.00\n", "",
		},
		{"both sides", "-v -only P1", 0, "P1 case/base 1.00 <= 1.20 ok\n     1.000 [0.000 0.000], 0.0 / 0.0 ns\n", ""},
		{"an unknown gate", "-only P1,P9", 2, "", `gates: only "P9": no such gate, see -list`},
		{"an argument", "P1", 2, "", `gates: argument "P1": none is taken`},
		{"an unknown flag", "-all", 2, "", "flag provided but not defined: -all"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out, errs strings.Builder
			if got := run(all, strings.Fields(tt.args), &out, &errs); got != tt.status {
				t.Errorf("status %d, want %d", got, tt.status)
			}
			if out.String() != tt.out {
				t.Errorf("output %q, want %q", out.String(), tt.out)
			}
			if !strings.HasPrefix(errs.String(), tt.errText) || (tt.errText == "" && errs.Len() > 0) {
				t.Errorf("errors %q, want %q", errs.String(), tt.errText)
			}
		})
	}
}

func TestRunPassesTheRounds(t *testing.T) {
	var rounds int
	run([]bench.Gate{gate("P1", 1, 1.2, &rounds)}, []string{"-rounds", "7"}, &strings.Builder{}, &strings.Builder{})
	if rounds != 7 {
		t.Errorf("%d rounds, want 7", rounds)
	}
}

func TestWarning(t *testing.T) {
	for loadavg, want := range map[string]string{
		"":                             "",
		"busy":                         "",
		"1.00 2.00 3.00 1/100 4711\n":  "",
		"1.01 0.00 0.00 1/100 4711\n":  "gates: load average 1.01: figures are only good when nothing else runs\n",
		"14.15 8.09 3.76 1/100 4711\n": "gates: load average 14.15: figures are only good when nothing else runs\n",
	} {
		if got := warning([]byte(loadavg)); got != want {
			t.Errorf("%q: %q, want %q", loadavg, got, want)
		}
	}
}

// TestRunTriesAgain: a figure that another load on the host has spoilt is taken
// again after all the others, five times in all.
func TestRunTriesAgain(t *testing.T) {
	calm := func(id string, after int) bench.Gate {
		tried := 0
		return bench.Gate{ID: id, Name: "case/base", Bound: 1, Measure: func(bench.Settings) (bench.Figure, error) {
			if tried++; tried < after {
				return bench.Figure{Value: 2}, nil
			}
			return bench.Figure{Value: 1}, nil
		}}
	}
	for _, row := range []struct {
		after, status int
		want          string
	}{
		{1, 0, "P1 case/base 1.00 <= 1.00 ok\nP2 case/base 1.00 <= 1.00 ok\n"},
		{2, 0, "P2 case/base 1.00 <= 1.00 ok\nP1 case/base 1.00 <= 1.00 ok (try 2)\n"},
		{12, 0, "P2 case/base 1.00 <= 1.00 ok\nP1 case/base 1.00 <= 1.00 ok (try 12)\n"},
		{13, 1, "P2 case/base 1.00 <= 1.00 ok\nP1 case/base 2.00 <= 1.00 FAIL: 1 over the bound\n"},
	} {
		var out strings.Builder
		status := run([]bench.Gate{calm("P1", row.after), calm("P2", 1)}, nil, &out, &strings.Builder{})
		if status != row.status || out.String() != row.want {
			t.Errorf("calm after %d: status %d, output %q, want %d, %q", row.after, status, out.String(), row.status, row.want)
		}
	}
}
