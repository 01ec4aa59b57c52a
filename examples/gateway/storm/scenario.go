package main

import (
	"time"

	"github.com/loopvitals/loopvitals/check/resubscribe"
	"github.com/loopvitals/loopvitals/examples/gateway"
)

// fanOut is how many requests of one subscribe are under way at a time.
const fanOut = resubscribe.DefaultParallel

// items is how many each of the two consumers subscribes to.
const items = 244

// What the gateway's worker takes. One consumer alone has its items within the retry
// interval, also with a request for each of them; two at a time have not.
const (
	commandTime = 12 * time.Millisecond
	itemTime    = time.Millisecond
)

// The requests of a consumer.
const (
	// retry is the fixed interval of a consumer without a guard.
	retry = 5 * time.Second
	// floor, most and ceiling are a guard's, and its defaults.
	floor   = 5 * time.Second
	most    = 60 * time.Second
	ceiling = 45 * time.Second
)

// The course of events, from the moment at which both consumers are deployed anew.
const (
	// stall is for how long the worker does nothing.
	stall = 110 * time.Second
	// patience is for how long after it the items may come back.
	patience = 2 * time.Minute
	// prompt is in what time after the stall they must.
	prompt = 95 * time.Second
	// aftermath is for how long it goes on when they have.
	aftermath = 5 * time.Second
	// calm is the most that consumers may take to have their items before.
	calm = time.Minute
)

// variant is a way to subscribe.
type variant struct {
	name string
	// guarded is lever 1: an in-flight guard with back-off, where there is else a
	// request at a fixed interval.
	guarded bool
	// batched is lever 2: a gateway that can subscribe to many items, supervised, in
	// one request, and consumers that make use of it. The other gateway is of the
	// version before, for which there is a request for each item.
	batched bool
	// limit is what a session asks for as the time limit of commands. Lever 3 is that
	// it is longer than the gateway's own.
	limit time.Duration
}

func variants() []variant {
	own, longer := gateway.DefaultCommandTimeout, resubscribe.DefaultCommandTimeout
	return []variant{
		{name: "nothing", limit: own},
		{name: "lever 1", guarded: true, limit: own},
		{name: "lever 2", batched: true, limit: own},
		{name: "all", guarded: true, batched: true, limit: longer},
	}
}

// version is the one of the gateway.
func (v variant) version() gateway.Version {
	if v.batched {
		return gateway.Newest
	}
	return gateway.First
}

// speed is how many times faster time goes by than is told.
type speed int

// real is how long something takes here of which d is told.
func (s speed) real(d time.Duration) time.Duration { return d / time.Duration(s) }

// told is what is told of something that took d here.
func (s speed) told(d time.Duration) time.Duration { return d * time.Duration(s) }

// clock tells the time since it began.
type clock struct {
	speed
	began time.Time
}

func (s speed) start() clock { return clock{s, time.Now()} }

func (c clock) now() time.Duration { return c.told(time.Since(c.began)) }
