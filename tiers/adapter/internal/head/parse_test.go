package head_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/loopvitals/loopvitals/tiers/adapter/internal/head"
	"github.com/loopvitals/loopvitals/tiers/adapter/internal/head/headtest"
)

func TestEveryRow(t *testing.T) {
	rows := headtest.Rows(host)
	names := make(map[string]bool)
	for _, row := range rows {
		if names[row.Name] {
			t.Errorf("%s: name is used twice", row.Name)
		}
		names[row.Name] = true
		want := head.Status(row.Code)
		if row.Cut {
			want = head.More
		}
		req, got := rules.Parse([]byte(row.Raw))
		if got != want || req.Head != row.Head() {
			t.Errorf("%s: %d, HEAD %t; want %d, HEAD %t: %.120q", row.Name, got, req.Head, want, row.Head(), row.Raw)
		}
		if (req.Path >= 0) != (got == head.OK) {
			t.Errorf("%s: path %d with status %d", row.Name, req.Path, got)
		}
	}
	t.Logf("%d rows", len(rows))
}

func TestPathIsTheOneAskedFor(t *testing.T) {
	for i, path := range headtest.Paths {
		req, status := rules.Parse([]byte("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n"))
		if status != head.OK || req.Path != i {
			t.Errorf("%s: path %d, status %d", path, req.Path, status)
		}
	}
}

// TestArrivalNeverChangesTheAnswer cuts every request everywhere: a part has no
// verdict, or the one that the whole has.
func TestArrivalNeverChangesTheAnswer(t *testing.T) {
	for _, row := range headtest.Rows(host) {
		wholeReq, whole := rules.Parse([]byte(row.Raw))
		for n := range min(len(row.Raw), head.MaxBytes+2) {
			req, status := rules.Parse([]byte(row.Raw[:n]))
			switch {
			case status == head.More, status == head.Status(row.Early):
			case status != whole, req != wholeReq:
				t.Errorf("%s: %d after %d bytes, %d after %d", row.Name, status, n, whole, len(row.Raw))
			}
		}
	}
}

// TestRefusedAsSoonAsWrong is for clients that wait for an answer to a line which
// they believe to be ended.
func TestRefusedAsSoonAsWrong(t *testing.T) {
	for _, tc := range []struct {
		raw  string
		want head.Status
	}{
		{"\n", head.Malformed},
		{"GET /ready HTTP/1.1\n", head.Malformed},
		{"GET /ready HTTP/1.1\r\nHost: " + host + "\r\n\n", head.Malformed},
		{"GET /ready HTTP/1.1\r\nHost: " + host + "\r\n\rX", head.Malformed},
		{"\x16", head.Malformed},
		{"GET /ready HTTP/1.1\r\n" + strings.Repeat("X: y\r\n", 16) + "X", head.TooLarge},
		{"GET /ready HTTP/1.1\r\nContent-Length: 0\r\n", head.Malformed},
		{strings.Repeat("A", head.MaxBytes), head.TooLarge},
	} {
		data := []byte(tc.raw)
		if _, status := rules.Parse(data); status != tc.want {
			t.Errorf("%.60q: %d, want %d", tc.raw, status, tc.want)
		}
		if _, status := rules.Parse(data[:len(data)-1]); status != head.More {
			t.Errorf("%.60q without its last byte: %d, want none yet", tc.raw, status)
		}
	}
}

// TestEveryByteInEveryPlace puts each of the 256 bytes into the method, the
// target, the version, a name and a value.
func TestEveryByteInEveryPlace(t *testing.T) {
	const (
		tchar  = "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
		digits = "0123456789"
	)
	visible := func(b byte) bool { return b > ' ' && b < 0x7f }
	for _, place := range []struct {
		name          string
		before, after string
		legal         func(b byte) bool
		want          head.Status // of a legal byte
	}{
		{"method", "GET", " /ready HTTP/1.1\r\nHost: " + host + "\r\n\r\n", func(b byte) bool { return strings.IndexByte(tchar, b) >= 0 }, head.NotAllowed},
		{"target", "GET /rea", "dy HTTP/1.1\r\nHost: " + host + "\r\n\r\n", visible, head.NotFound},
		{"version", "GET /ready HTTP/2.", "\r\nHost: " + host + "\r\n\r\n", func(b byte) bool { return strings.IndexByte(digits, b) >= 0 }, head.BadVersion},
		{"name", "GET /ready HTTP/1.1\r\nHost: " + host + "\r\nX", "Y: z\r\n\r\n", func(b byte) bool { return strings.IndexByte(tchar+":", b) >= 0 }, head.OK},
		{"value", "GET /ready HTTP/1.1\r\nHost: " + host + "\r\nX: y", "z\r\n\r\n", func(b byte) bool { return b == '\t' || b >= ' ' && b != 0x7f }, head.OK},
		{"host", "GET /ready HTTP/1.1\r\nHost: " + host, "x\r\n\r\n", func(b byte) bool { return b == '\t' || b >= ' ' && b != 0x7f }, head.Misdirected},
	} {
		for b := range 256 {
			b := byte(b)
			want := head.Malformed
			if place.legal(b) {
				want = place.want
			}
			raw := slices.Concat([]byte(place.before), []byte{b}, []byte(place.after))
			if _, status := rules.Parse(raw); status != want {
				t.Errorf("%#02x in the %s: %d, want %d", b, place.name, status, want)
			}
		}
	}
}

func TestZeroRulesRefuseAll(t *testing.T) {
	for _, field := range []string{"", "Host:\r\n", "Host: " + host + "\r\n"} {
		raw := []byte("GET  HTTP/1.1\r\n" + field + "\r\n")
		for _, target := range []string{"", "/", "/ready"} {
			raw := slices.Insert(slices.Clone(raw), len("GET "), []byte(target)...)
			for _, r := range []head.Rules{{}, {Paths: headtest.Paths}, {Host: host}} {
				if _, status := r.Parse(raw); status == head.OK {
					t.Errorf("%+v accept %q", r, raw)
				}
			}
		}
	}
}

func TestParseDoesNotAllocate(t *testing.T) {
	for _, row := range headtest.Rows(host) {
		raw := []byte(row.Raw)
		if n := testing.AllocsPerRun(20, func() { rules.Parse(raw) }); n != 0 {
			t.Errorf("%s: %v allocations", row.Name, n)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	for _, name := range []string{"GET", "16 fields", "4096 bytes"} {
		i := slices.IndexFunc(headtest.Rows(host), func(r headtest.Row) bool { return r.Name == name })
		raw := []byte(headtest.Rows(host)[i].Raw)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				rules.Parse(raw)
			}
		})
	}
}
