//go:build system

package main

import (
	"fmt"
	"net"
	"runtime"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// nodeAddress is where the node of these tests listens, in a network namespace that
// has nobody else.
const nodeAddress = "127.0.0.1:4053"

func init() { plays["reaches"] = playReaches }

// playReaches prints what a healthy node does, if it reaches the node.
func playReaches() {
	conn, err := net.DialTimeout("tcp", nodeAddress, time.Second)
	if err == nil {
		_ = conn.Close()
		fmt.Println(healthyDocument)
	}
}

// in runs f in a network namespace of its own, which lives as long as something is
// in it. The thread ends with the goroutine, so nothing else comes to run there.
func in(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		if err := newNetwork(); err != nil {
			t.Error(err)
			return
		}
		f()
	}()
	<-done
}

// newNetwork gives this thread a network of its own, with a loopback interface.
func newNetwork() error {
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("unshare: %w", err)
	}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, request)
}

// TestSystemRecreatedNamespace is fault 45: the node comes up again in a network
// namespace that was made anew, as after a restart of its container, and the adapter
// is still in the old one. There it no longer reaches the node and says so, and in
// the new one nobody answers, until an adapter is started there, too.
func TestSystemRecreatedNamespace(t *testing.T) {
	in(t, func() {
		node, err := net.Listen("tcp", nodeAddress)
		if err != nil {
			t.Error(err)
			return
		}
		old := startAdapter(t, "", "reaches", nil)
		untilReady(t, old)
		if err := node.Close(); err != nil { // its container is restarted
			t.Error(err)
		}
		in(t, func() {
			node, err := net.Listen("tcp", nodeAddress)
			if err != nil {
				t.Error(err)
				return
			}
			defer node.Close()
			if code := old.code("/ready"); code != 0 {
				t.Errorf("in the new namespace the old adapter answers %d", code)
			}
			recreated := startAdapter(t, "", "reaches", nil)
			untilReady(t, recreated)
			recreated.stop(t, syscall.SIGTERM)
		})
		for _, path := range []string{"/startup", "/ready", "/live"} {
			eventually(t, "the old adapter says no to "+path, func() bool { return old.code(path) == 503 })
		}
		old.stop(t, syscall.SIGTERM)
	})
}
