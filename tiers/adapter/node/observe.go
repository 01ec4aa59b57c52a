package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/loopvitals/loopvitals/tiers/adapter/observation"
)

// maxObserve bounds Observe whatever its context says.
const maxObserve = 5 * time.Second

// errRefused is the answer of a node that has another token.
var errRefused = errors.New("refused: must have the node's token")

// Observe asks the node behind the socket for its observation, with the token in
// the file, and returns it as it came once it has decoded it. It takes at most
// five seconds, less when ctx ends. An error is one line, and holds nothing of the
// token.
func Observe(ctx context.Context, socket, tokenFile string) ([]byte, error) {
	if ctx == nil {
		ctx = context.Background() //nolint:forbidigo // nil is a caller with no limit of its own
	}
	ctx, cancel := context.WithTimeout(ctx, maxObserve)
	defer cancel()
	if err := usableSocketPath(socket); err != nil {
		return nil, err
	}
	token, err := readToken(tokenFile)
	if err != nil {
		return nil, err
	}
	text, err := request(ctx, socket, token)
	if errors.Is(err, errRefused) {
		// The token may have been changed between the two readings of it.
		if fresh, rereadErr := readToken(tokenFile); rereadErr == nil && !sameToken(fresh, token) {
			text, err = request(ctx, socket, fresh)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("node: socket %q: %w", socket, err)
	}
	return text, nil
}

// request makes one request over a connection of its own.
func request(ctx context.Context, socket string, token []byte) ([]byte, error) {
	transport := &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, "unix", socket)
		},
		DisableKeepAlives:      true,
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxHead,
	}
	// The host is for HTTP's sake, and resolved by nobody.
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://node"+path, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", scheme+string(token))
	// No client around the transport: it would follow redirects.
	response, err := transport.RoundTrip(r)
	if err != nil {
		return nil, failure(ctx, err)
	}
	defer response.Body.Close()
	switch response.StatusCode {
	case http.StatusOK:
	case http.StatusNotFound:
		return nil, errRefused
	default:
		return nil, fmt.Errorf("status %d: must be 200", response.StatusCode)
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, observation.MaxBytes+1))
	if err != nil {
		return nil, failure(ctx, err)
	}
	if _, err := observation.Decode(text); err != nil {
		return nil, err
	}
	return text, nil
}

// failure says in a few words why there is no answer.
func failure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return errors.New("no answer in time")
	}
	return reason(err)
}
