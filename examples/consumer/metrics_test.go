package main

import (
	"net/http"
	"strings"
	"testing"
)

// CASE-115: what left the board has left the metrics at the next scrape.
func TestMetricsFollowTheBoard(t *testing.T) {
	a, s := startTest(t)
	scrape := func() string {
		code, body, err := request(t.Context(), s.client, http.MethodGet, s.base+"/metrics")
		if err != nil || code != http.StatusOK {
			t.Fatalf("%d, %v", code, err)
		}
		return string(body)
	}
	eventually(t, "there is something to rebuild", func() bool { return a.accounts.booked() > 0 })
	must(t, s.post("/demo/wedge?processor="+rebuildKey))
	must(t, s.post("/demo/restart?processor="+rebuildKey))
	must(t, s.see(readyPath, unavailable(), reason(rebuildKey, "stuck")))
	must(t, s.scrape(`liveness_processor_rebuilding{processor="billing::rebuild::2"} 1`,
		`liveness_processor_reason{processor="billing::rebuild::2",reason="stuck"} 1`,
		`liveness_processor_reason{processor="audit",reason="running"} 1`))
	must(t, s.post("/demo/release?processor="+rebuildKey))
	must(t, s.see(readyPath, ok(), absent(rebuildKey)))
	if strings.Contains(scrape(), rebuildKey) {
		t.Error("the rebuild has left the board, and not the metrics")
	}
	// Neither a cause nor a description gets there.
	must(t, s.post("/demo/fault?processor=billing"))
	must(t, s.see(readyPath, unavailable(), reason(billingKey, "faulted")))
	must(t, s.scrape(`liveness_processor_faults_total{processor="billing"} 1`))
	if strings.Contains(scrape(), errTold.Error()) {
		t.Error("a cause is exported")
	}
}
