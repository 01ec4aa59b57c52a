package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"syscall"
	"time"

	"github.com/loopvitals/loopvitals/examples/pair/device"
)

// play tells what happens on the stage.
type play struct {
	*stage
	out   io.Writer
	begun time.Time
}

// perform starts everything, and plays or stays.
func perform(ctx context.Context, out io.Writer, o options) (err error) {
	defer func() {
		if err != nil && ctx.Err() != nil {
			err = errors.New("interrupted") // what broke off tells nothing
		}
	}()
	p := &play{out: out, begun: time.Now()}
	p.say("starting an engine (%s), a device, a node, two more nodes when that is a member, and a proxy", o.engine)
	p.say("a node watches the others for a TTL, %v, before it is a member", o.ttl)
	if p.stage, err = open(ctx, o); err != nil {
		return err
	}
	defer p.close()
	if err := p.introduce(ctx); err != nil {
		return err
	}
	if o.stay {
		p.say("running until interrupted (Ctrl-C); try kill -9, kill -STOP or kill -TERM on a node")
		<-ctx.Done()
		return nil
	}
	if err := p.acts(ctx); err != nil {
		return err
	}
	fmt.Fprintf(out, "\npair: ok (%.0f s)\n", time.Since(p.begun).Seconds())
	return nil
}

func (p *play) say(format string, args ...any) {
	fmt.Fprintf(p.out, "%5.1f s  "+format+"\n", append([]any{time.Since(p.begun).Seconds()}, args...)...)
}

func (p *play) introduce(ctx context.Context) error {
	active, err := p.active(ctx, nil)
	if err != nil {
		return err
	}
	if err := p.ready(ctx); err != nil {
		return err
	}
	p.say("all three are members:")
	for _, c := range p.nodes {
		role := "stands by"
		if c == active {
			role = "is active, and writes to the device every 10 ms"
		}
		fmt.Fprintf(p.out, "         http://%s  process %d  %s\n", c.address, c.command.Process.Pid, role)
	}
	fmt.Fprintf(p.out, "         http://%s  the proxy, which sends work to the node that answers 200:\n\n", p.proxyProcess.address)
	for _, c := range p.nodes[:2] {
		code, body, err := p.ask(ctx, c, "/health/active")
		if err != nil {
			return err
		}
		fmt.Fprintf(p.out, "         $ curl -i http://%s/health/active\n         %d %s\n         %s\n", c.address, code, http.StatusText(code), body)
	}
	fmt.Fprintln(p.out)
	return nil
}

// acts is the play: a death, a return, and a farewell.
func (p *play) acts(ctx context.Context) error {
	work, stop := context.WithCancel(ctx)
	defer stop()
	someone := &customer{url: "http://" + p.proxyProcess.address}
	var group sync.WaitGroup
	group.Go(func() { someone.run(work) })

	for _, act := range []func(context.Context) error{p.death, p.back, p.farewell} {
		if err := act(ctx); err != nil {
			return err
		}
		if err := p.wait(ctx, time.Second); err != nil {
			return err
		}
	}
	stop()
	group.Wait()
	return p.sum(ctx, someone)
}

func (p *play) wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// death kills the active node.
func (p *play) death(ctx context.Context) error {
	if err := p.wait(ctx, 2*time.Second); err != nil {
		return err
	}
	active, err := p.active(ctx, nil)
	if err != nil {
		return err
	}
	p.say("kill -9 %d: the active node is gone, without a word", active.command.Process.Pid)
	at := time.Now()
	active.kill()
	next, err := p.active(ctx, active)
	if err != nil {
		return err
	}
	p.say("%s is active, %.1f s later; the TTL is %v", next.address, time.Since(at).Seconds(), p.ttl)
	return nil
}

// back starts the dead node again.
func (p *play) back(ctx context.Context) error {
	for i, c := range p.nodes {
		if !c.hasEnded() {
			continue
		}
		again, err := p.startNode(ctx, c.address)
		if err != nil {
			return err
		}
		p.nodes[i] = again
		if err := p.ready(ctx); err != nil {
			return err
		}
		if p.answers(ctx, again, "/health/active") {
			return fmt.Errorf("%s is active again: must stand by", c.address)
		}
		p.say("%s is back, at the lowest address and as the youngest, so it stands by", c.address)
	}
	return nil
}

// farewell asks the active node to leave.
func (p *play) farewell(ctx context.Context) error {
	active, err := p.active(ctx, nil)
	if err != nil {
		return err
	}
	p.say("kill -TERM %d: %s leaves, and hands over", active.command.Process.Pid, active.address)
	at := time.Now()
	if err := active.command.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	next, err := p.active(ctx, active)
	if err != nil {
		return err
	}
	p.say("%s is active, %.0f ms later", next.address, time.Since(at).Seconds()*1e3)
	return nil
}

// sum tells how the device and the customer have fared.
func (p *play) sum(ctx context.Context, someone *customer) error {
	client := device.NewClient(p.deviceProcess.address)
	defer client.Close()
	runs, err := client.Journal(ctx)
	if err != nil {
		return err
	}
	p.say("the device was written to by:")
	largest, stale := uint64(0), 0
	for _, r := range runs {
		verdict := "accepted"
		if !r.Accepted {
			verdict = "refused"
		}
		fmt.Fprintf(p.out, "         %s  token %-4d %5d writes %s\n", r.From, r.Token, r.Writes, verdict)
		if r.Accepted && r.Token < largest {
			stale += r.Writes
		}
		largest = max(largest, r.Token)
	}
	p.say("the customer of the proxy: %d requests were done, %d were to be sent again; the longest time without one was %.1f s",
		someone.done, someone.refused, someone.outage.Seconds())
	if stale > 0 {
		return fmt.Errorf("the device accepted %d writes with a token smaller than one before: must be 0", stale)
	}
	return nil
}
