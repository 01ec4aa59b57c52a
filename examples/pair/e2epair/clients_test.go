//go:build linux

package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/check/redundancy"
)

func TestAnswersSince(t *testing.T) {
	w := &writer{}
	for i, what := range []string{"a", "a", "b", "c", "c", "b"} { // at 10, 20, …
		w.note(answer{int64(10 * (i + 1)), what})
	}
	for since, want := range map[int64]string{0: "abcb", 25: "abcb", 35: "bcb", 61: "b"} {
		if got := strings.Join(words(w.since(since)), ""); got != want {
			t.Errorf("since %d: got %s, want %s", since, got, want)
		}
	}
	if w.count("c") != 2 || w.count("d") != 0 {
		t.Errorf("counted %d and %d", w.count("c"), w.count("d"))
	}
}

func TestWriteAnswers(t *testing.T) {
	var code int
	var body string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
		_, _ = w.Write([]byte(body))
	}))
	defer server.Close()
	client := &http.Client{Transport: &http.Transport{}, Timeout: 10 * time.Second}
	defer client.CloseIdleConnections()
	for _, c := range []struct {
		code int
		body string
		want string
	}{
		{http.StatusOK, `{"status":"Good"}`, accepted},
		{http.StatusServiceUnavailable, `{"status":"Unhealthy","error":"not primary (role unknown)"}`, roleUnknown},
		{http.StatusServiceUnavailable, `{"status":"Unhealthy","error":"not primary"}`, notPrimary},
		{http.StatusBadGateway, `{"status":"BadCommunicationError"}`, bad},
	} {
		code, body = c.code, c.body
		if got := write(t.Context(), client, server.URL); got != c.want {
			t.Errorf("%d %s: got %q, want %q", c.code, c.body, got, c.want)
		}
	}
	server.Close()
	if got := write(t.Context(), client, server.URL); got != unreachable {
		t.Errorf("got %q", got)
	}
}

func TestInOrder(t *testing.T) {
	all := []string{"a", "b", "c", "b"}
	for words, want := range map[string]bool{"": true, "a": true, "a c": true, "c b": true, "b b": true, "c a": false, "d": false} {
		if got := inOrder(all, strings.Fields(words)...); got != want {
			t.Errorf("%q: got %v", words, got)
		}
	}
}

// heard is a bus that keeps what was published last.
type heard struct {
	redundancy.Bus
	last []byte
}

func (h *heard) Publish(_ context.Context, _ string, message []byte) error {
	h.last = slices.Clone(message)
	return nil
}

func TestCalendar(t *testing.T) {
	below := &heard{}
	c := &calendar{Bus: below}
	const message = `{"v":1,"builder":"a:1","builtAt":"2026-01-02T03:04:05Z","nodes":[{"node":"a:1","role":"primary"}]}`
	set := func(by string, code int, moved string) {
		t.Helper()
		w := httptest.NewRecorder()
		c.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, calendarPath+"?by="+by, http.NoBody))
		if w.Code != code || code == http.StatusOK && w.Body.String() != moved {
			t.Errorf("%s: got %d %s", by, w.Code, w.Body)
		}
	}
	published := func() map[string]any {
		t.Helper()
		if err := c.Publish(t.Context(), "snapshot", []byte(message)); err != nil {
			t.Fatal(err)
		}
		var fields map[string]any
		if err := json.Unmarshal(below.last, &fields); err != nil {
			t.Fatal(err)
		}
		return fields
	}
	published()
	if string(below.last) != message {
		t.Errorf("a right calendar has made %s", below.last)
	}
	set("-40s", http.StatusOK, "0")
	got := published()
	if got["builtAt"] != "2026-01-02T03:03:25Z" || got["builder"] != "a:1" || len(got) != 4 {
		t.Errorf("got %v", got)
	}
	set("1h", http.StatusOK, "1")
	if got := published(); got["builtAt"] != "2026-01-02T04:04:05Z" {
		t.Errorf("got %v", got)
	}
	set("soon", http.StatusBadRequest, "")
}
