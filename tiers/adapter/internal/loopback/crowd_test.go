package loopback

import (
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"time"
)

// roles are the helper processes.
var roles = map[string]func(args []string) error{"hostile": hostile, "prober": prober}

// hostile is many clients of a kind or of all, each of which comes back some time
// after it has been closed. Its arguments are the address, the kind, how many, and
// that time.
func hostile(args []string) error {
	addr, kind := args[0], args[1]
	n, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	comeback, err := time.ParseDuration(args[3])
	if err != nil {
		return err
	}
	for i := range n {
		k := kinds[i%len(kinds)]
		if kind != "all" {
			k = kind
		}
		go func() {
			for {
				if c, err := net.DialTimeout("tcp", addr, time.Second); err == nil {
					misbehave(c, addr, k)
					_ = c.Close()
				}
				time.Sleep(comeback)
			}
		}()
	}
	_, err = io.Copy(io.Discard, os.Stdin) // until the test goes away
	return err
}

var kinds = []string{"idle", "dribbling", "flooding", "deaf"}

// misbehave uses one connection until the server closes it.
func misbehave(c net.Conn, addr, kind string) {
	switch kind {
	case "idle":
		_, _ = c.Read(make([]byte, 1))
	case "dribbling":
		_, _ = io.WriteString(c, "GET /ready HTTP/1.1\r\nHost: "+addr+"\r\nX: ")
		for _, err := io.WriteString(c, "y"); err == nil; _, err = io.WriteString(c, "y") {
			time.Sleep(20 * time.Millisecond)
		}
	case "flooding":
		much := strings.Repeat("y", 16<<10)
		for _, err := io.WriteString(c, much); err == nil; _, err = io.WriteString(c, much) {
		}
	case "deaf":
		_, _ = io.WriteString(c, "GET /ready HTTP/1.1\r\nHost: "+addr+"\r\n\r\n")
		time.Sleep(time.Second)
	}
}

// prober asks n times, one after another, and prints how long each answer took in
// microseconds, or what came instead.
func prober(args []string) error {
	addr := args[0]
	n, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	for range n {
		start := time.Now()
		if err := probe(addr, "200"); err != nil {
			fmt.Println("failed:", err)
		} else {
			fmt.Println(time.Since(start).Microseconds())
		}
		time.Sleep(10 * time.Millisecond)
	}
	return nil
}

// probe is one valid request. A lost SYN is sent again after 1 s, and then after
// 2 s, which is what it waits for.
func probe(addr, code string) error {
	c, err := net.DialTimeout("tcp", addr, 5*time.Second)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	if err := c.SetDeadline(time.Now().Add(long)); err != nil {
		return err
	}
	if _, err := io.WriteString(c, "GET /ready HTTP/1.1\r\nHost: "+addr+"\r\n\r\n"); err != nil {
		return err
	}
	reply, err := io.ReadAll(c)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(string(reply), "HTTP/1.1 "+code+" ") {
		return fmt.Errorf("no %s: %.20q", code, reply)
	}
	return nil
}
