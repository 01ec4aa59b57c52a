package board_test

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/loopvitals/loopvitals/board"
)

// TestHostileIDs throws random ids at a board, most of them bad in one of the
// ways that ids are. What it accepts must be harmless in a scrape, a log line
// and a JSON key, and no two ids may become one; and it must not simply refuse.
func TestHostileIDs(t *testing.T) {
	n := 100_000
	if os.Getenv("LOOPVITALS_SOAK") != "" {
		n = 1_000_000
	}
	random := rand.New(rand.NewPCG(rand.Uint64(), 1))
	b := board.New()
	accepted := map[string]bool{}
	refused := 1
	if _, err := b.Register(board.Spec{ID: strings.Repeat("x", 1<<20)}); !errors.Is(err, board.ErrInvalidID) || len(err.Error()) > 200 {
		t.Errorf("an id of 1 MiB: %.300v", err)
	}
	for range n {
		spec := board.Spec{ID: hostile(random)}
		if random.IntN(4) == 0 {
			spec.Rebuild = hostile(random)
		}
		r, err := b.Register(spec)
		if err != nil {
			refused++
			continue
		}
		key := r.Key()
		if accepted[key] {
			t.Fatalf("%+q was accepted twice", key)
		}
		accepted[key] = true
		if reason := harm(key); reason != "" {
			t.Fatalf("%+q was accepted: %s", key, reason)
		}
		if o, ok := b.Get(key); !ok || o.Key != key || o.Rebuild != (spec.Rebuild != "") {
			t.Fatalf("%+q shows as %+q, rebuild %v", key, o.Key, o.Rebuild)
		}
	}
	shown := map[string]bool{}
	for o := range b.All() {
		shown[o.Key] = true
	}
	if len(shown) != len(accepted) || b.Len() != len(accepted) || b.Events().RefusedRegistrations != uint64(refused) {
		t.Errorf("%d accepted, %d shown, %d counted, %d refused: %+v", len(accepted), len(shown), b.Len(), refused, b.Events())
	}
	encoded, err := json.Marshal(shown)
	if err != nil {
		t.Fatal(err)
	}
	decoded := map[string]bool{}
	if err := json.Unmarshal(encoded, &decoded); err != nil || len(decoded) != len(shown) {
		t.Errorf("%d keys are %d in JSON: %v", len(shown), len(decoded), err)
	}
	t.Logf("%d ids, %d accepted", n, len(accepted))
	if len(accepted) < n/10 || refused < n/10 {
		t.Errorf("of %d ids %d were accepted: the test shows little", n, len(accepted))
	}
}

// harm tells what is wrong with a key that was accepted.
func harm(key string) string {
	switch {
	case key == "":
		return "it is empty"
	case len(key) > board.MaxIDBytes:
		return "it is too long"
	case !utf8.ValidString(key):
		return "it is not UTF-8"
	case strings.Count(key, "::rebuild::") > 1:
		return "it is a rebuild of a rebuild"
	}
	for _, r := range key {
		switch {
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
			return "it has a control or format character"
		case r == '\u2028', r == '\u2029':
			return "it has a line separator"
		}
	}
	return ""
}

// hostile returns an id of some ordinary and some hostile parts.
func hostile(random *rand.Rand) string {
	parts := []func() string{
		func() string { return string(rune('a' + random.IntN(26))) },
		func() string { return string(rune(random.IntN(0x300))) },
		func() string { return string(rune(random.IntN(unicode.MaxRune))) },
		func() string { return string([]byte{byte(random.IntN(256)), byte(random.IntN(256))}) },
		func() string { return hostiles[random.IntN(len(hostiles))] },
	}
	// Mostly one kind of part: a mixture is nearly always refused.
	only := random.IntN(len(parts))
	var id strings.Builder
	for range 1 + random.IntN(8) {
		if random.IntN(8) == 0 {
			id.WriteString(parts[random.IntN(len(parts))]())
		} else {
			id.WriteString(parts[only]())
		}
	}
	return id.String()
}

var hostiles = []string{
	"", " ", "\x00", "\n", "\r\n", "\t", "\x1b[31m", "\x7f", "\u0085", "\u00a0", "\u00ad",
	"\u200b", "\u200e", "\u202e", "\u2066", "\u2028", "\u2029", "\ufeff", "\ufffd", "\ufffe", "\U000e0041",
	"\xff", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "::rebuild::", "::rebuild", "::", ":",
	`"`, `\`, `"}`, "<script>", "&amp;", "'; drop table", "{le=\"+Inf\"}", "# HELP", "%s%n", "../..", "${jndi}",
	strings.Repeat("é", 100), strings.Repeat("x", 200), strings.Repeat("x", 201), strings.Repeat("x", 1<<12),
}
