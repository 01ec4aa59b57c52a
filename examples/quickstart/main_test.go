package main

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestQuickStart runs the README's lines as they are and asks all three tiers
// over HTTP.
func TestQuickStart(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, listener) }()

	for path, entries := range map[string]int{"/health/ready": 2, "/health/active": 0, "/healthz": 0} {
		report := get(t, "http://"+listener.Addr().String()+path)
		if report.Status != "Healthy" || len(report.Entries) != entries {
			t.Errorf("%s: %s with %d entries, want Healthy with %d", path, report.Status, len(report.Entries), entries)
		}
	}

	stop()
	if err := <-ended; err != nil {
		t.Errorf("run ended with %v", err)
	}
}

type report struct {
	Status  string
	Entries map[string]struct{ Status string }
}

// get asks once the endpoint is mounted: the server listens before that.
func get(t *testing.T, url string) report {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		var got report
		err = json.NewDecoder(response.Body).Decode(&got)
		_ = response.Body.Close()
		if response.StatusCode == http.StatusNotFound {
			continue
		}
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s, %v", url, response.Status, err)
		}
		return got
	}
}
