package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/loopvitals/loopvitals/examples/gateway"
)

// names are those of the two consumers, each with a connection of its own.
var names = [...]string{"press", "mixer"}

// outcome is what came of a variant. Times count from the second deployment, when the
// stall begins, and so do the requests.
type outcome struct {
	variant  variant
	before   []send   // the subscribes in the calm before
	sends    [][]send // and then those of each connection
	requests int
	peakOpen int // requests at a time
	peak     int // commands in the worker
	left     int // commands in the worker at the end
	goodAt   time.Duration
	good     bool
	until    time.Duration // the end
	samples  []sample
}

// sample is how it was at one time.
type sample struct {
	at       time.Duration
	requests int // so far
	queued   int // commands in the worker
	good     int // items of both consumers
}

// network is where a gateway and its consumers meet.
type network struct {
	listener net.Listener
	dial     func(ctx context.Context) (net.Conn, error)
}

// loopback is a real one.
func loopback(ctx context.Context) (network, error) {
	at, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return network{}, err
	}
	return network{at, func(ctx context.Context) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", at.Addr().String())
	}}, nil
}

// stage is a gateway and its consumers.
type stage struct {
	variant     variant
	speed       speed
	server      *gateway.Server
	connections [len(names)]*grpc.ClientConn
	lives       [len(names)]*life
}

// play plays a variant, for so long after the stall as there are items that are not good.
func play(ctx context.Context, v variant, s speed, n network, patience time.Duration) (o outcome, err error) {
	server, err := gateway.New(gateway.Config{
		Version: v.version(), CommandTime: s.real(commandTime), ItemTime: s.real(itemTime),
		CommandTimeout: s.real(gateway.DefaultCommandTimeout),
	})
	if err != nil {
		return outcome{}, errors.Join(err, n.listener.Close())
	}
	work, cancel := context.WithCancel(ctx)
	var (
		serving sync.WaitGroup
		served  error
	)
	serving.Go(func() { served = server.Serve(work, n.listener) })
	st := &stage{variant: v, speed: s, server: server}
	defer func() {
		st.end()
		cancel()
		serving.Wait()
		if !errors.Is(served, context.Canceled) {
			err = errors.Join(err, served)
		}
	}()
	for i := range st.connections {
		st.connections[i], err = grpc.NewClient("passthrough:///gateway",
			grpc.WithTransportCredentials(insecure.NewCredentials()),
			grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return n.dial(ctx) }))
		if err != nil {
			return outcome{}, err
		}
	}
	before, err := st.calm(ctx)
	if err != nil {
		return outcome{}, err
	}
	o, err = st.storm(ctx, patience)
	o.variant, o.before = v, before
	return o, err
}

// calm deploys the consumers one after the other, and returns their subscribes.
func (st *stage) calm(ctx context.Context) ([]send, error) {
	var sends []send
	for i := range st.lives {
		c := st.speed.start()
		if err := st.deploy(ctx, i, c); err != nil {
			return nil, err
		}
		err := st.every(ctx, c, func(now time.Duration) (done bool, err error) {
			if now > calm {
				return false, fmt.Errorf("%s has not got its items within %v before anything went wrong", names[i], calm)
			}
			_, since := st.lives[i].state()
			return since > 0, nil
		})
		if err != nil {
			return nil, err
		}
		sends = append(sends, st.lives[i].record()...)
	}
	return sends, nil
}

// storm stalls the gateway and deploys both anew.
func (st *stage) storm(ctx context.Context, patience time.Duration) (o outcome, err error) {
	earlier := st.server.Traffic()
	c := st.speed.start()
	st.server.Stall(true)
	for i := range st.lives {
		if err := st.deploy(ctx, i, c); err != nil {
			return outcome{}, err
		}
	}
	err = st.every(ctx, c, func(now time.Duration) (done bool, err error) {
		if now >= stall {
			st.server.Stall(false)
		}
		t := st.server.Traffic()
		s := sample{at: now, requests: subscribing(t) - subscribing(earlier), queued: t.Queued}
		o.good, o.goodAt, o.until = true, 0, now
		for _, l := range st.lives {
			good, since := l.state()
			s.good += good
			o.good = o.good && since > 0
			o.goodAt = max(o.goodAt, since)
		}
		o.samples = append(o.samples, s)
		o.requests, o.peakOpen, o.peak, o.left = s.requests, t.PeakOpen, t.PeakQueued, t.Queued
		return o.good && now >= o.goodAt+aftermath || now >= stall+patience, nil
	})
	for _, l := range st.lives {
		o.sends = append(o.sends, l.record())
	}
	return o, err
}

// subscribing counts the requests that sessions are not opened and closed by.
func subscribing(t gateway.Traffic) int {
	return t.Requests["AddItems"] + t.Requests["AdviseSupervisory"] + t.Requests["SubscribeBulk"]
}

// deploy puts a new consumer in the place of the one that is there.
func (st *stage) deploy(ctx context.Context, i int, c clock) (err error) {
	if old := st.lives[i]; old != nil {
		old.end()
		if err := old.client.Close(ctx); err != nil {
			return err
		}
	}
	st.lives[i], err = deploy(ctx, names[i], st.variant, c, st.connections[i])
	return err
}

// every looks once a second until done.
func (st *stage) every(ctx context.Context, c clock, look func(now time.Duration) (done bool, err error)) error {
	ticks := time.NewTicker(st.speed.real(time.Second))
	defer ticks.Stop()
	for {
		if done, err := look(c.now()); done || err != nil {
			return err
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// end ends the consumers.
func (st *stage) end() {
	for i := range st.lives {
		if st.lives[i] != nil {
			st.lives[i].end()
		}
		if st.connections[i] != nil {
			_ = st.connections[i].Close()
		}
	}
}
