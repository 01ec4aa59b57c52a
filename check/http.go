package check

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
)

const (
	// maxBody is how much of an answer's body is read.
	maxBody = 64 << 10
	// maxHeader bounds the answer's header.
	maxHeader = 64 << 10
)

// HTTPOption changes how HTTP asks.
type HTTPOption interface{ applyHTTP(*httpChecker) }

type httpOptionFunc func(*httpChecker)

func (f httpOptionFunc) applyHTTP(c *httpChecker) { f(c) }

// WithHead asks with HEAD in place of GET.
func WithHead() HTTPOption {
	return httpOptionFunc(func(c *httpChecker) { c.method = http.MethodHead })
}

// WithTransport asks through t, for client certificates, a proxy or a unix
// socket. Redirects are not followed through it either. Its connections are
// t's affair; the default closes each.
func WithTransport(t http.RoundTripper) HTTPOption {
	return httpOptionFunc(func(c *httpChecker) {
		if t != nil {
			c.client.Transport = t
		}
	})
}

// HTTP is a Checker that asks an http or https URL with GET: Healthy for a
// 2xx status, else Unhealthy with the status as text, such as "status 503".
// Data has the number under "status".
//
// It uses a client of its own, without proxy, cookies or kept connections, so
// that each run shows whether a new client can connect. A redirect is not
// followed: where it leads, another service would answer for this one. At most
// 64 KiB of the body are read, and a body that breaks off before that is an
// answer that did not arrive. A URL that cannot be asked gives a Checker that
// NewRunner refuses; neither it nor an error shows in a Description.
func HTTP(rawURL string, opts ...HTTPOption) Checker {
	u, err := url.Parse(rawURL)
	if err != nil {
		// The parser's text repeats the URL, which may hold a password.
		return Invalid(errors.New("check: url: must be an absolute http or https URL"))
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return Invalid(fmt.Errorf("check: url %q: must be an absolute http or https URL", u.Redacted()))
	}
	c := &httpChecker{
		method: http.MethodGet,
		url:    u.String(),
		client: http.Client{
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
			Transport: &http.Transport{
				DisableKeepAlives:      true,
				DisableCompression:     true,
				MaxResponseHeaderBytes: maxHeader,
			},
		},
	}
	for _, o := range opts {
		if o != nil {
			o.applyHTTP(c)
		}
	}
	return c
}

type httpChecker struct {
	method string
	url    string
	client http.Client
}

func (c *httpChecker) Check(ctx context.Context) Result {
	status, err := c.ask(ctx)
	if err != nil {
		return reached(err)
	}
	result := Result{
		Status:      Unhealthy,
		Description: "status " + strconv.Itoa(status),
		Data:        map[string]any{"status": status},
	}
	if status >= 200 && status <= 299 {
		result.Status = Healthy
	}
	return result
}

// ask returns the status of an answer that arrived.
func (c *httpChecker) ask(ctx context.Context) (status int, err error) {
	request, err := http.NewRequestWithContext(ctx, c.method, c.url, nil)
	if err != nil {
		return 0, err
	}
	response, err := c.client.Do(request)
	if err != nil {
		return 0, err
	}
	defer func() { _ = response.Body.Close() }()
	if _, err := io.CopyN(io.Discard, response.Body, maxBody); err != nil && !errors.Is(err, io.EOF) {
		return 0, fmt.Errorf("check: status %d, then the body broke off: %w", response.StatusCode, err)
	}
	return response.StatusCode, nil
}
