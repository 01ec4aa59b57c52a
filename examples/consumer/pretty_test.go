package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPrettyChangesWhiteSpaceOnly(t *testing.T) {
	bodies := []string{
		`{}`, `[]`, `null`, `{"a":{}}`, `{"a":[],"b":{}}`,
		`{"status":"Healthy","entries":{"a":{"description":"a, b: {c} \"d\" \\","data":{"list":[{"x":1},{"y":[1,2,3]}],"total":2}}}}`,
		`{"` + strings.Repeat("k", 200) + `":["` + strings.Repeat("v", 200) + `",{"a":1}]}`,
	}
	for _, body := range bodies {
		for _, width := range []int{1, 20, 40, 200} {
			text := pretty([]byte(body), "  ", width)
			var back bytes.Buffer
			if err := json.Compact(&back, []byte(text)); err != nil {
				t.Fatalf("width %d: %v\n%s", width, err, text)
			}
			if back.String() != body {
				t.Errorf("width %d: got %s, want %s", width, back.String(), body)
			}
		}
	}
}

func TestPrettyFillsLines(t *testing.T) {
	got := pretty([]byte(`{"status":"Unhealthy","entries":{"database":{"status":"Healthy"},"nats":{"status":"Healthy"},`+
		`"processors":{"status":"Unhealthy","data":{"omitted":0,"processors":[{"id":"orders","lag":0,"reason":"stuck","state":"busy","status":"Unhealthy","worker":"a"}],"total":1}}}}`), "  ", 96)
	want := `  {"status": "Unhealthy", "entries": {
    "database": {"status": "Healthy"},
    "nats": {"status": "Healthy"},
    "processors": {"status": "Unhealthy", "data": {"omitted": 0, "processors": [
      {"id": "orders", "lag": 0, "reason": "stuck", "state": "busy", "status": "Unhealthy",
        "worker": "a"}
    ], "total": 1}}
  }}`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("layout (-want +got):\n%s\n%s", diff, got)
	}
}

func TestPrettyLeavesWhatIsNoJSON(t *testing.T) {
	if got := pretty([]byte("404 page not found"), "  ", 80); got != "  404 page not found" {
		t.Errorf("got %q", got)
	}
}
