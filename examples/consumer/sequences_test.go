package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
)

// Whatever is done to a processor, and in whatever state it is: each knob
// answers 200, or 409 with a reason, the process lives on, and the processor
// can be brought back.
func TestActionSequences(t *testing.T) {
	sequences := []string{
		"standby fault resume",
		"fault standby restart",
		"fault resume restart",
		"fault fault restart",
		"fault restart fault",
		"fault restart standby fault resume",
		"wedge standby fault resume release",
		"wedge fault restart release",
		"standby standby resume resume standby",
		"standby wedge resume standby release",
	}
	for _, key := range []string{ordersKey, billingKey, auditKey, rebuildKey} {
		t.Run(key, func(t *testing.T) {
			t.Parallel()
			_, s := startTest(t)
			for _, sequence := range sequences {
				for action := range strings.FieldsSeq(sequence) {
					turn(t, s, action, key)
					hold := 100 * time.Millisecond // for orders to come in
					if action == "standby" {
						hold = 400 * time.Millisecond // for the lease to move
					}
					must(t, s.keep(hold, livePath, ok()))
				}
				eventually(t, key+" is brought back", func() bool {
					for _, action := range []string{"release", "restart", "resume"} {
						turn(t, s, action, key)
					}
					r, err := probe(t.Context(), s.client, s.base+readyPath)
					must(t, err)
					return r.Code == http.StatusOK && (key == rebuildKey || works(key).got(r) == "")
				})
			}
		})
	}
}

// turn turns a knob that may be refused.
func turn(t *testing.T, s *stage, action, key string) {
	t.Helper()
	code, body, err := request(t.Context(), s.client, http.MethodPost, s.base+"/demo/"+action+"?processor="+key)
	must(t, err)
	var a answer
	if err := json.Unmarshal(body, &a); err != nil {
		t.Fatalf("%s %s: %v in %q", action, key, err, body)
	}
	switch {
	case code == http.StatusOK && a.OK && a.Done != "":
	case code == http.StatusConflict && !a.OK && a.Error != "":
	default:
		t.Fatalf("%s %s: %d %s", action, key, code, body)
	}
}
