package main

import (
	"encoding/json"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// webhook is what Alertmanager posts to. It stands for the service that wakes
// people.
type webhook struct {
	server   *http.Server
	listener net.Listener
	served   chan struct{}

	mu        sync.Mutex
	delivered []delivery
}

// delivery is one alert of one post.
type delivery struct {
	at                  time.Time
	Status              string // firing or resolved
	Labels, Annotations map[string]string
}

func startWebhook() (*webhook, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	w := &webhook{listener: listener, served: make(chan struct{})}
	w.server = &http.Server{Handler: w, ReadHeaderTimeout: 5 * time.Second}
	go func() {
		defer close(w.served)
		_ = w.server.Serve(listener) // until stop
	}()
	return w, nil
}

func (w *webhook) url() string { return "http://" + w.listener.Addr().String() + "/" }

func (w *webhook) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	var post struct{ Alerts []delivery }
	if err := json.NewDecoder(r.Body).Decode(&post); err != nil {
		http.Error(rw, err.Error(), http.StatusBadRequest)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, d := range post.Alerts {
		d.at = time.Now()
		w.delivered = append(w.delivered, d)
	}
}

// find returns the first delivery of an alert with that status from a moment on,
// whose labels are as wanted.
func (w *webhook) find(from time.Time, status string, want labels) (delivery, bool) {
	all := w.all()
	i := slices.IndexFunc(all, func(d delivery) bool {
		return !d.at.Before(from) && d.Status == status && want.in(d.Labels)
	})
	if i < 0 {
		return delivery{}, false
	}
	return all[i], true
}

func (w *webhook) all() []delivery {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.delivered)
}

func (w *webhook) stop() error {
	err := w.server.Close()
	<-w.served
	return err
}
