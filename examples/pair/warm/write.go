package warm

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"

	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/examples/pair/device"
	"github.com/loopvitals/loopvitals/examples/pair/field"
)

// The statuses of a write, as OPC UA calls them.
const (
	statusGood          = field.Good
	statusCommunication = "BadCommunicationError"
	statusNotPrimary    = "BadInvalidState" // another node has taken over meanwhile
)

// Outcome is what became of a write.
type Outcome struct {
	Status string `json:"status"`
	// Confirmed tells that the device has said so.
	Confirmed bool `json:"confirmed"`
}

// actuator is the device as the write path needs it.
type actuator interface {
	Advise(ctx context.Context, token uint64, item string) error
	Write(ctx context.Context, token uint64, item, value string) (statuses []string, err error)
}

// writePath issues writes that were let in.
type writePath struct {
	device   actuator
	counters *counters
	log      *slog.Logger
}

// write writes a value to an item, once: nothing is queued or tried again, since
// a write that comes seconds late is a surprise (S4.30).
//
// An item must be advised first, or the device takes the write and forgets it. So
// when that fails the write is not issued, and the outcome is bad: a write that is
// known to be lost is never reported as good (S4.45).
func (p *writePath) write(ctx context.Context, token uint64, item, value string) Outcome {
	if err := p.device.Advise(ctx, token, item); err != nil {
		p.counters.adviseFailed()
		return p.failed("advise", item, err)
	}
	statuses, err := p.device.Write(ctx, token, item, value)
	switch {
	case err != nil:
		return p.failed("write", item, err)
	case len(statuses) == 0:
		// The device has taken the command, and does not tell what became of
		// it. That is good, and counted: nobody has seen the value arrive.
		p.counters.unconfirmed()
		return Outcome{Status: statusGood}
	default:
		return Outcome{Status: statuses[0], Confirmed: true}
	}
}

func (p *writePath) failed(step, item string, err error) Outcome {
	p.log.Warn("a write failed", "step", step, "item", item, "error", err)
	if errors.Is(err, device.ErrStale) {
		return Outcome{Status: statusNotPrimary}
	}
	return Outcome{Status: statusCommunication}
}

// ServeHTTP is POST /write?item=…&value=…, behind the gate. The context of the
// request carries the token of the tenure that let it in, and ends with it.
func (p *writePath) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	item, value := r.FormValue("item"), r.FormValue("value")
	token, ok := cluster.Token(r.Context())
	if item == "" || !ok {
		http.Error(w, "item: must not be empty", http.StatusBadRequest)
		return
	}
	o := p.write(r.Context(), token, item, value)
	code := http.StatusOK
	if o.Status != statusGood {
		code = http.StatusBadGateway
	}
	respond(w, code, o)
}

func (n *Node) writer() http.Handler {
	return &writePath{device: n.config.Device, counters: n.metrics.counters, log: n.config.Log}
}

func respond(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(v)
}
