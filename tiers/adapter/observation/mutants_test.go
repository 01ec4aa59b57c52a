package observation

import (
	"bytes"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// soak asks for the long forms of the tests (make soak).
var soak = os.Getenv("LOOPVITALS_SOAK") != ""

// pieces are what the mutants are made with, beside what is in the document.
var pieces = []string{
	"{", "}", "[", "]", ",", ":", `"`, `\`, " ", "\n", "\x00", "\ufeff", "null", "true", "false", "0", "-", "1", ".0", "e400", "9007199254740992",
	`\u`, `\u0061`, `\ud83d`, `\ude00`, `\n`, `\\`, "\xff", "\xe2\x80", "é", "\u200b", "a", "A", `"a":1,`, `"node":"b",`, "{}", "[]",
	`"version":"loopvitals.observation/1",`, "failed", `{"name":"n","address":"a","owner":"o","live":true},`,
}

// fields returns a piece of the text from one mark of its structure to a later one,
// such as one field with its comma, and where it begins.
func fields(random *rand.Rand, text []byte) (piece []byte, at int) {
	var marks []int
	for i, c := range text {
		if bytes.IndexByte([]byte("{}[],"), c) >= 0 {
			marks = append(marks, i)
		}
	}
	if len(marks) < 2 {
		return nil, 0
	}
	first := random.IntN(len(marks) - 1)
	last := min(first+1+random.IntN(3), len(marks)-1)
	return bytes.Clone(text[marks[first]:marks[last]]), marks[first]
}

// mutate changes a text in one to four places.
func mutate(random *rand.Rand, text []byte) []byte {
	for range 1 + random.IntN(4) {
		at := random.IntN(len(text) + 1)
		end := min(len(text), at+random.IntN(12))
		switch piece := []byte(pieces[random.IntN(len(pieces))]); random.IntN(8) {
		case 0:
			text = slices.Insert(text, at, piece...)
		case 1:
			text = slices.Replace(text, at, end, piece...)
		case 2:
			text = slices.Delete(text, at, end)
		case 3:
			text = slices.Insert(text, random.IntN(len(text)+1), bytes.Clone(text[at:end])...)
		case 4:
			if at < len(text) {
				text[at] ^= 1 << random.IntN(8)
			}
		case 5:
			piece, at = fields(random, text)
			text = slices.Insert(text, at, piece...)
		case 6:
			piece, at = fields(random, text)
			text = slices.Delete(text, at, at+len(piece))
		case 7: // only white space, where it is allowed
			if at < len(text) && bytes.IndexByte([]byte("{}[],:"), text[at]) >= 0 {
				text = slices.Insert(text, at, " \r\n\t"[random.IntN(4)])
			}
		}
	}
	return text
}

// TestStructuredMutants compares Decode with the other reading on broken documents,
// as FuzzDecode does, but as many and the same on every machine.
func TestStructuredMutants(t *testing.T) {
	count := 5_000
	if soak {
		count = 1_000_000
	}
	random, good := rand.New(rand.NewPCG(7, 7)), goldenText(t)
	accepted := 0
	for range count {
		text := mutate(random, bytes.Clone(good))
		got, err := Decode(text)
		want, wantErr := readByReference(text)
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%s:\nread: %v\nby encoding/json: %v", text, err, wantErr)
		}
		if err != nil {
			wantShort(t, err)
			continue
		}
		accepted++
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s: by encoding/json it says otherwise: %s", text, diff)
		}
	}
	t.Logf("%d mutants, %d of them still documents", count, accepted)
	if accepted < count/50 || accepted > count/2 {
		t.Errorf("%d of %d accepted: too few of one kind to show anything", accepted, count)
	}
}
