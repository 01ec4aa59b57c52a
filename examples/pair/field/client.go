package field

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/loopvitals/loopvitals/examples/pair/device"
)

// Client is a node's connection to the device of another process. All methods may
// be called by any goroutine.
type Client struct {
	url, from string
	http      *http.Client
}

// NewClient returns a client of the device at the address, HOST:PORT, for the node
// that is called from.
func NewClient(address, from string) *Client {
	return &Client{url: "http://" + address, from: from, http: &http.Client{Transport: &http.Transport{}, Timeout: 2 * time.Second}}
}

// Advise tells the device that the node is going to write to an item.
func (c *Client) Advise(ctx context.Context, token uint64, item string) error {
	return c.do(ctx, Advise, token, url.Values{"item": {item}}, nil)
}

// Write writes to an item, which must have been advised with the same token.
func (c *Client) Write(ctx context.Context, token uint64, item, value string) (statuses []string, err error) {
	var r Reply
	err = c.do(ctx, Write, token, url.Values{"item": {item}, "value": {value}}, &r)
	return r.Statuses, err
}

// Ack acknowledges the alarm of an item at the device.
func (c *Client) Ack(ctx context.Context, token uint64, item string) error {
	return c.do(ctx, Ack, token, url.Values{"item": {item}}, nil)
}

// Journal fetches all operations so far.
func (c *Client) Journal(ctx context.Context) (all []Entry, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url+"/journal", http.NoBody)
	if err != nil {
		return nil, err
	}
	return all, c.send(r, &all)
}

// Trouble makes the next operations fare ill.
func (c *Client) Trouble(ctx context.Context, t Trouble) error {
	text, err := json.Marshal(t)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+"/trouble", bytes.NewReader(text))
	if err != nil {
		return err
	}
	return c.send(r, nil)
}

// Close closes the idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

func (c *Client) do(ctx context.Context, op Op, token uint64, query url.Values, into any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+"/"+string(op)+"?"+query.Encode(), http.NoBody)
	if err != nil {
		return err
	}
	r.Header.Set(device.TokenHeader, strconv.FormatUint(token, 10))
	r.Header.Set(device.FromHeader, c.from)
	return c.send(r, into)
}

func (c *Client) send(r *http.Request, into any) error {
	response, err := c.http.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	switch {
	case err != nil:
		return err
	case response.StatusCode == http.StatusConflict:
		return device.ErrStale
	case response.StatusCode != http.StatusOK:
		return fmt.Errorf("field: %s: %s", response.Status, bytes.TrimSpace(body))
	case into == nil:
		return nil
	}
	return json.Unmarshal(body, into)
}
