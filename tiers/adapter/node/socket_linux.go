package node

import (
	"context"
	"errors"
	"net"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// maxSocketPath is what the kernel's address holds, less the zero at its end.
const maxSocketPath = 107

// listenPrivate listens on a new socket of mode 0600. On Linux the file takes its
// mode from the socket that is bound, so that is set before: neither is there a
// moment at which others could connect, nor is the process's umask touched.
func listenPrivate(path string) (*net.UnixListener, error) {
	private := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) error {
		var failed error
		if err := c.Control(func(fd uintptr) { failed = unix.Fchmod(int(fd), 0o600) }); err != nil {
			return err
		}
		return failed
	}}
	//nolint:forbidigo // listening does not wait
	listener, err := private.Listen(context.Background(), "unix", path)
	if err != nil {
		return nil, err
	}
	return listener.(*net.UnixListener), nil
}

// lockFolder keeps two nodes that start at the same moment from taking a stale
// socket over from each other. The lock ends with the process at the latest.
func lockFolder(folder string) (unlock func(), err error) {
	file, err := os.OpenFile(folder, os.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	// It is held for as long as it takes to dial a socket. Whoever can read the
	// folder can hold it for longer, so the wait is bounded.
	for range lockTries {
		if err = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err == nil {
			return func() { _ = file.Close() }, nil
		}
		time.Sleep(lockPause) //nolint:forbidigo // the kernel tells nobody that a lock is free
	}
	_ = file.Close()
	return nil, errLocked
}

// How long a lock is waited for.
const (
	lockTries = 100
	lockPause = 10 * time.Millisecond
)

var errLocked = errors.New("must not be locked by another process")

func isRefused(err error) bool { return errors.Is(err, unix.ECONNREFUSED) }
