//go:build unix

package node

import (
	"os"

	"golang.org/x/sys/unix"
)

// hasModes tells that permission bits mean what they say.
const hasModes = true

// openRegular opens a file for reading, and does not wait for a writer of what
// turns out to be a named pipe.
func openRegular(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
}
