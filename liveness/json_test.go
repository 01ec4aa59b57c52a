package liveness

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/check"
)

func appendJSON(t *testing.T, ps Processors) string {
	t.Helper()
	body, err := ps.AppendJSON([]byte("before"))
	if err != nil {
		t.Fatal(err)
	}
	text, ok := strings.CutPrefix(string(body), "before")
	if !ok {
		t.Fatalf("what was there is gone: %s", body)
	}
	return text
}

// TestProcessorsJSON is the wire shape: keys in order, unknown values left out.
func TestProcessorsJSON(t *testing.T) {
	tests := []struct {
		name string
		ps   Processors
		want string
	}{
		{"none", Processors{}, `[]`},
		{
			"everything",
			Processors{Board: "main", Processors: []Processor{{
				Verdict: Verdict{
					Key: "billing", Worker: "two", Status: check.Unhealthy, Reason: Stuck, State: board.Busy,
					Age: 1999*time.Microsecond + 900, Bound: 5 * second, Busy: 7 * second,
				},
				Lag: 12, LagKnown: true, LagAge: second, Faults: 3,
			}}},
			`[{"ageMs":1,"board":"main","boundMs":5000,"busyMs":7000,"faults":3,"id":"billing","lag":12,"lagAgeMs":1000,` +
				`"reason":"stuck","state":"busy","status":"Unhealthy","worker":"two"}]`,
		},
		{
			"little",
			Processors{Processors: []Processor{
				{Verdict: Verdict{Key: "a", Status: check.Healthy, Reason: Unreported, State: board.Unreported, Age: second}},
				{Verdict: Verdict{Key: "b", Status: check.Healthy, Reason: Running, State: board.Running, Bound: 5 * second}},
			}},
			`[{"faults":0,"id":"a","reason":"unreported","state":"unreported","status":"Healthy"},` +
				`{"ageMs":0,"boundMs":5000,"faults":0,"id":"b","reason":"running","state":"running","status":"Healthy"}]`,
		},
		{
			"not running here",
			Processors{Processors: []Processor{
				{Verdict: Verdict{Key: "a", Status: check.Healthy, Reason: Standby, State: board.Standby, Age: time.Hour}, Lag: 0, LagKnown: true, LagAge: time.Hour},
			}},
			`[{"faults":0,"id":"a","lag":0,"lagAgeMs":3600000,"reason":"standby","state":"standby","status":"Healthy"}]`,
		},
		{
			"a unit that began just now",
			Processors{Processors: []Processor{
				{Verdict: Verdict{Key: "a", Status: check.Healthy, Reason: Busy, State: board.Busy, Bound: second}},
			}},
			`[{"ageMs":0,"boundMs":1000,"busyMs":0,"faults":0,"id":"a","reason":"busy","state":"busy","status":"Healthy"}]`,
		},
		{
			"values that are none",
			Processors{Processors: []Processor{{Verdict: Verdict{Key: "a", Status: 9, Reason: 99, State: 9}}}},
			`[{"ageMs":0,"faults":0,"id":"a","reason":"reason_99","state":"state_9","status":"Unhealthy"}]`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := appendJSON(t, test.ps); got != test.want {
				t.Errorf("JSON is\n%s\nwant\n%s", got, test.want)
			}
			// encoding/json gives the same, so users may use either.
			if body, err := json.Marshal(test.ps); err != nil || string(body) != test.want {
				t.Errorf("json.Marshal gives %s, %v", body, err)
			}
		})
	}
}

// hostile are strings that have broken reports elsewhere. A board refuses some
// of them as ids; the JSON must withstand all.
var hostile = []string{
	"", `"`, `\`, `\"`, "</script><script>alert(1)</script>", "<!--", "a&b", "\x00", "\x1f", "\x7f", "\n\r\t",
	"\u2028\u2029", "\u202e", "\ufeff", "\xff", "a\xc3", "\xed\xa0\x80", "\xf4\x90\x80\x80", "é", "日本", "🦀", "\ufffd",
	`{processor="x"} 1`, "orders::rebuild::2", "%s%n", "${jndi:ldap://x}", strings.Repeat("x", 1<<20),
}

// TestHostileStrings: whatever the strings hold, the JSON is valid, holds what a
// JSON decoder makes of the same string, and no markup.
func TestHostileStrings(t *testing.T) {
	for _, s := range hostile {
		checkString(t, s)
	}
	random := rand.New(rand.NewPCG(10, 11))
	for range 20_000 {
		raw := make([]byte, random.IntN(12))
		for i := range raw {
			raw[i] = byte(random.IntN(256))
		}
		checkString(t, string(raw))
	}
}

func checkString(t *testing.T, s string) {
	t.Helper()
	body := appendJSON(t, Processors{Board: s, Processors: []Processor{{Verdict: Verdict{Key: s, Worker: s}}}})
	var got []struct{ ID, Board, Worker string }
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Fatalf("%q: %v in %q", s, err, body)
	}
	want := strings.ToValidUTF8(s, "") // each bad byte is one U+FFFD, as encoding/json has it
	if !utf8.ValidString(s) {
		quoted, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(quoted, &want); err != nil {
			t.Fatal(err)
		}
	}
	if len(got) != 1 || got[0].ID != want || got[0].Board != want || got[0].Worker != want {
		t.Fatalf("%q became %+q, want %q", s, got, want)
	}
	if strings.ContainsAny(body, "<>&\u2028\u2029\n\x00\x7f") || !utf8.ValidString(body) {
		t.Fatalf("%q is not escaped: %q", s, body)
	}
}

// FuzzString holds appendString to encoding/json.
func FuzzString(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkString(t, s) })
}

// TestHostileIDs: every id that a board takes comes back from the JSON as it is,
// and as often as there are processors.
func TestHostileIDs(t *testing.T) {
	r := newRig(t, WithListed(1000))
	taken := map[string]bool{}
	for _, s := range hostile {
		if x, err := r.board.Register(board.Spec{ID: s}); err == nil {
			x.Fault(nil)
			taken[s] = true
		}
	}
	result := r.m.Check(t.Context())
	body, err := json.Marshal(result.Data)
	if err != nil {
		t.Fatal(err)
	}
	var data struct{ Processors []struct{ ID string } }
	if err := json.Unmarshal(body, &data); err != nil {
		t.Fatal(err)
	}
	for _, p := range data.Processors {
		if !taken[p.ID] {
			t.Errorf("%q is not an id, or came twice", p.ID)
		}
		delete(taken, p.ID)
	}
	if len(taken) != 0 || len(data.Processors) < 5 {
		t.Errorf("%d listed, missing %v", len(data.Processors), taken)
	}
}
