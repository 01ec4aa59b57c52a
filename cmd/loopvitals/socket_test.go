package main

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"sync"
	"testing"
)

// TestSocketIsAskedForItsTier has a unix: target asked at the path of the tier, and at
// that one only: no other one is healthy.
func TestSocketIsAskedForItsTier(t *testing.T) {
	for tier, path := range map[string]string{
		"ready": "/health/ready", "active": "/health/active", "live": "/healthz",
		"startup": "/health/startup", "wedged": "/health/wedged",
	} {
		t.Run(tier, func(t *testing.T) {
			var (
				lock  sync.Mutex
				asked []string
			)
			socket := onSocket(func(w http.ResponseWriter, r *http.Request) {
				lock.Lock()
				asked = append(asked, r.URL.Path)
				lock.Unlock()
				if r.URL.Path != path {
					http.NotFound(w, r)
					return
				}
				_, _ = io.WriteString(w, healthy)
			})(t)
			var stdout, stderr bytes.Buffer
			exit := run([]string{"probe", "unix:" + socket, "--tier", tier, "--timeout", "1m"}, &stdout, &stderr)
			lock.Lock()
			defer lock.Unlock()
			if exit != exitOK || !slices.Equal(asked, []string{path}) {
				t.Errorf("exit %d, asked at %q, want %q: %s%s", exit, asked, path, &stdout, &stderr)
			}
		})
	}
}
