package warm

import (
	"context"
	"net/http"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/redundancy"
	"github.com/loopvitals/loopvitals/examples/pair/alarm"
)

// serveAck is POST /ack?tag=…. Both nodes note that an operator has seen the alarm.
// What reaches the device goes through the gate; when that denies it is dropped,
// and the operator, who has done his part, is told (S4.31, S4.33).
func (n *Node) serveAck(w http.ResponseWriter, r *http.Request) {
	tag := r.FormValue("tag")
	if !n.alarms.Acknowledge(tag) {
		http.Error(w, "tag: must be that of an active alarm", http.StatusNotFound)
		return
	}
	answer := struct {
		Device string `json:"device"` // told, failed or not told
	}{"told"}
	work, release, err := n.Redundancy.Site(redundancy.SiteAck).Acquire(context.WithoutCancel(r.Context()))
	if err != nil {
		answer.Device = "not told"
		respond(w, http.StatusOK, answer)
		return
	}
	defer release()
	token, _ := cluster.Token(work)
	if err := n.config.Device.Ack(work, token, tag); err != nil {
		n.config.Log.Warn("an acknowledgement failed", "tag", tag, "error", err)
		answer.Device = "failed"
	}
	respond(w, http.StatusOK, answer)
}

// serveDeploy is POST /deploy: the configuration has changed.
func (n *Node) serveDeploy(w http.ResponseWriter, r *http.Request) {
	if err := n.space.Rebuild(r.Context()); err != nil {
		http.Error(w, "the address space is stale or lacks items, see the log", http.StatusInternalServerError)
		return
	}
	respond(w, http.StatusOK, n.space.Items())
}

// deployFirst builds the address space, as soon as the database is there.
func (n *Node) deployFirst(ctx context.Context) error {
	for ctx.Err() == nil && n.space.Rebuild(ctx) != nil && len(n.space.Items()) == 0 {
		wait(ctx, time.Second)
	}
	return nil
}

// createStreams makes the streams where they are not there, on the first node that
// gets to it. It waits for no database: alarms need none.
func (n *Node) createStreams(ctx context.Context) error {
	for ctx.Err() == nil {
		limited, cancel := context.WithTimeout(ctx, 5*time.Second)
		err := n.streams.Create(limited)
		cancel()
		if err == nil {
			break
		}
		wait(ctx, 10*pace)
	}
	return nil
}

// picture is the answer of GET /alarms. It is the same on both nodes, but for the
// time that one may be behind.
type picture struct {
	// Seq is the number of the newest reading that was evaluated.
	Seq    uint64                     `json:"seq"`
	Alarms map[string]alarm.Condition `json:"alarms"`
	// Pending is how many transitions were not in the output when this node
	// last looked.
	Pending int `json:"pending"`
}

func (n *Node) serveAlarms(w http.ResponseWriter, _ *http.Request) {
	seq, alarms := n.alarms.Snapshot()
	respond(w, http.StatusOK, picture{Seq: seq, Alarms: alarms, Pending: n.pending.size()})
}

func (n *Node) serveItems(w http.ResponseWriter, _ *http.Request) {
	respond(w, http.StatusOK, n.space.Items())
}
