package headtest

import (
	"slices"
	"strings"
)

// Paths are the targets that exist in the requests.
var Paths = []string{"/startup", "/ready", "/live"}

// Row is one request.
type Row struct {
	Name string
	Raw  string
	// Code is what it deserves when it arrives in one piece.
	Code int
	// Early is what its first part deserves, if that may be answered before the
	// rest arrives, and otherwise 0. It is so for bytes after a head.
	Early int
	// Cut says that the head never ends: there is no verdict until the client
	// shuts its side.
	Cut bool
}

// Head tells whether the reply must have no body.
func (r Row) Head() bool { return strings.HasPrefix(r.Raw, "HEAD ") }

// Rows returns every request, made for a server whose Host is host.
func Rows(host string) []Row {
	rows := slices.Concat(accepted, unknown, methods, hosts, versions, lines, fields, bodies, following, tooLarge, foreign, precedence)
	port := host[strings.LastIndexByte(host, ':')+1:]
	for i := range rows {
		raw := strings.NewReplacer("{host}", host, "{port}", port).Replace(rows[i].Raw)
		raw = fill(raw, "{full}", 4096)
		rows[i].Raw = fill(raw, "{over}", 4097)
	}
	return rows
}

// h is a Host field that is right.
const h = "Host: {host}\r\n"

// many returns n fields.
func many(n int) string { return strings.Repeat("X: y\r\n", n) }

// fill puts as many letters in the place of mark as make the head size bytes long.
func fill(raw, mark string, size int) string {
	before, after, found := strings.Cut(raw, mark)
	if !found {
		return raw
	}
	end := strings.Index(after, "\r\n\r\n") + len("\r\n\r\n")
	return before + strings.Repeat("a", size-len(before)-end) + after
}
