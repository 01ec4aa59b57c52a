package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/loopvitals/loopvitals/tiers"
)

const (
	// maxBody is what the longest health report takes.
	maxBody = 64 << 10
	// maxHead bounds the rest of a response.
	maxHead = 64 << 10
)

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

// refuseTarget repeats the target, unless it may hold a password or a token.
func refuseTarget(text, bound string) error {
	if strings.ContainsAny(text, "@?#") {
		return fmt.Errorf("target: %s", bound)
	}
	return fmt.Errorf("target %q: %s", text, bound)
}

const mustBeURL = "must be a URL such as http://127.0.0.1:8080, or unix:PATH"

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
		return target{}, refuseTarget(text, mustBeURL)
	case u.User != nil:
		return target{}, refuseTarget(text, "must have no user: arguments can be read by every process")
	case u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return target{}, refuseTarget(text, mustBeURL)
	case u.Fragment != "" || u.RawQuery != "" || u.ForceQuery:
		return target{}, refuseTarget(text, "must have no query and no fragment: no tier follows one")
	}
	switch {
	case u.Path == "" || u.Path == "/":
		u.Path, u.RawPath = path, ""
	case tierGiven:
		return target{}, fmt.Errorf("tier %q: must not be given with the path %q", tier, u.Path)
	}
	return target{name: oneLine(u.String()), url: u.String()}, nil
}

// get makes one request over a connection of its own, and returns a response whose
// body arrived as a whole, or an error. It speaks HTTP itself and not by a client,
// which would follow redirects and proxies, and log what a server sends out of turn.
func (t target) get(ctx context.Context) (code int, body []byte, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, t.url, nil)
	if err != nil {
		return 0, nil, err
	}
	request.Close = true
	request.Header.Set("User-Agent", "loopvitals-probe")
	conn, err := t.dial(ctx, request.URL)
	if err != nil {
		return 0, nil, err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })()

	if err := request.Write(conn); err != nil {
		return 0, nil, err
	}
	response, err := read(bufio.NewReader(io.LimitReader(conn, maxHead+2*maxBody)), request)
	if err != nil {
		return 0, nil, notHTTP(err)
	}
	defer response.Body.Close()
	body, err = io.ReadAll(io.LimitReader(response.Body, maxBody+1))
	switch {
	case err != nil:
		return response.StatusCode, nil, err
	case len(body) > maxBody:
		return response.StatusCode, nil, errTooLong
	}
	return response.StatusCode, body, nil
}

// dial connects to the target, with TLS and the system's roots for https.
func (t target) dial(ctx context.Context, u *url.URL) (net.Conn, error) {
	var d net.Dialer
	if t.socket != "" {
		return d.DialContext(ctx, "unix", t.socket)
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	conn, err := d.DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	if err != nil || u.Scheme == "http" {
		return conn, err
	}
	secured := tls.Client(conn, &tls.Config{ServerName: u.Hostname()})
	if err := secured.HandshakeContext(ctx); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return secured, nil
}

// read returns the first response that is one: 1xx only announces it.
func read(r *bufio.Reader, request *http.Request) (*http.Response, error) {
	for range maxInformational {
		response, err := http.ReadResponse(r, request)
		if err != nil || response.StatusCode >= 200 || response.StatusCode == http.StatusSwitchingProtocols {
			return response, err
		}
	}
	return nil, errOnlyInformational
}

// notHTTP keeps errors of the connection apart from what the parser of package http
// says, which repeats what was sent.
func notHTTP(err error) error {
	var network *net.OpError
	if errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, errOnlyInformational) {
		return err
	}
	return errors.New("the answer is not HTTP: is this the right address?")
}

var errOnlyInformational = errors.New("nothing but informational responses: is this the right address?")

// maxInformational is how many 1xx responses may come first.
const maxInformational = 5
