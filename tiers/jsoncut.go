package tiers

import (
	"slices"
	"unicode/utf8"

	"github.com/loopvitals/loopvitals/check"
)

// maxBody is the most bytes a body has (R22).
const maxBody = 64 << 10

// headRoom is the most bytes that appendHead writes: the fixed text and two
// numbers of up to 20 digits.
const headRoom = 128

// piece is an entry that stays in a body that had no room for all.
type piece struct {
	index int    // its place among the entries
	text  []byte // what is written of it
}

// appendCut appends the body of a report that is longer than a body may be.
// Room goes to statuses from worst to best: all entries of one status in brief
// first, then their details for as long as there is room, and only then to the
// next better status. So a wedged loop keeps its details before a healthy one
// is even named, and none is dropped while a healthier one stays.
func (r Report) appendCut(dst []byte) []byte {
	room := maxBody - headRoom - len(tail)
	var kept []piece
	full := false
	for _, status := range [...]check.Status{check.Unhealthy, check.Degraded, check.Healthy} {
		first := len(kept)
		for i := range r.Entries {
			if r.Entries[i].Status.Known() != status {
				continue
			}
			text := appendEntry(nil, &r.Entries[i], brief)
			if full = len(text)+1 > room; full {
				break
			}
			room -= len(text) + 1
			kept = append(kept, piece{index: i, text: text})
		}
		room = r.detail(kept[first:], room)
		if full {
			break
		}
	}
	slices.SortFunc(kept, func(a, b piece) int { return a.index - b.index })
	r.Truncated += len(r.Entries) - len(kept)

	dst = r.appendHead(dst)
	for i, p := range kept {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, p.text...)
	}
	return append(dst, tail...)
}

// detail replaces brief entries by whole ones while there is room, and returns
// the room that is left.
func (r Report) detail(kept []piece, room int) int {
	for i, p := range kept {
		text := appendEntry(nil, &r.Entries[p.index], whole)
		if more := len(text) - len(p.text); more <= room {
			room -= more
			kept[i].text = text
		}
	}
	return room
}

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
