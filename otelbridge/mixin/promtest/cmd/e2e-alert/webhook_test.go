package main

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestTheWebhookKeepsWhatIsPosted(t *testing.T) {
	w, err := startWebhook()
	if err != nil {
		t.Fatal(err)
	}
	defer w.stop()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	post := func(body string) int {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url(), strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		return response.StatusCode
	}
	begun := time.Now()
	code := post(`{"version": "4", "status": "firing", "receiver": "webhook", "alerts": [
		{"status": "resolved", "labels": {"alertname": "A", "job": "x"}, "annotations": {"summary": "s"}, "fingerprint": "f"},
		{"status": "firing", "labels": {"alertname": "A", "job": "y"}}]}`)
	if code != http.StatusOK || len(w.all()) != 2 {
		t.Fatalf("status %d, delivered %v", code, w.all())
	}
	for body, want := range map[string]int{"{": 400, `{"alerts": "none"}`: 400, `{"alerts": []}`: 200} {
		if got := post(body); got != want || len(w.all()) != 2 {
			t.Errorf("%.30s: status %d, want %d, delivered %d", body, got, want, len(w.all()))
		}
	}
	d, found := w.find(begun, "resolved", named("A").with("job", "x"))
	if !found || d.Annotations["summary"] != "s" || d.at.Before(begun) {
		t.Errorf("found %v: %v", found, d)
	}
	for name, missing := range map[string]func() (delivery, bool){
		"status": func() (delivery, bool) { return w.find(begun, "resolved", named("A").with("job", "y")) },
		"name":   func() (delivery, bool) { return w.find(begun, "firing", named("B")) },
		"label":  func() (delivery, bool) { return w.find(begun, "firing", named("A").with("board", "b")) },
		"time":   func() (delivery, bool) { return w.find(time.Now(), "firing", named("A")) },
	} {
		if d, found := missing(); found {
			t.Errorf("another %s is taken for it: %v", name, d)
		}
	}
}
