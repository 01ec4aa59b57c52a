//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/loopvitals/loopvitals/examples/pair/e2e/process"
)

// alone has the node work with nobody asking, for a pace to compare with.
func (t *trial) alone(ctx context.Context) (err error) {
	if err := t.bear(ctx); err != nil {
		return err
	}
	if t.pace, err = t.works(ctx, 2*time.Second); err != nil {
		return err
	}
	if t.number, err = t.place(ctx); err != nil {
		return err
	}
	t.row("the node runs, and nobody asks", "", "%.1f orders/s; one at its door is number %d", t.pace, t.number)
	return nil
}

// beside starts an adapter before there is a node, and then the node.
func (t *trial) beside(ctx context.Context) (err error) {
	t.node.Kill()
	killed := time.Now()
	if t.main, err = t.attend(ctx); err != nil {
		return err
	}
	w, err := t.sees(ctx, t.main, none, killed)
	if err != nil {
		return err
	}
	t.failing("an adapter starts, and there is no node", none, w)
	born := time.Now()
	if err := t.bear(ctx); err != nil {
		return err
	}
	if w, err = t.sees(ctx, t.main, all, born); err != nil {
		return err
	}
	t.passing("the node starts", all, w)
	return nil
}

// refusals are answers that have nothing to do with the node.
func (t *trial) refusals(ctx context.Context) error {
	base := "http://" + t.main.address
	for _, c := range []struct {
		method, url string
		code, exit  int
	}{
		{http.MethodGet, base + "/", 404, 0},
		{http.MethodGet, base + "/ready/", 404, 2},
		{http.MethodGet, base + "/observation", 404, 2},
		{http.MethodOptions, base + "/ready", 405, 0},
	} {
		code, err := t.client.ask(ctx, c.method, c.url)
		if err != nil {
			return err
		}
		if err := require(code == c.code, "%s %s is answered %d: must be %d", c.method, c.url, code, c.code); err != nil {
			return err
		}
		if c.exit == 0 {
			continue
		}
		if exit, said := t.probe(ctx, c.url); exit != c.exit {
			return fmt.Errorf("loopvitals probe %s: exit status %d: must be %d\n%s", c.url, exit, c.exit, said)
		}
	}
	// The same address under another name is another Host.
	if exit, said := t.probe(ctx, "http://localhost"+t.main.address[len("127.0.0.1"):]+"/ready"); exit != 2 {
		return fmt.Errorf("loopvitals probe of another host: exit status %d: must be 2\n%s", exit, said)
	}
	t.row("other paths, another method, another host", "404 405 421", "probe exits 2")
	return nil
}

// dependency takes the node's database away, which no restart would bring back.
func (t *trial) dependency(ctx context.Context) error {
	return t.twoWays(ctx, "the node's database is away", unready, "the database is back",
		func() error { return t.knob(ctx, "db-down") }, func() error { return t.knob(ctx, "db-up") })
}

// twoWays does something to the node, and takes it back.
func (t *trial) twoWays(ctx context.Context, what string, expected codes, after string, do, undo func() error) error {
	since := time.Now()
	if err := do(); err != nil {
		return err
	}
	w, err := t.sees(ctx, t.main, expected, since)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	t.failing(what, expected, w)
	since = time.Now()
	if err := undo(); err != nil {
		return err
	}
	if w, err = t.sees(ctx, t.main, all, since); err != nil {
		return fmt.Errorf("%s: %w", after, err)
	}
	t.passing(after, all, w)
	return nil
}

// knob turns one of those that the consumer has for a demonstration.
func (t *trial) knob(ctx context.Context, action string) error {
	_, err := t.consumerSays(ctx, http.MethodPost, t.health, "/demo/"+action, "")
	return err
}

// place places an order at the node's door, and returns its number.
func (t *trial) place(ctx context.Context) (number uint64, err error) {
	var receipt struct {
		Number uint64 `json:"number"`
	}
	text, err := t.consumerSays(ctx, http.MethodPost, t.ingress, "/orders", `{"customer":"customer-1","cents":250}`)
	if err != nil {
		return 0, err
	}
	return receipt.Number, json.Unmarshal(text, &receipt)
}

// orders are counts.
type orders struct {
	Placed uint64 `json:"placed"`
	Stored uint64 `json:"stored"`
}

func (t *trial) orders(ctx context.Context) (o orders, err error) {
	text, err := t.consumerSays(ctx, http.MethodGet, t.health, "/orders", "")
	if err != nil {
		return o, err
	}
	return o, json.Unmarshal(text, &o)
}

// works counts what the node gets done meanwhile, in orders a second.
func (t *trial) works(ctx context.Context, d time.Duration) (pace float64, err error) {
	before, err := t.orders(ctx)
	if err != nil {
		return 0, err
	}
	begun := time.Now()
	if err := process.Pause(ctx, d); err != nil {
		return 0, err
	}
	after, err := t.orders(ctx)
	return float64(after.Stored-before.Stored) / time.Since(begun).Seconds(), err
}

// consumerSays asks the node itself, at one of its addresses.
func (t *trial) consumerSays(ctx context.Context, method, address, path, body string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, "http://"+address+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	answer, err := t.client.transport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 64<<10))
	if err == nil && answer.StatusCode/100 != 2 {
		err = fmt.Errorf("%s %s of the consumer: %d %s", method, path, answer.StatusCode, text)
	}
	return text, err
}
