package clustertest_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/cluster/clustertest"
	"github.com/loopvitals/loopvitals/tiers"
)

// An application's handler is tested on a node that gains the role and loses it.
func ExampleScript() {
	node := clustertest.NewScript("10.0.0.2:4053")
	gate, err := cluster.NewGate(node)
	if err != nil {
		fmt.Println(err)
		return
	}
	orders := tiers.RequireActive(gate, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "taken")
	}))
	order := func() {
		rec := httptest.NewRecorder()
		orders.ServeHTTP(rec, httptest.NewRequest(http.MethodPost, "/orders", http.NoBody))
		fmt.Println(rec.Code)
	}

	for _, address := range []string{"10.0.0.1:4053", "10.0.0.2:4053"} {
		node.Join(address)
		node.Up(address)
	}
	node.Confirm(12 * time.Second)
	order()
	node.Remove("10.0.0.1:4053")
	order()
	node.Expire()
	order()
	// Output:
	// 503
	// 200
	// 503
}
