//go:build !unix

package main

import "errors"

// fileLock would be held by one process at a time.
type fileLock struct{}

// lockFile says that there is none here, so the consumer cannot be a node.
func lockFile(string) (*fileLock, error) {
	return nil, errors.New("this system has no flock, which a node needs")
}

func (*fileLock) held() bool   { return false }
func (*fileLock) close() error { return nil }

func syncFolder(string) error { return nil }
