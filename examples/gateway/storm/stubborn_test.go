package main

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestStubborn has answers come too late, badly, and in time: only the last of these
// ends the requests.
func TestStubborn(t *testing.T) {
	cases := []struct {
		name string
		call func(number int) (takes time.Duration, err error)
		want []time.Duration
	}{
		{"at once", func(int) (time.Duration, error) { return 0, nil }, []time.Duration{0}},
		{"a moment before the next", func(int) (time.Duration, error) { return retry - 1, nil }, []time.Duration{0}},
		{"late, each of them", func(int) (time.Duration, error) { return retry + 1, nil }, []time.Duration{0, 5, 10, 15, 20, 25}},
		{"late, up to the third", func(n int) (time.Duration, error) {
			if n < 3 {
				return 7 * time.Second, nil
			}
			return 4 * time.Second, nil
		}, []time.Duration{0, 5, 10}},
		{"refused at once", func(int) (time.Duration, error) { return 0, errors.New("no") }, []time.Duration{0, 5, 10, 15, 20, 25}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 27*time.Second)
				defer cancel()
				began := time.Now()
				var (
					mu   sync.Mutex
					sent []time.Duration
				)
				stubborn(ctx, retry, func(context.Context) error {
					mu.Lock()
					sent = append(sent, time.Since(began)/time.Second)
					takes, err := c.call(len(sent))
					mu.Unlock()
					time.Sleep(takes)
					return err
				})
				if !slices.Equal(sent, c.want) {
					t.Errorf("sent at %d s, want %d", sent, c.want)
				}
			})
		})
	}
}
