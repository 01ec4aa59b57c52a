package node

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// dialTimeout is how long a socket that is in the way may take to show that
// somebody listens. A full queue counts as somebody.
const dialTimeout = time.Second

// socketFile is a socket in the file system, and the place of the one that this
// process made.
type socketFile struct {
	path string
	made os.FileInfo
}

// listenSocket makes a socket that only this user can connect to, from the first
// moment.
func listenSocket(path string) (net.Listener, *socketFile, error) {
	if err := usableSocketPath(path); err != nil {
		return nil, nil, err
	}
	unlock, err := lockFolder(filepath.Dir(path))
	if err != nil {
		return nil, nil, fmt.Errorf("node: socket %q: directory: %w", path, reason(err))
	}
	defer unlock()
	if err := clearStale(path); err != nil {
		return nil, nil, err
	}
	listener, err := listenPrivate(path)
	if err != nil {
		return nil, nil, fmt.Errorf("node: socket %q: %w", path, reason(err))
	}
	listener.SetUnlinkOnClose(false) // whose it is by then is for remove to find out
	made, err := os.Lstat(path)
	if err != nil {
		_ = listener.Close()
		return nil, nil, fmt.Errorf("node: socket %q: %w", path, reason(err))
	}
	return listener, &socketFile{path, made}, nil
}

func usableSocketPath(path string) error {
	switch {
	case !filepath.IsAbs(path) || strings.ContainsRune(path, 0):
		return fmt.Errorf("node: socket %q: must be an absolute path", path)
	case len(path) > maxSocketPath:
		return fmt.Errorf("node: socket path of %d bytes: must be of at most %d", len(path), maxSocketPath)
	}
	return nil
}

// clearStale removes a socket that nobody listens on, and nothing else.
func clearStale(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("node: socket %q: %w", path, reason(err))
	case info.Mode().Type() != fs.ModeSocket:
		return fmt.Errorf("node: socket %q: must be a socket or nothing, is of mode %v", path, info.Mode())
	}
	conn, err := net.DialTimeout("unix", path, dialTimeout)
	if err == nil {
		_ = conn.Close()
	}
	if err == nil || !isRefused(err) {
		return fmt.Errorf("node: socket %q: must not be in use by another process", path)
	}
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("node: socket %q: %w", path, reason(err))
	}
	return nil
}

// remove removes the socket, unless another process has put its own there since.
func (s *socketFile) remove() {
	if unlock, err := lockFolder(filepath.Dir(s.path)); err == nil {
		defer unlock()
	}
	if there, err := os.Lstat(s.path); err == nil && os.SameFile(there, s.made) {
		_ = os.Remove(s.path)
	}
}

// reason is the cause of an error without the paths that package os writes, which
// the message has already.
func reason(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}
