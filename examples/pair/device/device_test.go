package device

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func start(t *testing.T, d *Device) *Client {
	t.Helper()
	server := httptest.NewServer(d)
	c := NewClient(server.Listener.Addr().String())
	t.Cleanup(func() {
		c.Close()
		server.Close()
	})
	return c
}

func TestTokens(t *testing.T) {
	type write struct {
		token uint64
		from  string
	}
	writes := []write{{4, "a"}, {4, "a"}, {9, "b"}, {4, "a"}, {4, "a"}, {9, "b"}}
	for _, c := range []struct {
		name     string
		trusting bool
		journal  []Run
	}{
		{name: "a smaller token is refused", journal: []Run{
			{Token: 4, From: "a", Accepted: true, Writes: 2},
			{Token: 9, From: "b", Accepted: true, Writes: 1},
			{Token: 4, From: "a", Writes: 2},
			{Token: 9, From: "b", Accepted: true, Writes: 1},
		}},
		{name: "unless the device trusts", trusting: true, journal: []Run{
			{Token: 4, From: "a", Accepted: true, Writes: 2},
			{Token: 9, From: "b", Accepted: true, Writes: 1},
			{Token: 4, From: "a", Accepted: true, Writes: 2},
			{Token: 9, From: "b", Accepted: true, Writes: 1},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			client := start(t, &Device{Trusting: c.trusting})
			for i, w := range writes {
				err := client.Write(t.Context(), w.token, w.from)
				if stale := i == 3 || i == 4; errors.Is(err, ErrStale) != (stale && !c.trusting) || (!stale && err != nil) {
					t.Errorf("write %d: %v", i, err)
				}
			}
			got, err := client.Journal(t.Context())
			if diff := cmp.Diff(c.journal, got); diff != "" || err != nil {
				t.Errorf("%v, journal -want +got:\n%s", err, diff)
			}
		})
	}
}

func TestBadRequests(t *testing.T) {
	for _, c := range []struct {
		method, path, token string
		want                int
	}{
		{http.MethodPost, "/write", "", http.StatusBadRequest},
		{http.MethodPost, "/write", "0", http.StatusBadRequest},
		{http.MethodPost, "/write", "-1", http.StatusBadRequest},
		{http.MethodPost, "/write", "x", http.StatusBadRequest},
		{http.MethodGet, "/write", "1", http.StatusNotFound},
		{http.MethodPost, "/journal", "1", http.StatusNotFound},
		{http.MethodGet, "/", "1", http.StatusNotFound},
	} {
		d := &Device{}
		w, r := httptest.NewRecorder(), httptest.NewRequest(c.method, c.path, http.NoBody)
		r.Header.Set(TokenHeader, c.token)
		d.ServeHTTP(w, r)
		if w.Code != c.want || len(d.Journal()) != 0 {
			t.Errorf("%s %s with token %q: got %d and journal %v, want %d and nothing written", c.method, c.path, c.token, w.Code, d.Journal(), c.want)
		}
	}
}

func TestClientErrors(t *testing.T) {
	client := start(t, &Device{})
	if err := client.Write(t.Context(), 0, "a"); err == nil || !strings.Contains(err.Error(), "must be a number above 0") {
		t.Errorf("without a token: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := client.Write(ctx, 1, "a"); !errors.Is(err, context.Canceled) {
		t.Errorf("after the tenure: %v", err)
	}
}
