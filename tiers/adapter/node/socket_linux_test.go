package node

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const atomicTakeover = true

// TestModeFromTheFirstMoment has an observer look at the socket all the time, under
// a umask that takes nothing away: it never sees another mode than 0600, nor, once
// there was one, no socket at all until it is closed.
func TestModeFromTheFirstMoment(t *testing.T) {
	defer unix.Umask(unix.Umask(0))
	path := filepath.Join(folder(t), "s")
	var (
		looks, seen atomic.Int64
		stop        = make(chan struct{})
		watching    sync.WaitGroup
	)
	watching.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			looks.Add(1)
			if info, err := os.Lstat(path); err == nil {
				seen.Add(1)
				if !isSocket(info) || info.Mode().Perm() != 0o600 {
					t.Errorf("mode %v", info.Mode())
					return
				}
			}
		}
	})
	deadline := time.Now().Add(30 * time.Second)
	for round := 0; (round < 300 || seen.Load() < 50) && time.Now().Before(deadline); round++ {
		l, file, err := listenSocket(path)
		must(t, err)
		if round%2 == 0 {
			file.remove()
		}
		must(t, l.Close()) // every other one leaves a stale socket
	}
	close(stop)
	watching.Wait()
	t.Logf("%d looks, %d of them saw the socket", looks.Load(), seen.Load())
	if seen.Load() < 50 {
		t.Error("the observer saw next to nothing")
	}
}

// TestFullSocketIsInUse: a process too busy to accept is a process.
func TestFullSocketIsInUse(t *testing.T) {
	path := filepath.Join(folder(t), "s")
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	must(t, err)
	defer unix.Close(fd)
	must(t, unix.Bind(fd, &unix.SockaddrUnix{Name: path}))
	must(t, unix.Listen(fd, 0))
	for range 1 {
		conn, err := net.Dial("unix", path)
		must(t, err)
		defer conn.Close()
	}
	if conn, err := net.DialTimeout("unix", path, 50*ms); err == nil {
		_ = conn.Close()
		t.Fatal("the queue is not full")
	}
	if _, _, err := listenSocket(path); err == nil || !strings.Contains(err.Error(), "must not be in use") {
		t.Error(err)
	}
}

// TestLockedFolder: a lock that somebody holds for good is an error and no hang,
// and does not keep a server from removing its socket.
func TestLockedFolder(t *testing.T) {
	dir := folder(t)
	l, file, err := listenSocket(filepath.Join(dir, "s"))
	must(t, err)
	defer l.Close()
	unlock, err := lockFolder(dir)
	must(t, err)
	defer unlock()
	if _, _, err := listenSocket(filepath.Join(dir, "other")); err == nil || !strings.HasSuffix(err.Error(), fmt.Sprint("directory: ", errLocked)) {
		t.Error(err)
	}
	file.remove()
	if _, err := os.Lstat(filepath.Join(dir, "s")); !os.IsNotExist(err) {
		t.Error("it is still there")
	}
}

// TestNamedPipeAsTokenFile is refused, not waited for.
func TestNamedPipeAsTokenFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	must(t, unix.Mkfifo(path, 0o600))
	if _, err := readToken(path); err == nil || !strings.Contains(err.Error(), "must be a regular file") {
		t.Error(err)
	}
}
