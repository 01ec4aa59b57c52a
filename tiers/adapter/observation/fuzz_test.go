package observation

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzDecode wants that Decode never panics, that it agrees with another reading
// about what is a document and what it says, that an accepted one is written again
// to an equal one, and that every error is short and printable.
func FuzzDecode(f *testing.F) {
	good := string(goldenText(f))
	f.Add([]byte(good))
	for _, change := range []struct{ old, new string }{
		{`"result":"succeeded"`, `"result":"failed"`},
		{`"ageMs":12`, `"ageMs":-0`},
		{`"ageMs":12`, `"ageMs":1e400`},
		{`"ageMs":12`, `"ageMs":12,"ageMs":12`},
		{`"ageMs"`, `"agems"`},
		{`"ageMs":12`, `"ageMs":null`},
		{`,"ageMs":12`, ``},
		{`"orders-1"`, `"\ud83d\ude00\\ud800"`},
		{`"orders-1"`, `"\ud800"`},
		{`"orders-1"`, `"\\\ud800\\\udc00"`},
		{`"orders-1"`, "\"\xff\""},
		{`"complete":true,`, `"\u0063omplete" : false ,`},
		{`"listeners":[`, `"listeners":[[[[[`},
		{`"internal"`, `"public"`},
		{"}}\n", "}}}"},
	} {
		changed := strings.Replace(good, change.old, change.new, 1)
		if changed == good {
			f.Fatalf("%q is not in the document", change.old)
		}
		f.Add([]byte(changed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := Decode(text)
		want, wantErr := readByReference(text)
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("read: %v, by encoding/json: %v", err, wantErr)
		}
		if err != nil {
			wantShort(t, err)
			return
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("by encoding/json it says otherwise: %s", diff)
		}
		written, err := got.Append(nil)
		if err != nil {
			t.Fatalf("cannot be written again: %v", err)
		}
		again, err := Decode(written)
		if err != nil {
			t.Fatalf("cannot be read again: %v", err)
		}
		if diff := cmp.Diff(got, again); diff != "" {
			t.Fatal(diff)
		}
	})
}

// wantShort wants an error that fits a line of a log, whoever wrote the document.
func wantShort(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, ErrInvalid) || len(err.Error()) > 256 {
		t.Errorf("an error of %d bytes: %v", len(err.Error()), err)
	}
	for _, c := range []byte(err.Error()) {
		if c < ' ' || c > '~' {
			t.Fatalf("error has the byte %#x: %q", c, err)
		}
	}
}
