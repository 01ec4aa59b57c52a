package main

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// clock numbers the orders that come in at the door. A number is given once,
// whatever becomes of the process: the file says up to where numbers may have
// been given, and a new process goes on above that.
//
// Who cannot trust the file gives no numbers. It says so in the node's native
// health, since nothing that is only retried makes a damaged file good again.
type clock struct {
	path string
	lock *fileLock // beside the file, which is replaced by every write

	mu       sync.Mutex
	loaded   bool   // the file was read once: given and reserved are known
	given    uint64 // the last number that was given, or may have been
	reserved uint64 // what the file says
}

// block is how many numbers one write of the file reserves. So many are lost at
// most when the process dies, and one write is for so many orders.
const block = 100

var (
	errDamaged = errors.New("the clock's file is damaged")
	errForeign = errors.New("the clock's file was written by somebody else")
	errTaken   = errors.New("another process has it")
)

// openClock takes the file for this process alone. A file that is missing is
// made; one that is damaged stays as it is, for somebody to look at, and the
// clock says so until a good copy is put back.
func openClock(path string) (*clock, error) {
	lock, err := lockFile(path + ".lock")
	if err != nil {
		return nil, fmt.Errorf("state %q: %w", path, err)
	}
	c := &clock{path: path, lock: lock}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if err := writeClock(path, 0); err != nil {
			return nil, errors.Join(fmt.Errorf("state %q: %w", path, err), lock.close())
		}
	}
	_ = c.intact() // loads it, or says for ever after why not
	return c, nil
}

// next gives a number.
func (c *clock) next() (uint64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.verify(); err != nil {
		return 0, err
	}
	if c.given == c.reserved {
		if err := writeClock(c.path, c.reserved+block); err != nil {
			return 0, err
		}
		c.reserved += block
	}
	c.given++
	return c.given, nil
}

// intact looks at the file: it must be whole, and say what was written last.
func (c *clock) intact() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.verify()
}

func (c *clock) verify() error {
	upTo, err := readClock(c.path)
	switch {
	case err != nil:
		return err
	case !c.loaded:
		c.loaded, c.given, c.reserved = true, upTo, upTo
	case upTo != c.reserved:
		return errForeign
	}
	return nil
}

// owned tells whether this process is the only one that writes the file.
func (c *clock) owned() bool { return c.lock.held() }

func (c *clock) close() error { return c.lock.close() }

// The file is one line: a name, a version, the number, and a checksum of all
// that. Not a byte can change without being seen.
const clockForm = "consumer-clock 1 %020d"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func encodeClock(upTo uint64) []byte {
	line := fmt.Appendf(nil, clockForm, upTo)
	return fmt.Appendf(line, " %08x\n", crc32.Checksum(line, castagnoli))
}

func readClock(path string) (upTo uint64, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", errDamaged, err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, 256)) // whatever is there now
	if err != nil {
		return 0, fmt.Errorf("%w: %w", errDamaged, err)
	}
	// Writing it again and comparing is the strictest way to read it.
	if _, err := fmt.Sscanf(string(text), clockForm, &upTo); err != nil || !bytes.Equal(text, encodeClock(upTo)) {
		return 0, errDamaged
	}
	return upTo, nil
}

// writeClock replaces the file as a whole, so that a crash leaves the old one or
// the new one.
func writeClock(path string, upTo uint64) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	_, err = file.Write(encodeClock(upTo))
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if err = os.Rename(file.Name(), path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}
