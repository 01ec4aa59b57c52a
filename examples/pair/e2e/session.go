//go:build linux

package main

import (
	"context"
	"sync/atomic"
	"time"

	"go.etcd.io/etcd/client/v3/concurrency"

	"github.com/loopvitals/loopvitals/examples/pair/device"
	"github.com/loopvitals/loopvitals/examples/pair/e2e/claim"
	"github.com/loopvitals/loopvitals/examples/pair/engine"
)

// runSession is the negative control: a node whose gate is what the client of
// etcd offers for the purpose. It holds itself for the active one from the moment
// its Campaign is won until the Done channel of its Session is closed. The other
// nodes go by the server's idea of when the lease has run out, and the two ideas
// are up to a second apart.
func runSession(ctx context.Context, f childFlags) error {
	page, err := claim.Open(f.page)
	if err != nil {
		return err
	}
	client, err := engine.DialEtcd([]string{f.endpoint})
	if err != nil {
		return err
	}
	defer client.Close()
	var c control
	go c.watch(page)
	writes := device.NewClient(f.device)
	defer writes.Close()
	go func() {
		for ; ctx.Err() == nil; time.Sleep(writeEvery) {
			if t := c.won.Load(); t.holds() {
				_ = writes.Write(ctx, t.token, f.address)
			}
		}
	}()
	for ctx.Err() == nil {
		session, err := concurrency.NewSession(client, concurrency.WithTTL(int(f.ttl.Seconds())), concurrency.WithContext(ctx))
		if err != nil {
			time.Sleep(writeEvery)
			continue
		}
		election := concurrency.NewElection(session, "control")
		c.candidate.Store(true)
		if err := election.Campaign(ctx, f.address); err == nil {
			c.won.Store(&tenure{uint64(election.Rev()), session.Done()})
			<-session.Done()
		}
		c.candidate.Store(false)
		_ = session.Close()
	}
	return nil
}

type control struct {
	candidate atomic.Bool
	won       atomic.Pointer[tenure]
}

func (c *control) watch(page *claim.Page) {
	for ; ; time.Sleep(gateEvery) {
		at := now()
		active := c.won.Load().holds()
		page.Gate.Sample(at, active)
		page.Say(claim.Report{At: at, Active: active, Up: c.candidate.Load()})
	}
}

// tenure is an election that was won.
type tenure struct {
	token uint64 // the revision of the key, which etcd means to be one
	done  <-chan struct{}
}

func (t *tenure) holds() bool {
	if t == nil {
		return false
	}
	select {
	case <-t.done:
		return false
	default:
		return true
	}
}
