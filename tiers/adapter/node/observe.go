package node

import (
	"bufio"
	"bytes"
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

// What answers may be another program.
var (
	errNoHTTP = errors.New("what answers does not speak HTTP: must be a node")
	errEcho   = errors.New("what answers repeats the token: must be a node")
)

// Observe asks the node behind the socket for its observation, with the token in
// the file, and returns it as it came once it has decoded it. It takes at most
// five seconds, less when ctx ends. An error is one line, and holds nothing of the
// token.
func Observe(ctx context.Context, socket, tokenFile string) ([]byte, error) {
	if err := usableSocketPath(socket); err != nil {
		return nil, err
	}
	text, err := observe(ctx, func(ctx context.Context) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", socket)
	}, func() ([]byte, error) { return readToken(tokenFile) })
	if err != nil && !errors.Is(err, errToken) {
		return nil, fmt.Errorf("node: socket %q: %w", socket, err)
	}
	return text, err
}

// dialer makes a connection to a node.
type dialer func(ctx context.Context) (net.Conn, error)

// observe is Observe over any connection.
func observe(ctx context.Context, dial dialer, read func() ([]byte, error)) ([]byte, error) {
	if ctx == nil {
		ctx = context.Background() //nolint:forbidigo // nil is a caller with no limit of its own
	}
	ctx, cancel := context.WithTimeout(ctx, maxObserve)
	defer cancel()
	token, err := read()
	if err != nil {
		return nil, err
	}
	text, err := request(ctx, dial, token)
	if errors.Is(err, errRefused) {
		// The token may have been changed between the two readings of it.
		if fresh, rereadErr := read(); rereadErr == nil && !sameToken(fresh, token) {
			return request(ctx, dial, fresh)
		}
	}
	return text, err
}

// request makes one request over a connection of its own. It speaks HTTP itself and
// not by a client, which would follow redirects, and log what a server sends out
// of turn.
func request(ctx context.Context, dial dialer, token []byte) ([]byte, error) {
	conn, err := dial(ctx)
	if err != nil {
		return nil, failure(ctx, err)
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })()

	_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: node\r\nAuthorization: %s%s\r\nConnection: close\r\n\r\n",
		path, scheme, token)
	if err != nil {
		return nil, failure(ctx, err)
	}
	reader := bufio.NewReader(io.LimitReader(conn, maxHead+2*observation.MaxBytes))
	response, err := http.ReadResponse(reader, nil)
	if err != nil {
		return nil, noHTTP(ctx, err)
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
	if bytes.Contains(text, token) {
		return nil, errEcho // and no error that quotes it
	}
	if _, err := observation.Decode(text); err != nil {
		return nil, err
	}
	return text, nil
}

// noHTTP is failure for what net/http could not read: its errors quote what came,
// which may be what was sent, the token included.
func noHTTP(ctx context.Context, err error) error {
	var network net.Error
	if ctx.Err() != nil || errors.As(err, &network) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return failure(ctx, err)
	}
	return errNoHTTP
}

// failure says in a few words why there is no answer.
func failure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return errors.New("no answer in time")
	}
	return reason(err)
}
