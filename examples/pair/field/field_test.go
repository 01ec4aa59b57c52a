package field

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"

	"github.com/loopvitals/loopvitals/examples/pair/device"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func start(t *testing.T) (*Device, func(from string) *Client) {
	t.Helper()
	d := New()
	server := httptest.NewServer(d)
	t.Cleanup(server.Close)
	return d, func(from string) *Client {
		c := NewClient(server.Listener.Addr().String(), from)
		t.Cleanup(c.Close)
		return c
	}
}

func TestStaleTokensAreRefusedAndRemembered(t *testing.T) {
	d, dial := start(t)
	a, b := dial("a"), dial("b")
	if err := a.Advise(t.Context(), 4, "valve"); err != nil {
		t.Error(err)
	}
	if _, err := a.Write(t.Context(), 4, "valve", "1"); err != nil {
		t.Error(err)
	}
	if err := b.Advise(t.Context(), 9, "valve"); err != nil {
		t.Error(err)
	}
	// From the first word of the new owner on, and not from its first write.
	for range 2 {
		if _, err := a.Write(t.Context(), 4, "valve", "2"); !errors.Is(err, device.ErrStale) {
			t.Errorf("got %v", err)
		}
	}
	if err := a.Ack(t.Context(), 4, "valve"); !errors.Is(err, device.ErrStale) {
		t.Errorf("got %v", err)
	}
	if got := d.Item("valve"); got != "1" {
		t.Errorf("the item is %q", got)
	}
	journal, err := b.Journal(t.Context())
	if diff := cmp.Diff([]Entry{
		{Advise, 4, "a", true, 1},
		{Write, 4, "a", true, 1},
		{Advise, 9, "b", true, 1},
		{Write, 4, "a", false, 2},
		{Ack, 4, "a", false, 1},
	}, journal); diff != "" || err != nil {
		t.Errorf("%v, -want +got:\n%s", err, diff)
	}
}

func TestTrouble(t *testing.T) {
	d, dial := start(t)
	c := dial("a")
	if err := c.Trouble(t.Context(), Trouble{Advises: 1, Unconfirmed: 1, Bad: 1}); err != nil {
		t.Fatal(err)
	}
	if err := c.Advise(t.Context(), 1, "valve"); err == nil || !strings.Contains(err.Error(), "cannot advise") {
		t.Errorf("got %v", err)
	}
	if err := c.Advise(t.Context(), 1, "valve"); err != nil {
		t.Error(err)
	}
	for i, want := range [][]string{{"BadOutOfService"}, {}, {Good}} {
		got, err := c.Write(t.Context(), 1, "valve", "on")
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" || err != nil {
			t.Errorf("write %d: %v, %v", i, got, err)
		}
	}
	if d.Item("valve") != "on" {
		t.Error("not written")
	}
}

func TestWriteThatWasNotAdvised(t *testing.T) {
	d, dial := start(t)
	c := dial("a")
	statuses, err := c.Write(t.Context(), 1, "valve", "on")
	if diff := cmp.Diff([]string{Good}, statuses); diff != "" || err != nil {
		t.Errorf("%v, %v: the device is to say that all went well", statuses, err)
	}
	if got := d.Item("valve"); got != "" {
		t.Errorf("the item is %q", got)
	}
}

func TestBadRequests(t *testing.T) {
	for _, c := range []struct {
		method, path, token, body string
		want                      int
	}{
		{http.MethodPost, "/write?item=a", "", "", http.StatusBadRequest},
		{http.MethodPost, "/write?item=a", "0", "", http.StatusBadRequest},
		{http.MethodPost, "/write?item=a", "x", "", http.StatusBadRequest},
		{http.MethodPost, "/advise", "1", "", http.StatusBadRequest},
		{http.MethodPost, "/trouble", "", "{", http.StatusBadRequest},
		{http.MethodGet, "/write?item=a", "1", "", http.StatusNotFound},
		{http.MethodGet, "/", "1", "", http.StatusNotFound},
	} {
		d := New()
		w, r := httptest.NewRecorder(), httptest.NewRequest(c.method, c.path, strings.NewReader(c.body))
		r.Header.Set(device.TokenHeader, c.token)
		d.ServeHTTP(w, r)
		if w.Code != c.want || len(d.Journal()) != 0 {
			t.Errorf("%s %s with token %q: got %d and journal %v, want %d and nothing done", c.method, c.path, c.token, w.Code, d.Journal(), c.want)
		}
	}
}
