package tiers_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/tiers"
)

// get prints what a probe of path is answered.
func get(h http.Handler, path string) {
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, path, http.NoBody))
	fmt.Println(path, rec.Code, rec.Body)
}

// A database that is down takes the node out of load balancing, and does not
// have it restarted. The cause is for the log; clients see the author's words.
func Example() {
	health := tiers.New()
	mux := http.NewServeMux()
	err := errors.Join(
		health.AddReady("database", check.Ping(func(context.Context) error {
			return errors.New("dial tcp 10.0.0.7:5432: connection refused")
		})),
		health.Mount(mux),
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, path := range []string{"/health/ready", "/health/active", "/healthz"} {
		rec := httptest.NewRecorder()
		mux.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, path, http.NoBody))
		fmt.Println(path, rec.Code)
	}
	// Output:
	// /health/ready 503
	// /health/active 200
	// /healthz 200
}

// One check can be on several tiers; the live tier takes none.
func ExampleSet_Register() {
	health := tiers.New()
	node := check.Func(func(context.Context) check.Result { return check.Result{Status: check.Healthy} })
	fmt.Println(health.Register("node", node, tiers.TagReady, tiers.TagActive))
	fmt.Println(health.Register("node again", node, tiers.TagLive))
	// Output:
	// <nil>
	// tiers: tag "live": the live tier takes no checks: known tags are ready, active, startup, wedged (check "node again")
}

// A process that is told to stop says so before it stops serving.
func ExampleSet_Drain() {
	health := tiers.New()
	ready := health.Handler(tiers.Ready, tiers.WithResponseWriter(tiers.WriteStatusOnly))
	get(ready, "/health/ready")
	health.Drain()
	get(ready, "/health/ready")
	// Output:
	// /health/ready 200 {"status":"Healthy"}
	// /health/ready 503 {"status":"Unhealthy"}
}

// A port that strangers reach gets a handler of its own, which tells nothing but
// the status.
func ExampleSet_Endpoints() {
	health := tiers.New()
	public, err := health.Endpoints(
		tiers.WithReadyPath("/ready"),
		tiers.WithResponseWriter(tiers.WriteStatusOnly),
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	get(public, "/ready")
	get(public, "/metrics")
	// Output:
	// /ready 200 {"status":"Healthy"}
	// /metrics 404 {"error":"not found"}
}

// A load balancer that wants a plain word gets one from a writer of your own.
// The status code needs no care: it is the report's until another is set.
func ExampleWithResponseWriter() {
	health := tiers.New()
	_ = health.AddReady("disk", check.Func(func(context.Context) check.Result {
		return check.Result{Status: check.Degraded, Description: "91% full"}
	}))
	word := func(w http.ResponseWriter, _ *http.Request, report tiers.Report) {
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, report.Status.String())
	}
	get(health.Handler(tiers.Ready, tiers.WithResponseWriter(word)), "/health/ready")
	// Output:
	// /health/ready 200 Degraded
}

// lease is a gate: any type with an IsActive method is one.
type lease struct{ held bool }

func (l *lease) IsActive() bool { return l.held }

// Only the node that holds the lease takes orders.
func ExampleRequireActive() {
	l := &lease{}
	orders := tiers.RequireActive(l, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "taken")
	}))
	get(orders, "/orders")
	l.held = true
	get(orders, "/orders")
	// Output:
	// /orders 503 {"status":"Unhealthy","error":"not active"}
	// /orders 200 taken
}

// standby is a closed gate that knows who is active.
type standby struct{ lease }

func (*standby) ActiveNode() (address string, known bool) { return "10.0.0.2:4053", true }

// A gate that knows the active node tells everybody who is refused. Where that
// is too many, hide what it knows.
func ExampleLocator() {
	g := &standby{}
	get(tiers.RequireActive(g, nil), "/orders")
	get(tiers.RequireActive(struct{ tiers.Gate }{g}, nil), "/orders")
	// Output:
	// /orders 503 {"status":"Unhealthy","error":"not active","activeNode":"10.0.0.2:4053"}
	// /orders 503 {"status":"Unhealthy","error":"not active"}
}

// A consumer of messages is gated like a request: each is taken while the node is
// active, and its work ends with the tenure where the gate can say so.
func ExampleFailClosed() {
	var broken *lease // its IsActive panics
	for _, g := range []tiers.Gate{&lease{held: true}, &lease{}, broken, nil} {
		fmt.Println(tiers.FailClosed(g).IsActive())
	}
	// Output:
	// true
	// false
	// false
	// false
}
