//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// fileLock is held by one process at a time. The kernel takes it back when the
// process ends, in whatever way.
type fileLock struct{ file *os.File }

// lockFile does not wait: who comes second is told so.
func lockFile(path string) (*fileLock, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		if errors.Is(err, unix.EWOULDBLOCK) {
			err = errTaken
		}
		return nil, errors.Join(fmt.Errorf("lock %q: %w", path, err), file.Close())
	}
	return &fileLock{file}, nil
}

// held is false once another file is in the place of the one that was locked:
// the next process would lock that one, and there would be two owners.
func (l *fileLock) held() bool {
	mine, err := l.file.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(l.file.Name())
	return err == nil && os.SameFile(mine, there)
}

func (l *fileLock) close() error { return l.file.Close() }

// syncFolder makes a rename in the folder last.
func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
