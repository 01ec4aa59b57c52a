package main

import (
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

func TestControlAnswers(t *testing.T) {
	_, s := startTest(t)
	cases := []struct {
		method, path string
		code         int
		says         string
	}{
		{"POST", "/demo/wedge?processor=nobody", 404, "unknown processor"},
		{"POST", "/demo/wedge", 404, "audit, billing, billing::rebuild::2, orders"},
		{"POST", "/demo/explode?processor=orders", 404, "unknown action"},
		{"POST", "/demo/", 404, "unknown action"},
		{"GET", "/demo/wedge?processor=orders", 405, "use POST"},
		{"GET", "/demo/db-down", 405, "use POST"},
		{"HEAD", "/demo/db-down", 405, ""},
		{"DELETE", "/demo/nothing", 405, "use POST"},
		{"POST", "/demo/lag?processor=orders&n=many", 400, "whole number"},
		{"POST", "/demo/lag?processor=orders&n=9223372036854775808", 400, "whole number"},
		{"POST", "/demo/restart?processor=orders", 409, "not faulted"},
		{"POST", "/demo/resume?processor=orders", 409, "not on standby"},
		{"POST", "/demo/standby?processor=billing::rebuild::2", 409, "not running"},
		{"POST", "/demo/freeze?processor=billing", 409, "does not poll"},
		{"POST", "/demo/freeze?processor=billing::rebuild::2", 409, "does not poll"},
		{"POST", "/demo/release?processor=orders", 200, "goes on"},
		{"POST", "/demo/db-up", 200, "back"},
	}
	for _, c := range cases {
		t.Run(c.method+" "+c.path, func(t *testing.T) {
			req, err := http.NewRequestWithContext(t.Context(), c.method, s.base+c.path, nil)
			must(t, err)
			res, err := s.client.Do(req)
			must(t, err)
			defer res.Body.Close()
			if res.StatusCode != c.code {
				t.Errorf("status %d, want %d", res.StatusCode, c.code)
			}
			if got := res.Header.Get("Content-Type"); got != "application/json" {
				t.Errorf("content type %q", got)
			}
			if allow := res.Header.Get("Allow"); (allow == "POST") != (c.code == 405) {
				t.Errorf("Allow %q", allow)
			}
			if c.method == "HEAD" {
				return
			}
			var a answer
			if err := json.NewDecoder(res.Body).Decode(&a); err != nil {
				t.Fatal(err)
			}
			if text := a.Done + a.Error; !strings.Contains(text, c.says) || a.OK != (c.code == 200) {
				t.Errorf("answer %+v, want %q", a, c.says)
			}
		})
	}
	// Whatever was refused changed nothing.
	must(t, s.see(readyPath, ok(), works(ordersKey, billingKey, auditKey)))
}

// A page in a browser that posts to loopback must not reach the knobs.
func TestControlRefusesOtherSites(t *testing.T) {
	_, s := startTest(t)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.base+"/demo/db-down", nil)
	must(t, err)
	req.Header.Set("Origin", "https://example.org")
	res, err := s.client.Do(req)
	must(t, err)
	defer res.Body.Close()
	if res.StatusCode != http.StatusForbidden {
		t.Errorf("status %d, want 403", res.StatusCode)
	}
	must(t, s.see(readyPath, ok(), entry("database", "Healthy")))
}

func TestLagKnob(t *testing.T) {
	_, s := startTest(t)
	lagIs := func(id string, n float64) expectation {
		return expect("lag "+strconv.FormatFloat(n, 'f', -1, 64), func(r report) string {
			p, _ := r.processor(id)
			return unless(p.Lag == n, "lag %v", p.Lag)
		})
	}
	for n, shown := range map[int64]float64{900: 900, 0: 0, -5: 0, math.MinInt64: 0, math.MaxInt64: 1<<53 - 1} {
		must(t, s.post("/demo/lag?processor=orders&n="+strconv.FormatInt(n, 10)))
		// No lag alarms by itself, however absurd it is.
		must(t, s.see(readyPath, ok(), entry("processors", "Healthy"), lagIs(ordersKey, shown)))
	}
	must(t, s.post("/demo/lag?processor=billing&n=77"))
	must(t, s.see(readyPath, ok(), lagIs(billingKey, 77)))
	must(t, s.post("/demo/lag?processor=orders"))
	must(t, s.see(readyPath, ok(), lagBelow(ordersKey, 500)))
}
