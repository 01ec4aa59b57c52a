package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// dialers is how many connections are opened at a time: the storm is to be one
// of probes, not one of handshakes.
const dialers = 256

// patience is how long a probe waits for its answer.
const patience = 30 * time.Second

// summary is what came of a storm.
type summary struct {
	Answers   map[int]int   `json:"answers"` // by status code
	Lost      int           `json:"lost"`    // probes without an answer
	Slowest   time.Duration `json:"slowestNs"`
	firstLoss error
}

// run opens all connections, then sends every probe of a round at once. It
// speaks HTTP/1.1 itself: net/http's client would share connections, and wait
// for one to be free.
func run(target string, n, rounds int) (summary, error) {
	u, err := url.Parse(target)
	if err != nil || u.Scheme != "http" || u.Host == "" {
		return summary{}, fmt.Errorf("%q: must be an http URL", target)
	}
	conns, err := open(u.Host, n)
	defer func() {
		for _, c := range conns {
			_ = c.Close()
		}
	}()
	if err != nil {
		return summary{}, err
	}
	request := fmt.Sprintf("GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", u.RequestURI(), u.Host)
	total := summary{Answers: map[int]int{}}
	for range rounds {
		total.add(volley(conns, request))
	}
	return total, nil
}

func open(host string, n int) ([]net.Conn, error) {
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		conns []net.Conn
		first error
	)
	slots := make(chan struct{}, dialers)
	for range n {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			c, err := net.DialTimeout("tcp", host, patience)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				first = err
				return
			}
			conns = append(conns, c)
		})
	}
	wg.Wait()
	return conns, first
}

// volley sends one probe on each connection.
func volley(conns []net.Conn, request string) summary {
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		total = summary{Answers: map[int]int{}}
		start = make(chan struct{})
	)
	for _, c := range conns {
		wg.Go(func() {
			<-start
			began := time.Now()
			code, err := probe(c, request)
			one := summary{Answers: map[int]int{code: 1}, Slowest: time.Since(began)}
			if err != nil {
				one = summary{Lost: 1, firstLoss: err}
			}
			mu.Lock()
			defer mu.Unlock()
			total.add(one)
		})
	}
	close(start)
	wg.Wait()
	return total
}

// probe counts as answered only when the whole body has arrived.
func probe(c net.Conn, request string) (code int, err error) {
	if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
		return 0, err
	}
	if _, err := io.Copy(c, strings.NewReader(request)); err != nil {
		return 0, err
	}
	res, err := http.ReadResponse(bufio.NewReaderSize(c, 1024), nil)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	_, err = io.Copy(io.Discard, res.Body)
	return res.StatusCode, err
}

func (s *summary) add(t summary) {
	for code, n := range t.Answers {
		s.Answers[code] += n
	}
	s.Lost += t.Lost
	s.Slowest = max(s.Slowest, t.Slowest)
	if s.firstLoss == nil {
		s.firstLoss = t.firstLoss
	}
}
