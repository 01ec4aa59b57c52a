package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"time"

	"github.com/loopvitals/loopvitals/otelbridge/mixin/promtest"
)

// consumer is one running process of examples/consumer.
type consumer struct {
	*promtest.Process
	url    string
	client *http.Client
	folder string
}

// serving is the line in which it tells its address.
var serving = regexp.MustCompile(`serving on (http://\S+),`)

// startConsumer starts one that listens on a free port. The variables are for
// its OpenTelemetry SDK. A start ends with ctx, and the process with Stop.
func startConsumer(ctx context.Context, path string, variables []string, args ...string) (_ *consumer, err error) {
	c := &consumer{client: &http.Client{Timeout: 2 * time.Second, Transport: &http.Transport{}}}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Stop())
		}
	}()
	// A process that is killed cannot tidy up, so its files get a folder that
	// is removed here.
	if c.folder, err = os.MkdirTemp("", "loopvitals-e2e-"); err != nil {
		return nil, err
	}
	command := exec.Command(path, append([]string{"-serve", "127.0.0.1:0"}, args...)...)
	command.Env = append(append(os.Environ(), "TMPDIR="+c.folder), variables...)
	if c.Process, err = promtest.StartProcess("consumer", command); err != nil {
		return nil, err
	}
	c.url, err = c.Await(ctx, serving)
	return c, err
}

// Stop ends the process, if it still runs, and removes its files.
func (c *consumer) Stop() error {
	var errs []error
	if c.Process != nil {
		errs = append(errs, c.Process.Stop())
	}
	c.client.CloseIdleConnections()
	if c.folder != "" {
		errs = append(errs, os.RemoveAll(c.folder))
	}
	return errors.Join(errs...)
}

// request returns status and body.
func (c *consumer) request(ctx context.Context, method, path string) (int, []byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.url+path, nil)
	if err != nil {
		return 0, nil, err
	}
	response, err := c.client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return response.StatusCode, body, err
}

// turn turns a knob of the consumer, such as wedge, at the processor orders.
func (c *consumer) turn(ctx context.Context, knob string) error {
	code, body, err := c.request(ctx, http.MethodPost, "/demo/"+knob+"?processor="+processor)
	if err == nil && code != http.StatusOK {
		err = fmt.Errorf("POST /demo/%s: %d %s", knob, code, body)
	}
	return err
}
