//go:build linux

package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// paths are the three endpoints, in the order of codes.
var paths = [3]string{"/startup", "/ready", "/live"}

// codes are what the three endpoints answered.
type codes [3]int

// What the endpoints can say together.
var (
	all     = codes{200, 200, 200}
	none    = codes{503, 503, 503}
	unready = codes{200, 503, 200} // live, and it was ready before
	unborn  = codes{503, 503, 200} // live, and never ready yet
)

// exits are the exit statuses of the probes of such endpoints.
func (c codes) exits() (exits codes) {
	for i, code := range c {
		exits[i] = map[int]int{200: 0, 503: 1}[code]
	}
	return exits
}

func (c codes) String() string { return strings.Trim(fmt.Sprint([3]int(c)), "[]") }

// sight is one look at all endpoints.
type sight struct {
	sent [3]time.Time // when each was asked with GET
	get  codes
	head codes
}

// shows tells whether both methods say so.
func (s sight) shows(c codes) bool { return s.get == c && s.head == c }

// client asks as supervisors do: one request a connection.
type client struct{ transport *http.Transport }

func newClient() client { return client{&http.Transport{DisableKeepAlives: true}} }

// look asks each endpoint with each method. An answer that is not as it must be is
// an error, whatever it says.
func (c client) look(ctx context.Context, address string) (s sight, err error) {
	for i, path := range paths {
		s.sent[i] = time.Now()
		if s.get[i], err = c.ask(ctx, http.MethodGet, "http://"+address+path); err != nil {
			return s, err
		}
		if s.head[i], err = c.ask(ctx, http.MethodHead, "http://"+address+path); err != nil {
			return s, err
		}
	}
	return s, nil
}

// bodies are all that there is to tell.
var bodies = map[int]string{
	http.StatusOK:                 `{"status":"Healthy"}`,
	http.StatusServiceUnavailable: `{"status":"Unhealthy"}`,
}

const refused = `{"status":"Refused"}`

// ask returns the code of an answer that says its status and nothing else (S2.9).
func (c client) ask(ctx context.Context, method, url string) (code int, err error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, url, http.NoBody)
	if err != nil {
		return 0, err
	}
	answer, err := c.transport.RoundTrip(r)
	if err != nil {
		return 0, fmt.Errorf("%s %s: %w", method, url, err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, 1<<10))
	if err == nil {
		err = inspect(method, answer, string(body))
	}
	if err != nil {
		return 0, fmt.Errorf("%s %s: %d: %w", method, url, answer.StatusCode, err)
	}
	return answer.StatusCode, nil
}

// headers are all that an answer may have.
var headers = []string{"Allow", "Cache-Control", "Connection", "Content-Length", "Content-Type", "X-Content-Type-Options"}

// inspect finds what an answer must not have, or lacks.
func inspect(method string, answer *http.Response, body string) error {
	want, status := bodies[answer.StatusCode]
	if !status {
		want = refused
	}
	length := strconv.Itoa(len(want))
	if method == http.MethodHead {
		want = ""
	}
	for name := range answer.Header {
		if !slices.Contains(headers, name) {
			return fmt.Errorf("header %s: must be one of %q", name, headers)
		}
	}
	for name, must := range map[string]string{
		"Cache-Control": "no-store", "Content-Type": "application/json", "Content-Length": length,
	} {
		if got := answer.Header.Get(name); got != must {
			return fmt.Errorf("%s %q: must be %q, of %v", name, got, must, slices.Sorted(maps.Keys(answer.Header)))
		}
	}
	if body != want {
		return fmt.Errorf("body %q: must be %q", body, want)
	}
	return nil
}
