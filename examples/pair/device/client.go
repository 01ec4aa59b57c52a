package device

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// ErrStale is the answer to a token that is too small: another node has taken
// over, whatever this one believes.
var ErrStale = errors.New("device: the token is older than one that was here before")

// Client writes to the device of another process.
type Client struct {
	url  string
	http *http.Client
}

// NewClient returns a client of the device at the address, HOST:PORT.
func NewClient(address string) *Client {
	return &Client{url: "http://" + address, http: &http.Client{Transport: &http.Transport{}, Timeout: 2 * time.Second}}
}

// Write sends one write.
func (c *Client) Write(ctx context.Context, token uint64, from string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+"/write", http.NoBody)
	if err != nil {
		return err
	}
	r.Header.Set(TokenHeader, strconv.FormatUint(token, 10))
	r.Header.Set(FromHeader, from)
	response, err := c.http.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 1024))
	switch {
	case err != nil:
		return err
	case response.StatusCode == http.StatusConflict:
		return ErrStale
	case response.StatusCode != http.StatusOK:
		return fmt.Errorf("device: %s: %s", response.Status, body)
	}
	return nil
}

// Journal fetches all writes so far.
func (c *Client) Journal(ctx context.Context) (runs []Run, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url+"/journal", http.NoBody)
	if err != nil {
		return nil, err
	}
	response, err := c.http.Do(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return runs, json.NewDecoder(response.Body).Decode(&runs)
}

// Close closes the idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }
