//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/loopvitals/loopvitals/examples/pair/e2e/process"
)

// nodeFrozen stops the node as a host that hangs does. Its socket still takes
// connections, and nobody answers.
func (t *trial) nodeFrozen(ctx context.Context) error {
	return t.twoWays(ctx, "the node is frozen (SIGSTOP)", none, "the node goes on (SIGCONT)",
		func() error { return freeze(ctx, t.node) }, func() error { return thaw(t.node) })
}

// nodeKilled puts another life of the node into the place of the first, which must
// become ready by itself before startup passes (S2.6). So that the adapter does not
// see it ready before its database is taken away, the adapter is frozen meanwhile.
func (t *trial) nodeKilled(ctx context.Context) error {
	killed := time.Now()
	t.node.Kill()
	w, err := t.sees(ctx, t.main, none, killed)
	if err != nil {
		return fmt.Errorf("the node was killed: %w", err)
	}
	t.failing("the node is killed (SIGKILL)", none, w)

	if err := freeze(ctx, t.main.Process); err != nil {
		return err
	}
	born := time.Now()
	if err := errors.Join(t.bear(ctx), t.knob(ctx, "db-down"), t.unready(ctx), thaw(t.main.Process)); err != nil {
		return err
	}
	if w, err = t.sees(ctx, t.main, unborn, born); err != nil {
		return fmt.Errorf("the node's second life was not ready yet: %w", err)
	}
	t.passing("another life of the node, which was never ready", unborn, w)
	since := time.Now()
	if err := t.knob(ctx, "db-up"); err != nil {
		return err
	}
	if w, err = t.sees(ctx, t.main, all, since); err != nil {
		return fmt.Errorf("the node's second life became ready: %w", err)
	}
	t.passing("it becomes ready", all, w)
	number, err := t.place(ctx)
	if err != nil {
		return err
	}
	t.row("an order at the door of the second life", "", "number %d, after %d in the first", number, t.number)
	return require(number > t.number, "the number %d was given twice", number)
}

// unready waits until the node's own tier says so.
func (t *trial) unready(ctx context.Context) error {
	err := process.Poll(ctx, limit, lookEvery, func() bool {
		_, err := t.consumerSays(ctx, http.MethodGet, t.health, "/health/ready", "")
		return err != nil
	})
	if err != nil {
		return fmt.Errorf("the node is ready without its database: %w", err)
	}
	return nil
}

// stranger is an adapter for another node, which finds this one.
func (t *trial) stranger(ctx context.Context) error {
	other, err := t.attend(ctx, func(config map[string]any) { config["node"] = "consumer-2" })
	if err != nil {
		return err
	}
	defer other.Kill()
	w, err := t.sees(ctx, other, none, time.Now())
	if err != nil {
		return fmt.Errorf("an adapter of consumer-2: %w", err)
	}
	t.failing("an adapter of consumer-2 finds consumer-1", none, w)
	return nil
}

// damaged changes one byte of the node's clock.
func (t *trial) damaged(ctx context.Context) error {
	whole, err := os.ReadFile(t.clock())
	if err != nil {
		return err
	}
	bad := bytes.Clone(whole)
	bad[len(bad)/2] ^= 1
	write := func(text []byte) func() error {
		return func() error { return os.WriteFile(t.clock(), text, 0o600) }
	}
	return t.twoWays(ctx, "a byte of the node's durable clock is changed", none, "the good copy is put back", write(bad), write(whole))
}

// dispossessed moves the lock away by which the node owns its clock.
func (t *trial) dispossessed(ctx context.Context) error {
	lock := t.clock() + ".lock"
	return t.twoWays(ctx, "the node's lock is moved away: it owns nothing", none, "the lock is moved back",
		func() error { return os.Rename(lock, lock+".away") }, func() error { return os.Rename(lock+".away", lock) })
}

// full fills the node's door with connections that say nothing (S2.4, S2.5). The node
// sends them away after five seconds, so there are more, who wait to be let in.
func (t *trial) full(ctx context.Context) error {
	var guests []net.Conn
	leave := func() error {
		for _, c := range guests {
			_ = c.Close()
		}
		return nil
	}
	defer func() { _ = leave() }()
	come := func() error {
		for range doorConnections * guestsForAMinute {
			c, err := net.DialTimeout("tcp", t.ingress, limit)
			if err != nil {
				return err
			}
			guests = append(guests, c)
		}
		return nil
	}
	what := fmt.Sprintf("the node's door is full: %d connections of %d", doorConnections, doorConnections)
	return t.twoWays(ctx, what, unready, "they leave", come, leave)
}

const (
	doorConnections  = 16 // how many the consumer lets in
	guestsForAMinute = 12 // fill it again and again, for five seconds each
)
