package warm

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/loopvitals/loopvitals/liveness"
)

// leaveLimit is how long a node takes at most to hand over before it stops all
// the same; its peers then find out for themselves.
const leaveLimit = 5 * time.Second

// Run is the life of the node: it serves, joins and works until ctx ends, and
// then leaves.
func (n *Node) Run(ctx context.Context) error {
	listener, err := net.Listen("tcp", n.config.Listen)
	if err != nil {
		return fmt.Errorf("warm: %w", err)
	}
	server := &http.Server{Handler: n.Handler, ReadHeaderTimeout: 2 * time.Second}
	// What makes the node what it is outlives ctx, which only says that it is
	// time to leave. It ends early when a part of it fails.
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	group, life := errgroup.WithContext(life)
	group.Go(func() error { return unlessClosed(server.Serve(listener)) })
	group.Go(func() error { return n.Member.Run(life) })
	group.Go(func() error { return n.Redundancy.Run(life) })
	group.Go(func() error { return n.monitor.Run(life) })
	group.Go(func() error { return n.health.Run(life) })
	group.Go(func() error { <-life.Done(); return server.Close() })
	// The level is shown from the moment on at which there is somewhere to
	// show it.
	n.Redundancy.Bind(&variable{log: n.config.Log})

	working, stop := context.WithCancel(ctx)
	defer stop()
	var work errgroup.Group
	for id, loop := range map[string]func(context.Context) error{
		loopAlarms: n.evaluate, loopEmit: n.emit, loopHistory: n.record,
	} {
		work.Go(func() error { return liveness.Run(working, n.loops[id], loop) })
	}
	work.Go(func() error { return n.deployFirst(working) })
	work.Go(func() error { return n.createStreams(working) })

	select {
	case <-ctx.Done():
		// First hand over, then stop serving: until another node is active,
		// the clients of this one are told so, and not refused.
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveLimit)
		defer cancel()
		err = n.Member.Leave(limited)
	case <-life.Done():
	}
	stop()
	worked := work.Wait()
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = server.Shutdown(limited)
	end()
	return errors.Join(err, unlessEnded(worked), unlessEnded(group.Wait()))
}

func unlessClosed(err error) error {
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

func unlessEnded(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
