package main

import (
	"bytes"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestArguments are refused before anything is played.
func TestArguments(t *testing.T) {
	for _, args := range [][]string{{"-faster", "0"}, {"-faster", "21"}, {"-faster", "much"}, {"more"}, {"-unknown"}} {
		var out, errs bytes.Buffer
		if err := command(t.Context(), args, &out, &errs); err == nil || out.Len() > 0 {
			t.Errorf("%s: %v, printed %q", strings.Join(args, " "), err, out.String())
		}
	}
}
