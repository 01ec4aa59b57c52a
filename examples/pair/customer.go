package main

import (
	"context"
	"io"
	"net/http"
	"time"
)

// customer sends work to the address of the proxy all the time, and counts how it
// fares. It need not know that there is more than one node.
type customer struct {
	url string

	done, refused int           // answers: 200, and all others or none
	outage        time.Duration // the longest time from one 200 to the next
}

func (c *customer) run(ctx context.Context) {
	client := &http.Client{Transport: &http.Transport{}, Timeout: time.Second}
	defer client.CloseIdleConnections()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	last := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		switch code := c.send(ctx, client); {
		case code == http.StatusOK:
			c.done++
			c.outage = max(c.outage, time.Since(last))
			last = time.Now()
		case ctx.Err() == nil:
			c.refused++
		}
	}
}

func (c *customer) send(ctx context.Context, client *http.Client) (status int) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+"/orders", http.NoBody)
	if err != nil {
		return 0
	}
	answer, err := client.Do(r)
	if err != nil {
		return 0
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode
}
