package rival

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// answer asks a peer and returns the status code and the names that it told.
func answer(t *testing.T, p Peer) (code int, names []string) {
	t.Helper()
	w := httptest.NewRecorder()
	p.Handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/health", nil))
	var body map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil {
		t.Fatalf("%s: %v in %s", p.Name, err, w.Body)
	}
	entries := body
	switch p.Name {
	case "alexliesenfeld/health":
		entries, _ = body["details"].(map[string]any)
	case "hellofresh/health-go":
		entries, _ = body["failures"].(map[string]any)
	}
	return w.Code, slices.Sorted(maps.Keys(entries))
}

func TestPeersTellEveryCheck(t *testing.T) {
	names := []string{"audit", "database", "orders"}
	var made atomic.Int64
	peers, err := Peers(names, func(context.Context) error { made.Add(1); return nil })
	if err != nil {
		t.Fatal(err)
	}
	defer StopPeers(peers)
	for _, p := range peers {
		before := made.Load()
		code, told := answer(t, p)
		again := made.Load() - before
		if code != http.StatusOK {
			t.Errorf("%s: status %d, want 200", p.Name, code)
		}
		if p.Name == "hellofresh/health-go" {
			if again != int64(len(names)) || len(told) > 0 {
				t.Errorf("%s: made %d checks, told %v; want 3 and none", p.Name, again, told)
			}
			continue
		}
		if diff := cmp.Diff(names, told); diff != "" || again != 0 {
			t.Errorf("%s: made %d checks again, told (-want +got):\n%s", p.Name, again, diff)
		}
	}
}

func TestPeersFailWithTheirChecks(t *testing.T) {
	names := []string{"audit", "database"}
	peers, err := Peers(names, func(context.Context) error { return errors.New("away") })
	if err != nil {
		t.Fatal(err)
	}
	defer StopPeers(peers)
	for _, p := range peers {
		code, told := answer(t, p)
		if diff := cmp.Diff(names, told); code != http.StatusServiceUnavailable || diff != "" {
			t.Errorf("%s: status %d, want 503; told (-want +got):\n%s", p.Name, code, diff)
		}
	}
}

func TestPeersRefuseANameTwice(t *testing.T) {
	peers, err := Peers([]string{"orders", "orders"}, func(context.Context) error { return nil })
	if err == nil {
		StopPeers(peers)
		t.Error("two checks of one name were taken")
	}
}
