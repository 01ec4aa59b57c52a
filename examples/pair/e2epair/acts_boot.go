//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/loopvitals/loopvitals/examples/pair/e2e/process"
)

// alone is the boot of a node that nobody else is there with.
func (t *trial) alone(ctx context.Context) error {
	begun := now()
	if err := t.boot(ctx, t.a, t.a.address); err != nil {
		return err
	}
	took, err := t.shows(ctx, t.a, 250, begun, limit)
	if err != nil {
		return err
	}
	h, err := readHistory(t.a.life.path)
	if err != nil {
		return err
	}
	if err := must(h[0].Level == 0, "the first level was %d: must be 0", h[0].Level); err != nil {
		return err
	}
	if err := t.writes(ctx, t.a); err != nil {
		return err
	}
	t.row("A boots alone: shows 0, then 250, and writes", "%s after the start", seconds(took))
	return nil
}

// writes waits until writes to the node are accepted.
func (t *trial) writes(ctx context.Context, at *slot) error {
	before := at.writer.count(accepted)
	err := process.Poll(ctx, limit, 5*time.Millisecond, func() bool { return at.writer.count(accepted) > before })
	if errors.Is(err, process.ErrTimeout) {
		err = fmt.Errorf("node %s accepts no writes: %v", at.name, words(at.writer.since(0)))
	}
	return err
}

// secondary is the boot of a second node, with writes to it all the time.
func (t *trial) secondary(ctx context.Context) error {
	if err := t.fresh(ctx, t.b, t.b.address); err != nil {
		return err
	}
	var a, b shown
	if err := errors.Join(t.get(ctx, t.a, "/service-level", &a), t.get(ctx, t.b, "/service-level", &b)); err != nil {
		return err
	}
	slices.Sort(a.Servers)
	slices.Sort(b.Servers)
	if err := must(len(a.Servers) == 2 && slices.Equal(a.Servers, b.Servers), "A lists the servers %v and B %v: must be the same two", a.Servers, b.Servers); err != nil {
		return err
	}
	if err := must(a.Primary == t.a.address && b.Primary == t.a.address, "A names the primary %s and B %s: must be %s", a.Primary, b.Primary, t.a.address); err != nil {
		return err
	}
	t.row("both name the same primary and list the same servers", "%s", strings.Join(a.Servers, ", "))
	return t.warmth(ctx)
}

// fresh boots a secondary, and requires that no write to it is ever accepted, and
// that the reasons come in their order.
func (t *trial) fresh(ctx context.Context, at *slot, spelling string) error {
	begun, before := now(), at.writer.count(accepted)
	if err := t.boot(ctx, at, spelling); err != nil {
		return err
	}
	took, err := t.shows(ctx, at, 240, begun, limit)
	if err != nil {
		return err
	}
	if err := errors.Join(t.pair(ctx, t.peer(at)), t.up(ctx, at)); err != nil {
		return err
	}
	// Nobody answers at first, and once more where the machine stands still.
	answers := slices.DeleteFunc(at.writer.since(begun), func(a answer) bool { return a.what == unreachable })
	order := words(answers)
	unknown := "not seen: the machine stood still"
	switch {
	case slices.Equal(order, []string{roleUnknown, notPrimary}):
		t.unknowns++
		unknown = "unknown for " + seconds(time.Duration(answers[1].at-answers[0].at))
	case !slices.Equal(order, []string{notPrimary}): // the finale wants the other order once
		return fmt.Errorf("writes to a fresh %s were answered %q: must be %q", at.name, order, []string{roleUnknown, notPrimary})
	}
	if n := at.writer.count(accepted) - before; n > 0 {
		return fmt.Errorf("%d writes to a fresh %s were accepted: must be none", n, at.name)
	}
	h, err := readHistory(at.life.path)
	if err != nil {
		return err
	}
	if err := must(h[0].Level == 0, "the first level was %d: must be 0", h[0].Level); err != nil {
		return err
	}
	t.row(fmt.Sprintf("%s boots beside %s: shows %s", at.name, t.peer(at).name, arrows(h.levels())), "240 %s after the start", seconds(took))
	t.row("  writes to it: denied as role unknown, then as secondary, none accepted", "%s", unknown)
	return nil
}

// up waits until the node is a full member. It shows 240 before, while it is
// joining (X19).
func (t *trial) up(ctx context.Context, at *slot) error {
	err := process.Poll(ctx, limit, 20*time.Millisecond, func() bool {
		_, body, err := t.ask(ctx, http.MethodGet, at, "/health/ready")
		return err == nil && strings.Contains(body, "Member status: Up")
	})
	if err != nil {
		return fmt.Errorf("node %s is not a full member: %w", at.name, err)
	}
	return nil
}

func arrows(levels []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(levels), " ", " > "), "[]")
}

// picture is the answer of GET /alarms.
type picture struct {
	Seq     uint64         `json:"seq"`
	Alarms  map[string]any `json:"alarms"`
	Pending int            `json:"pending"`
}

// warmth requires that the secondary is where the primary is.
func (t *trial) warmth(ctx context.Context) error {
	var a, b picture
	err := process.Poll(ctx, limit, 20*time.Millisecond, func() bool {
		if t.get(ctx, t.a, "/alarms", &a) != nil || t.get(ctx, t.b, "/alarms", &b) != nil {
			return false
		}
		return a.Seq > 0 && max(a.Seq, b.Seq)-min(a.Seq, b.Seq) <= 20 && len(a.Alarms) == len(b.Alarms)
	})
	if err != nil {
		return fmt.Errorf("node A has evaluated %d readings and B %d: %w", a.Seq, b.Seq, err)
	}
	t.row("both evaluate the same input", "up to reading %d and %d", a.Seq, b.Seq)
	return nil
}

// twice is an identity written in two ways.
func (t *trial) twice(ctx context.Context) error {
	// Another process under the primary's address, spelled differently, is the
	// same node a second time. The younger one goes.
	begun := now()
	p, path, err := t.spawnNode(t.b, t.b.otherSpelling(), "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer p.Kill()
	double := &life{Process: p, slot: t.b, path: path}
	t.lives = append(t.lives, double)
	err = process.Poll(ctx, limit, 20*time.Millisecond, func() bool { return !p.Running() })
	if err != nil {
		return fmt.Errorf("a second process with the address of B goes on: %w", err)
	}
	double.ended = now()
	said := p.Tail()
	if err := must(strings.Contains(said, "address"), "a second process with the address of B ended without a word of that:\n%s", said); err != nil {
		return err
	}
	l, err := t.level(ctx, t.b)
	if err != nil {
		return err
	}
	if err := must(l.Role == "primary", "B is %s after a second process had its address: must be the primary", l.Role); err != nil {
		return err
	}
	t.row("a second process as "+t.b.otherSpelling()+", which is B", "ended %s later, B goes on", seconds(time.Duration(now()-begun)))
	// A host alone is no identity.
	p, _, err = t.spawnNode(t.a, "node-a", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer p.Kill()
	if err := process.Poll(ctx, limit, 20*time.Millisecond, func() bool { return !p.Running() }); err != nil {
		return fmt.Errorf("a node called node-a goes on: %w", err)
	}
	if err := must(strings.Contains(p.Tail(), "port"), "a node called node-a ended without a word of that:\n%s", p.Tail()); err != nil {
		return err
	}
	t.row("a process as node-a, without a port", "refused at start")
	return nil
}
