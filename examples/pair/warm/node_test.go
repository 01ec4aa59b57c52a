package warm

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/check/redundancy"
	"github.com/loopvitals/loopvitals/examples/pair/alarm"
	"github.com/loopvitals/loopvitals/examples/pair/freeport"
)

// node is one that nothing it needs is there for, and that was not started.
func node(t *testing.T) *Node {
	t.Helper()
	nobody, err := freeport.Address("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	return nodeOn(t, nobody, nobody, nobody)
}

// nodeOn is a node with a NATS, and with nobody where its device and its database
// should be.
func nodeOn(t *testing.T, nats, listen, nobody string) *Node {
	t.Helper()
	o, err := parse("-address 127.0.0.1:4053 -listen "+listen+" -engine "+nats+" -bus "+nats+" -device "+nobody+" -database postgres://"+nobody+"/x", "")
	if err != nil {
		t.Fatal(err)
	}
	c, disconnect, err := o.Connect(slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(disconnect)
	n, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	})
	return n
}

func ask(t *testing.T, n *Node, method, target string) (int, string) {
	t.Helper()
	w := httptest.NewRecorder()
	n.Handler.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, target, http.NoBody))
	body, err := io.ReadAll(w.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	return w.Code, string(body)
}

func TestNodeBeforeItIsAMember(t *testing.T) {
	n := node(t)
	for _, c := range []struct {
		method, target string
		code           int
		body           string
	}{
		{http.MethodGet, "/service-level", http.StatusServiceUnavailable, `"serviceLevel":0`},
		{http.MethodPost, "/write?item=valve&value=1", http.StatusServiceUnavailable, `"not primary (role unknown)"`},
		{http.MethodPost, "/ack?tag=a", http.StatusNotFound, "must be that of an active alarm"},
		{http.MethodGet, "/alarms", http.StatusOK, `{"seq":0,"alarms":{},"pending":0}`},
		{http.MethodGet, "/health/active", http.StatusServiceUnavailable, "starting"},
		{http.MethodGet, "/healthz", http.StatusOK, "Healthy"},
	} {
		if code, body := ask(t, n, c.method, c.target); code != c.code || !strings.Contains(body, c.body) {
			t.Errorf("%s %s: got %d %s, want %d and %s", c.method, c.target, code, body, c.code, c.body)
		}
	}
	_, metrics := ask(t, n, http.MethodGet, "/metrics")
	for _, line := range []string{
		`redundancy_primary_gate_denied_total{reason="role-unknown",site="write"} 1`,
		`redundancy_primary_gate_denied_total{reason="secondary",site="history"} 0`,
		"galaxy_writes_advise_failed_total 0",
		"galaxy_writes_unconfirmed_total 0",
		`otopcua_opcua_apply_failed_total{kind="nodes"} 0`,
	} {
		if !strings.Contains(metrics, line+"\n") {
			t.Errorf("no line %q in\n%s", line, metrics)
		}
	}
}

// TestAckIsTakenInEverywhere: the gate is between the node and the device, and not
// between the operator and the node (S4.33).
func TestAckIsTakenInEverywhere(t *testing.T) {
	n := node(t)
	n.alarms.Take(1, alarm.Reading{Tag: "pressure", Value: 90})
	if code, body := ask(t, n, http.MethodPost, "/ack?tag=pressure"); code != http.StatusOK || !strings.Contains(body, `"not told"`) {
		t.Errorf("got %d %s", code, body)
	}
	if _, body := ask(t, n, http.MethodGet, "/alarms"); !strings.Contains(body, `"acknowledged":true`) {
		t.Errorf("got %s", body)
	}
	for _, d := range n.Redundancy.State().Denials {
		if d.Site == redundancy.SiteAck && d.Reason == redundancy.DeniedRoleUnknown && d.Count != 1 {
			t.Errorf("counted %d denials, want 1", d.Count)
		}
	}
}

func TestDeployWithoutADatabase(t *testing.T) {
	n := node(t)
	if code, body := ask(t, n, http.MethodPost, "/deploy"); code != http.StatusInternalServerError || strings.Contains(body, "connect") {
		t.Errorf("got %d %s, want a failure without its cause", code, body)
	}
	if _, metrics := ask(t, n, http.MethodGet, "/metrics"); !strings.Contains(metrics, `otopcua_opcua_apply_failed_total{kind="rebuild"} 1`) {
		t.Errorf("not counted:\n%s", metrics)
	}
}

// TestAlarmsNeedNoDatabase: on a plant that is new, with its database away.
func TestAlarmsNeedNoDatabase(t *testing.T) {
	address := server(t)
	s, ctx := streams(t, address)
	listen, err := freeport.Address("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	nobody, err := freeport.Address("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	n := nodeOn(t, address, listen, nobody)
	running, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- n.Run(running) }()
	measure := func() bool {
		limited, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		_, err := s.Measure(limited, alarm.Reading{Tag: "pressure", Value: 90})
		return err == nil
	}
	raised := func() bool {
		_, alarms := n.alarms.Snapshot()
		return alarms["pressure"].Active
	}
	for !measure() && ctx.Err() == nil {
		wait(ctx, pace)
	}
	for !raised() && ctx.Err() == nil {
		wait(ctx, pace)
	}
	if !raised() {
		t.Error("no alarm was raised")
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
