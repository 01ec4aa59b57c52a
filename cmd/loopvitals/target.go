package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/loopvitals/loopvitals/tiers"
)

// maxBody is what the longest health report takes.
const maxBody = 64 << 10

// defaultTier is what -tier is when it is not given.
const defaultTier = string(tiers.Ready)

// tierPaths are the default paths of the tiers.
var tierPaths = map[string]string{
	string(tiers.Ready):   tiers.DefaultReadyPath,
	string(tiers.Active):  tiers.DefaultActivePath,
	string(tiers.Live):    tiers.DefaultLivePath,
	string(tiers.Startup): tiers.DefaultStartupPath,
	string(tiers.Wedged):  tiers.DefaultWedgedPath,
}

// target is what a probe asks.
type target struct {
	name   string // as it is told
	url    string
	socket string // of a unix: target
}

// parseTarget takes a URL or unix:PATH, and puts the tier's path where there is none.
func parseTarget(text, tier string, tierGiven bool) (target, error) {
	path, known := tierPaths[tier]
	if !known {
		return target{}, fmt.Errorf("tier %q: must be ready, active, live, startup or wedged", tier)
	}
	if socket, isSocket := strings.CutPrefix(text, "unix:"); isSocket {
		if socket == "" || strings.ContainsRune(socket, 0) {
			return target{}, fmt.Errorf("target %q: must have the path of a socket", text)
		}
		// The host is for HTTP's sake, and resolved by nobody.
		return target{name: oneLine(text + ":" + path), url: "http://localhost" + path, socket: socket}, nil
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		// The parser's text would repeat the URL, which may hold a password.
		return target{}, errors.New("target: must be a URL such as http://127.0.0.1:8080, or unix:PATH")
	case u.User != nil:
		return target{}, fmt.Errorf("target %q: must have no user: arguments can be read by every process", u.Redacted())
	case u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return target{}, fmt.Errorf("target %q: must be a URL such as http://127.0.0.1:8080, or unix:PATH", text)
	case u.Fragment != "" || u.RawQuery != "" || u.ForceQuery:
		return target{}, fmt.Errorf("target %q: must have no query and no fragment: no tier follows one", text)
	}
	switch {
	case u.Path == "" || u.Path == "/":
		u.Path, u.RawPath = path, ""
	case tierGiven:
		return target{}, fmt.Errorf("tier %q: must not be given with the path %q", tier, u.Path)
	}
	return target{name: oneLine(u.String()), url: u.String()}, nil
}

// get makes one request over a connection of its own: no redirect, no proxy. It
// returns a response whose body arrived as a whole, or an error.
func (t target) get(ctx context.Context) (code int, body []byte, err error) {
	transport := &http.Transport{DisableKeepAlives: true, DisableCompression: true, MaxResponseHeaderBytes: maxBody}
	if t.socket != "" {
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, "unix", t.socket)
		}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, t.url, nil)
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("User-Agent", "loopvitals-probe")
	// A client around the transport would follow redirects.
	response, err := transport.RoundTrip(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	body, err = io.ReadAll(io.LimitReader(response.Body, maxBody+1))
	switch {
	case err != nil:
		return response.StatusCode, nil, fmt.Errorf("status %d, then the body broke off: %w", response.StatusCode, err)
	case len(body) > maxBody:
		return response.StatusCode, nil, errTooLong
	}
	return response.StatusCode, body, nil
}
