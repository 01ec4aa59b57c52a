package tiers_test

import (
	"context"
	"errors"
	"flag"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/tiers"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGoldenBodies holds the bytes of every tier's body: the fields, their
// order and their types are part of the API (S1.38-S1.42, S1.44).
func TestGoldenBodies(t *testing.T) {
	mock := fixedClock()
	s := tiers.New(tiers.WithClock(mock))
	must(t, s.AddReady("database", check.Func(func(context.Context) check.Result {
		mock.Add(11700 * time.Microsecond)
		return check.Result{Status: check.Healthy, Description: "SQL Server reachable"}
	})))
	s.Evaluate(t.Context(), tiers.Ready) // below, its result is reused while the clock stands still
	must(t,
		s.Register("node", answer(check.Healthy), tiers.TagReady, tiers.TagActive),
		s.AddActive("active-node", always(check.Result{
			Status: check.Unhealthy, Description: "10.0.0.2:4053 is active",
			Data: map[string]any{"selfAddress": "10.0.0.1:4053", "activeNode": "10.0.0.2:4053", "activeRole": "driver"},
		})),
		s.AddReady("everything", always(check.Result{
			Status: check.Degraded, Description: "<b>\"quoted\" & \u2028\xff</b>", Err: errors.New("password=hunter2"),
			Data: map[string]any{
				"bool": true, "nil": nil, "int": -1, "uint": uint64(math.MaxUint64), "float": 0.1, "nan": math.NaN(), "inf": math.Inf(-1),
				"duration": 90 * time.Second, "time": time.Unix(0, 0).UTC(), "strings": []string{"b", "a"}, "empty": []any{}, "none": []string(nil),
				"mixed": []any{1, "x", math.NaN(), func() {}}, "map": map[string]any{"z": 1, "a": map[string]any{}}, "func": func() {}, "err": errors.New("password=hunter2"),
				"struct": struct {
					B int `json:"b"`
					A int
				}{1, 2},
			},
		})),
		s.AddStartup("migrations", answer(check.Healthy)),
		s.AddWedged("loops", answer(check.Healthy)),
	)
	mux := mounted(t, s)
	for _, tier := range []struct{ name, path string }{
		{"ready", "/health/ready"}, {"active", "/health/active"}, {"live", "/healthz"}, {"wedged", "/health/wedged"}, {"startup", "/health/startup"},
	} {
		golden(t, tier.name, probe(mux, "GET", tier.path).Body.Bytes())
	}
	s.Drain()
	golden(t, "draining", probe(mux, "GET", "/health/active").Body.Bytes())
	golden(t, "specification", specification(t))
	golden(t, "status-only", probe(mounted(t, s, tiers.WithResponseWriter(tiers.WriteStatusOnly)), "GET", "/health/ready").Body.Bytes())
}

// golden compares with testdata/name.golden, or rewrites it with -update.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if *update {
		must(t, os.WriteFile(file, got, 0o644))
	}
	want, err := os.ReadFile(file)
	must(t, err)
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-update rewrites it): %s", file, diff)
	}
}

func always(r check.Result) check.Checker {
	return check.Func(func(context.Context) check.Result { return r })
}

// specification is the example of the specification, written by a handler of
// somebody's own (S1.43).
func specification(t *testing.T) []byte {
	t.Helper()
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tiers.WriteJSON(w, r, tiers.Report{
			Tier: tiers.Ready, Status: check.Healthy, Total: 12*time.Millisecond + 999*time.Microsecond,
			Entries: []tiers.Entry{
				{Name: "database", Status: check.Healthy, Description: "SQL Server reachable", Duration: 12 * time.Millisecond, Sampled: time.Now()},
				{Name: "akka-cluster", Status: check.Healthy, Description: "Member status: Up", Duration: 100 * time.Microsecond},
			},
		})
	})
	return probe(h, "GET", "/mine").Body.Bytes()
}
