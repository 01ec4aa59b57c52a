package tiers_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/tiers"
)

// TestRandomReports writes reports of random names, texts and data, hostile
// ones among them: each body is one valid JSON value within the limit, and no
// object in it has a key twice (F48).
func TestRandomReports(t *testing.T) {
	rounds := 10_000
	if testing.Short() {
		rounds = 500
	}
	bad := hostile()
	for seed := range uint64(rounds) {
		g := generator{rand.New(rand.NewPCG(seed, 0)), bad}
		report := g.report()
		raw, err := report.AppendJSON(nil)
		must(t, err)
		if len(raw) > bodyLimit || !json.Valid(raw) {
			t.Fatalf("seed %d: %d bytes: %q", seed, len(raw), raw)
		}
		if key, twice := repeatedKey(raw); twice {
			t.Fatalf("seed %d: key %q twice in %q", seed, key, raw)
		}
		if b := read(t, raw); b.Status != report.Status.Known().String() {
			t.Fatalf("seed %d: status %q of %v", seed, b.Status, report.Status)
		}
	}
}

// generator makes random reports.
type generator struct {
	*rand.Rand
	hostile map[string]any
}

func (g generator) report() tiers.Report {
	r := tiers.Report{Status: check.Status(g.IntN(5)), Total: time.Duration(g.Int64()) - 1, Truncated: g.IntN(3) - 1}
	n := g.IntN(12)
	if g.IntN(200) == 0 {
		n = 3000
	}
	for range n {
		e := tiers.Entry{Name: g.text(), Status: check.Status(g.IntN(5)), Description: g.text(), Duration: time.Duration(g.Int64N(1e12) - 1e10)}
		if n < 100 && g.IntN(2) == 0 {
			e.Data = g.object(0)
		}
		r.Entries = append(r.Entries, e)
	}
	return r
}

func (g generator) object(depth int) map[string]any {
	m := map[string]any{}
	for range g.IntN(5) {
		m[g.text()] = g.value(depth + 1)
	}
	return m
}

func (g generator) value(depth int) any {
	kind := g.IntN(12)
	if depth > 4 {
		kind = g.IntN(6)
	}
	switch kind {
	case 0:
		return g.text()
	case 1:
		return g.Int64()
	case 2:
		return math.Float64frombits(g.Uint64())
	case 3:
		return math.Float32frombits(g.Uint32())
	case 4:
		return time.Duration(g.Int64())
	case 5:
		return []string{g.text(), g.text()}
	case 6, 7:
		return g.object(depth)
	case 8:
		return []any{g.value(depth + 1), g.value(depth + 1)}
	case 9:
		return map[string]int{g.text(): 1, g.text(): 2}
	case 10:
		return text(g.text())
	}
	n := g.IntN(len(g.hostile))
	for name, value := range g.hostile {
		if n--; n < 0 && !strings.Contains(name, "itself") && !strings.Contains(name, "deep") { // slow, and tested by themselves
			return value
		}
	}
	return nil
}

// text is made of pieces that are trouble somewhere.
func (g generator) text() string {
	pieces := []string{
		"a", "b", "orders", "orders::rebuild::2", `"`, `\`, "\\u0061", "<b>", "&", "\x00", "\n", "\x7f", "\xff", "\xfe", "\xed\xa0\x80",
		"\u2028", "\u202e", "\u200b", "\ufffd", "é", "漢", "🎈", "{", "}", "[", "]", ":", ",", "\"}", `","status":"Healthy`, "null", "1", "-", "1e5",
	}
	var b strings.Builder
	for range g.IntN(4) {
		b.WriteString(pieces[g.IntN(len(pieces))])
	}
	if g.IntN(300) == 0 {
		b.WriteString(strings.Repeat(pieces[g.IntN(len(pieces))], 20_000))
	}
	return b.String()
}

// repeatedKey finds a key that an object has twice.
func repeatedKey(raw []byte) (string, bool) {
	decoder := json.NewDecoder(strings.NewReader(string(raw)))
	var walk func() (string, bool)
	walk = func() (string, bool) {
		token, err := decoder.Token()
		if err != nil {
			return fmt.Sprint(err), err != io.EOF
		}
		switch token {
		case json.Delim('['):
			for decoder.More() {
				if key, twice := walk(); twice {
					return key, true
				}
			}
			_, _ = decoder.Token()
		case json.Delim('{'):
			seen := map[string]bool{}
			for decoder.More() {
				token, _ := decoder.Token()
				key := token.(string)
				if seen[key] {
					return key, true
				}
				seen[key] = true
				if key, twice := walk(); twice {
					return key, true
				}
			}
			_, _ = decoder.Token()
		}
		return "", false
	}
	return walk()
}
