//go:build !linux

package node

import (
	"errors"
	"net"
	"os"
	"syscall"
)

// maxSocketPath is what the smallest address of a supported system holds.
const maxSocketPath = 103

// listenPrivate listens on a new socket. Between the two calls the file has the
// mode that the umask leaves it: put it into a directory of mode 0700.
func listenPrivate(path string) (*net.UnixListener, error) {
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil && hasModes {
		_ = listener.Close()
		return nil, err
	}
	return listener, nil
}

// lockFolder locks nothing: two nodes that start at the same moment over one stale
// socket may both believe that they have it.
func lockFolder(folder string) (unlock func(), err error) {
	_, err = os.Stat(folder)
	return func() {}, err
}

func isRefused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }
