//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/loopvitals/loopvitals/check/redundancy"
)

// calendarPath is where a node's calendar is set, by POST with ?by=-40s. The answer
// is how many stamps have been wrong so far.
const calendarPath = "/trial/calendar"

// calendar is a bus whose node has a calendar that is wrong: every time of day in
// what the node publishes is moved.
type calendar struct {
	redundancy.Bus
	by    atomic.Int64
	moved atomic.Int64
}

// Publish publishes the message with wrong stamps.
func (c *calendar) Publish(ctx context.Context, topic string, message []byte) error {
	by := time.Duration(c.by.Load())
	var fields map[string]json.RawMessage
	if by == 0 || json.Unmarshal(message, &fields) != nil {
		return c.Bus.Publish(ctx, topic, message)
	}
	moved := 0
	for name, value := range fields {
		var stamp time.Time
		if json.Unmarshal(value, &stamp) != nil {
			continue
		}
		wrong, err := json.Marshal(stamp.Add(by))
		if err != nil {
			return err
		}
		fields[name] = wrong
		moved++
	}
	wrong, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	if err := c.Bus.Publish(ctx, topic, wrong); err != nil {
		return err
	}
	c.moved.Add(int64(moved))
	return nil
}

// ServeHTTP sets the calendar.
func (c *calendar) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	by, err := time.ParseDuration(r.FormValue("by"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	c.by.Store(int64(by))
	fmt.Fprint(w, c.moved.Load())
}
