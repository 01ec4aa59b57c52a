//go:build linux

package claim

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Page is the shared memory of one node process. It is all atomics, since one
// process writes while another reads.
type Page struct {
	// Gate are the spans in which the node's gate was open, and Tier those in
	// which its GET /health/active was answered with 200.
	Gate, Tier Track
	// Freeze moves through the phases of one piece of work that is frozen
	// between its check and its use.
	Freeze atomic.Uint32

	sampled atomic.Int64
	facts   [factCount]atomic.Uint64
}

// The facts of a Report.
const (
	factAge = iota
	factUp
	factMembers
	factActive
	factConfirmed
	factCount
)

// Report is what a node says of itself at a moment.
type Report struct {
	At        int64  // boot clock, in nanoseconds
	Confirmed int64  // when its engine last confirmed it
	Age       uint64 // of its own record, 0 until it is Up
	Up        bool   // it is a full member, and its fence has not passed
	Members   uint64 // how many members it sees Up and reachable
	Active    bool   // its gate is open
}

// Say publishes the report.
func (p *Page) Say(r Report) {
	p.facts[factAge].Store(r.Age)
	p.facts[factUp].Store(number(r.Up))
	p.facts[factMembers].Store(r.Members)
	p.facts[factActive].Store(number(r.Active))
	p.facts[factConfirmed].Store(uint64(r.Confirmed))
	p.sampled.Store(r.At)
}

// Report returns the newest report. Its parts may be of two that followed each
// other.
func (p *Page) Report() Report {
	return Report{
		At:        p.sampled.Load(),
		Confirmed: int64(p.facts[factConfirmed].Load()),
		Age:       p.facts[factAge].Load(),
		Up:        p.facts[factUp].Load() == 1,
		Members:   p.facts[factMembers].Load(),
		Active:    p.facts[factActive].Load() == 1,
	}
}

func number(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

const size = int(unsafe.Sizeof(Page{}))

// Create makes the file of a page.
func Create(name string) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(f.Truncate(int64(size)), f.Close())
}

// Open maps a page that was created. It stays mapped until Close.
func Open(name string) (*Page, error) {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil {
		return nil, err
	} else if info.Size() != int64(size) {
		return nil, fmt.Errorf("claim: %s: has %d bytes, and must have %d", name, info.Size(), size)
	}
	memory, err := unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("claim: %s: %w", name, err)
	}
	// A mapping begins at a page boundary, so the atomics are aligned.
	return (*Page)(unsafe.Pointer(unsafe.SliceData(memory))), nil
}

// Close ends the mapping; the page must not be used any more.
func (p *Page) Close() error {
	return unix.Munmap(unsafe.Slice((*byte)(unsafe.Pointer(p)), size))
}
