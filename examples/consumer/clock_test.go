package main

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// openTest opens a clock that the test closes.
func openTest(t *testing.T, path string) *clock {
	t.Helper()
	c, err := openClock(path)
	must(t, err)
	t.Cleanup(func() { _ = c.close() })
	return c
}

// TestNumbersAreGivenOnce goes on above all that was given before, through ends
// of the process at any moment.
func TestNumbersAreGivenOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "clock")
	last := uint64(0)
	for _, n := range []int{1, 0, block - 1, block, block + 1, 3*block + 7} {
		c := openTest(t, path)
		for range n {
			number, err := c.next()
			must(t, err)
			if number <= last || number > last+block+1 {
				t.Fatalf("%d after %d", number, last)
			}
			last = number
		}
		must(t, c.close()) // says nothing to the file: as good as a kill
	}
	if left, _ := filepath.Glob(path + ".*"); len(left) != 1 {
		t.Errorf("beside the file there are %q: must be the lock only", left)
	}
}

// TestEveryDamageIsSeen tries each bit, each length, and other texts.
func TestEveryDamageIsSeen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "clock")
	c := openTest(t, path)
	_, err := c.next()
	must(t, err)
	good, err := os.ReadFile(path)
	must(t, err)
	try := func(text []byte) {
		t.Helper()
		must(t, os.WriteFile(path, text, 0o600))
		if err := c.intact(); !errors.Is(err, errDamaged) {
			t.Errorf("%q: %v", text, err)
		}
		if _, err := c.next(); !errors.Is(err, errDamaged) {
			t.Errorf("%q: a number was given: %v", text, err)
		}
	}
	for i := range good {
		for bit := range 8 {
			bad := bytes.Clone(good)
			bad[i] ^= 1 << bit
			try(bad)
		}
		try(good[:i])
	}
	for _, text := range []string{string(good) + "\n", " " + string(good), string(good) + string(good)} {
		try([]byte(text))
	}
	must(t, os.Remove(path))
	if err := c.intact(); !errors.Is(err, errDamaged) {
		t.Errorf("a file that is gone: %v", err)
	}
	// A good file of another time is as bad: its numbers have been given.
	for _, upTo := range []uint64{0, block - 1, block + 1, math.MaxUint64} {
		must(t, os.WriteFile(path, encodeClock(upTo), 0o600))
		if err := c.intact(); !errors.Is(err, errForeign) {
			t.Errorf("a file that says %d: %v", upTo, err)
		}
	}
	// The good copy is put back.
	must(t, os.WriteFile(path, good, 0o600))
	if n, err := c.next(); n != 2 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}

// TestDamagedFileAtTheStart leaves it as it is, and goes on once it is good.
func TestDamagedFileAtTheStart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "clock")
	must(t, os.WriteFile(path, []byte("damaged"), 0o600))
	c := openTest(t, path)
	if _, err := c.next(); !errors.Is(err, errDamaged) {
		t.Errorf("a number was given: %v", err)
	}
	if text, _ := os.ReadFile(path); string(text) != "damaged" {
		t.Errorf("the file was touched: %q", text)
	}
	must(t, os.WriteFile(path, encodeClock(700), 0o600))
	if n, err := c.next(); n != 701 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}

// TestOneOwner has a second clock refused, and a lock that was moved away seen.
func TestOneOwner(t *testing.T) {
	path := filepath.Join(t.TempDir(), "clock")
	c := openTest(t, path)
	if !c.owned() {
		t.Error("who opened it does not own it")
	}
	if _, err := openClock(path); !errors.Is(err, errTaken) {
		t.Errorf("a second one: %v", err)
	}
	must(t, os.Rename(path+".lock", path+".lock.away"))
	if c.owned() {
		t.Error("owned, and there is no lock")
	}
	other := openTest(t, path)
	if c.owned() || !other.owned() {
		t.Errorf("owned by the first %v, by the second %v", c.owned(), other.owned())
	}
	must(t, other.close())
	must(t, os.Rename(path+".lock.away", path+".lock"))
	if !c.owned() {
		t.Error("the lock is back, and not owned")
	}
}

// TestClockNeedsItsFolder names the file.
func TestClockNeedsItsFolder(t *testing.T) {
	if _, err := openClock(filepath.Join(t.TempDir(), "missing", "clock")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
