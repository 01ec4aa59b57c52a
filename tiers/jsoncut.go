package tiers

import (
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/loopvitals/loopvitals/check"
)

// maxBody is the most bytes a body has.
const maxBody = 64 << 10

// headRoom is more than appendHead ever writes: its fixed text and two numbers
// of up to 20 digits.
const headRoom = 128

// leastEntry is the length of an entry with neither name nor description.
const leastEntry = len(`"":{"status":"Healthy","description":null,"durationMs":0},`)

// surelyTooLong tells, for the price of adding up lengths, that a report cannot
// be written whole, so that a long one is not encoded in vain. Escapes and data
// only make a body longer.
func (r Report) surelyTooLong() bool {
	least := 0
	for i := range r.Entries {
		least += leastEntry + len(r.Entries[i].Name)
		if text := r.Entries[i].Description; text != "" {
			least += len(text) + len(`""`) - len("null")
		}
	}
	return least > maxBody
}

// appendCut appends the body of a report that is longer than a body may be.
// Room goes to statuses from worst to best: all entries of one status in brief
// first, then their details for as long as there is room, and only then to the
// next better status. So a wedged loop keeps its details before a healthy one
// is even named, and none is dropped while a healthier one stays.
func (r Report) appendCut(dst []byte) []byte {
	c := cutters.Get().(*cutter)
	defer c.free()
	c.begin(r.Entries)
	for _, status := range [...]check.Status{check.Unhealthy, check.Degraded, check.Healthy} {
		all := c.inBrief(status)
		c.detail(status)
		if !all {
			break
		}
	}
	r.Truncated += len(r.Entries) - c.kept
	dst = r.appendHead(dst)
	first := true
	for _, s := range c.spans {
		if s.to == 0 {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(dst, c.text[s.from:s.to]...)
	}
	return append(dst, tail...)
}

// cutter chooses what stays of a report.
type cutter struct {
	entries []Entry
	text    []byte // what was encoded so far
	spans   []span // of each entry, what is written of it
	room    int    // bytes of the body that are left
	kept    int
}

// span is a part of cutter.text; the zero span is an entry that is dropped.
type span struct{ from, to int }

var cutters = sync.Pool{New: func() any { return new(cutter) }}

func (c *cutter) begin(entries []Entry) {
	c.entries = entries
	c.text = append(c.text[:0], ' ') // so that no span ends at 0
	c.spans = slices.Grow(c.spans[:0], len(entries))[:len(entries)]
	clear(c.spans)
	c.room = maxBody - headRoom - len(tail)
	c.kept = 0
}

func (c *cutter) free() {
	c.entries = nil
	if cap(c.text) <= maxPooled {
		cutters.Put(c)
	}
}

// inBrief keeps the entries of one status in brief, and tells whether there was
// room for all of them.
func (c *cutter) inBrief(status check.Status) (all bool) {
	for i := range c.entries {
		e := &c.entries[i]
		if e.Status.Known() != status {
			continue
		}
		from := len(c.text)
		c.text, _ = appendEntry(c.text, e, brief)
		size := len(c.text) - from + len(",")
		if size > c.room {
			c.text = c.text[:from]
			return false
		}
		c.room -= size
		c.spans[i] = span{from, len(c.text)}
		c.kept++
	}
	return true
}

// detail writes the kept entries of one status whole while there is room. What
// an entry has too much of is given up as soon as that is seen.
func (c *cutter) detail(status check.Status) {
	for i := range c.entries {
		e, s := &c.entries[i], c.spans[i]
		if s.to == 0 || e.Status.Known() != status || e.isBrief() {
			continue
		}
		from, room := len(c.text), c.room+s.to-s.from
		if leastEntry+len(e.Name)+len(e.Description) > room+len("null,") {
			continue
		}
		c.text, _ = appendEntry(c.text, e, from+room)
		more := len(c.text) - from - (s.to - s.from)
		if more > c.room {
			c.text = c.text[:from]
			continue
		}
		c.room -= more
		c.spans[i] = span{from, len(c.text)}
	}
}

// isBrief tells that the brief form of e is the whole of it.
func (e *Entry) isBrief() bool { return len(e.Data) == 0 && len(e.Description) <= maxBrief }

// maxBrief is the most bytes of a description that a brief entry shows.
const maxBrief = 256

// shorten cuts a long text between two characters and marks the cut.
func shorten(s string) string {
	if len(s) <= maxBrief {
		return s
	}
	end := maxBrief
	for end > maxBrief-utf8.UTFMax && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}
