package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
)

// report is what a health endpoint answered, as a client sees it.
type report struct {
	Code    int    `json:"-"`
	Body    []byte `json:"-"`
	Status  string
	Entries map[string]struct {
		Status      string
		Description string
		Data        struct{ Processors []processor }
	}
}

// processor is one element of data.processors.
type processor struct {
	ID, State, Reason, Status, Worker string

	AgeMs, BusyMs, Lag, Faults float64
}

func (r report) processor(id string) (processor, bool) {
	for _, p := range r.Entries["processors"].Data.Processors {
		if p.ID == id {
			return p, true
		}
	}
	return processor{}, false
}

// probe asks once, as a load balancer or a kubelet does.
func probe(ctx context.Context, client *http.Client, url string) (r report, err error) {
	r.Code, r.Body, err = request(ctx, client, http.MethodGet, url)
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(r.Body, &r)
}

func request(ctx context.Context, client *http.Client, method, url string) (code int, body []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, method, url, nil)
	if err != nil {
		return 0, nil, err
	}
	res, err := client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	body, err = io.ReadAll(res.Body)
	return res.StatusCode, body, err
}
