package tiers

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// AppendJSON appends the canonical body to dst (S1.38-S1.42): status,
// totalDurationMs, truncated when entries were left out, and the entries in
// the order of their names, no name twice. It takes at most 64 KiB: of a longer
// report the worst entries stay and the healthiest are dropped, while status
// still speaks for all of them. The error is always nil: what cannot be
// encoded is left out.
//
// Code of a check's author that runs in here (AppendJSON and MarshalJSON of
// data values) may panic, but must not block. Data of the plain kinds is
// written without an allocation; a value of any other kind costs a goroutine
// and what encoding/json costs.
func (r Report) AppendJSON(dst []byte) ([]byte, error) {
	r.Entries = canonical(r.Entries)
	if r.surelyTooLong() {
		return r.appendCut(dst), nil
	}
	start := len(dst)
	dst = r.appendHead(dst)
	for i := range r.Entries {
		if i > 0 {
			dst = append(dst, ',')
		}
		var all bool
		dst, all = appendEntry(dst, &r.Entries[i], start+maxBody)
		if !all || len(dst)-start > maxBody-len(tail) {
			return r.appendCut(dst[:start]), nil
		}
	}
	return append(dst, tail...), nil
}

// tail closes entries and the body.
const tail = "}}"

// appendHead appends all that precedes the first entry. Status comes first, for
// readers that keep only the beginning of a body, as a kubelet does.
func (r Report) appendHead(dst []byte) []byte {
	dst = append(dst, `{"status":"`...)
	dst = append(dst, r.Status.Known().String()...)
	dst = append(dst, `","totalDurationMs":`...)
	dst = strconv.AppendInt(dst, max(0, r.Total.Milliseconds()), 10)
	if r.Truncated > 0 {
		dst = append(dst, `,"truncated":`...)
		dst = strconv.AppendInt(dst, int64(r.Truncated), 10)
	}
	return append(dst, `,"entries":{`...)
}

// brief is the limit of an entry without its data and with a shortened
// description.
const brief = 0

// appendEntry appends one entry with its name; all is false when it has data
// that is not in it. Limit is the length of dst past which data is given up.
func appendEntry(dst []byte, e *Entry, limit int) (_ []byte, all bool) {
	dst = appendString(dst, e.Name)
	dst = append(dst, `:{"status":"`...)
	dst = append(dst, e.Status.Known().String()...)
	dst = append(dst, `","description":`...)
	switch {
	case e.Description == "":
		dst = append(dst, "null"...)
	case limit == brief:
		dst = appendString(dst, shorten(e.Description))
	default:
		dst = appendString(dst, e.Description)
	}
	dst = append(dst, `,"durationMs":`...)
	dst = appendMillis(dst, e.Duration)
	all = true
	if len(e.Data) > 0 {
		dst, all = appendEntryData(dst, e.Data, limit)
	}
	return append(dst, '}'), all
}

// appendEntryData appends an entry's data, or the mark that there was more of
// it than there is room for. Data of which nothing can be encoded is left out.
func appendEntryData(dst []byte, data map[string]any, limit int) (_ []byte, all bool) {
	const name, cut = `,"data":`, `,"data":{"truncated":true}`
	start := len(dst)
	if limit == brief {
		return append(dst, cut...), false
	}
	enc := dataEncoder{room: limit}
	dst, some := enc.appendData(append(dst, name...), data, 0)
	switch {
	case enc.over || len(dst) > limit:
		return append(dst[:start], cut...), false
	case !some:
		return dst[:start], true
	}
	return dst, true
}

// canonical returns entries sorted by name, with names of valid UTF-8, none of
// them twice; of two with one name the worse stays. What Evaluate returns is
// so already and is returned as it is.
func canonical(entries []Entry) []Entry {
	sound := true
	for i := range entries {
		sound = sound && utf8.ValidString(entries[i].Name) && (i == 0 || entries[i-1].Name < entries[i].Name)
	}
	if sound {
		return entries
	}
	entries = slices.Clone(entries)
	for i := range entries {
		entries[i].Name = strings.ToValidUTF8(entries[i].Name, "\ufffd")
	}
	slices.SortStableFunc(entries, func(a, b Entry) int {
		if byName := strings.Compare(a.Name, b.Name); byName != 0 {
			return byName
		}
		return int(a.Status.Known()) - int(b.Status.Known())
	})
	return slices.CompactFunc(entries, func(a, b Entry) bool { return a.Name == b.Name })
}
