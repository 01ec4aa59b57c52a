package redundancy

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// snapshotText is a whole message, with %s where a table puts something else.
const snapshotText = `{"v":1,"kind":"snapshot","token":7,"sequence":3,"revision":12,` +
	`"role":"driver","builder":"10.0.0.1:4053","builtAt":"2026-01-02T03:04:05.000000006Z","nodes":[%s]}`

const twoNodes = `{"node":"10.0.0.1:4053","role":"primary"},{"node":"10.0.0.2:4053","role":"secondary"}`

const probeText = `{"v":1,"kind":"probe","prober":{"address":"10.0.0.1:4053","incarnation":"x"},` +
	`"probed":{"address":"10.0.0.2:4053","incarnation":"y"},"sequence":9,"ok":true,"probedAt":"2026-01-02T03:04:05Z"}`

// sent is the snapshot of snapshotText.
func sent() *snapshot {
	return &snapshot{
		Token: 7, Sequence: 3, Revision: 12, Role: driver, Builder: nodeA,
		BuiltAt: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC),
		Nodes:   []nodeRole{{nodeA, Primary}, {nodeB, Secondary}},
	}
}

func found() probeResult {
	return probeResult{
		prober:   cluster.Key{Address: nodeA, Incarnation: "x"},
		probed:   cluster.Key{Address: nodeB, Incarnation: "y"},
		sequence: 9, ok: true, at: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
	}
}

// TestMessagesAsTheyTravel is the form that other versions rely on.
func TestMessagesAsTheyTravel(t *testing.T) {
	got, err := encodeSnapshot(sent())
	if want := fmt.Sprintf(snapshotText, twoNodes); err != nil || string(got) != want {
		t.Errorf("snapshot %s, error %v, want\n%s", got, err, want)
	}
	got, err = encodeProbe(found())
	if err != nil || string(got) != probeText {
		t.Errorf("probe %s, error %v, want\n%s", got, err, probeText)
	}
}

// TestMessagesRoundTrip: what is sent is what is read, whatever the zone of a clock.
func TestMessagesRoundTrip(t *testing.T) {
	address := rapid.SampledFrom([]string{nodeA, nodeB, "node-a.lan:4053", "[2001:db8::1]:1", "x:65535"})
	number := rapid.Uint64Min(1)
	moment := rapid.Custom(func(t *rapid.T) time.Time {
		return time.Unix(rapid.Int64Range(0, 1<<33).Draw(t, "s"), rapid.Int64Range(0, 1e9-1).Draw(t, "ns")).
			In(time.FixedZone("", rapid.IntRange(-12, 12).Draw(t, "zone")*3600))
	})
	rapid.Check(t, func(t *rapid.T) {
		want := &snapshot{
			Token: number.Draw(t, "token"), Sequence: number.Draw(t, "sequence"),
			Revision: rapid.Uint64().Draw(t, "revision"),
			Role:     rapid.SampledFrom([]string{"", driver, "admin"}).Draw(t, "scope"),
			Builder:  address.Draw(t, "builder"), BuiltAt: moment.Draw(t, "built at"),
			Nodes: []nodeRole{},
		}
		for port := range rapid.IntRange(0, 20).Draw(t, "nodes") {
			r := Role(rapid.Uint8Range(uint8(Secondary), uint8(Detached)).Draw(t, "role"))
			if port == 3 {
				r = Primary
			}
			want.Nodes = append(want.Nodes, nodeRole{fmt.Sprintf("10.0.0.1:%d", 100+port), r})
		}
		b, err := encodeSnapshot(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := decode(b)
		if err != nil || got.probe != nil {
			t.Fatalf("error %v, %v", err, got)
		}
		if diff := cmp.Diff(want, got.snapshot); diff != "" { // times are compared as moments
			t.Fatalf("snapshot (-want +got):\n%s", diff)
		}

		result := probeResult{
			prober:   cluster.Key{Address: address.Draw(t, "prober"), Incarnation: rapid.String().Draw(t, "life")},
			probed:   cluster.Key{Address: "probed:1", Incarnation: rapid.String().Draw(t, "probed life")},
			sequence: number.Draw(t, "count"), ok: rapid.Bool().Draw(t, "ok"), at: moment.Draw(t, "at").UTC(),
		}
		if b, err = encodeProbe(result); err != nil {
			t.Fatal(err)
		}
		if got, err = decode(b); err != nil || got.snapshot != nil || !reflect.DeepEqual(*got.probe, result) {
			t.Fatalf("error %v, %+v, want %+v", err, got.probe, result)
		}
	})
}

// TestUnreadable: what nobody would send is garbage, and what a later version sends is
// told apart from it.
func TestUnreadable(t *testing.T) {
	snapshot := fmt.Sprintf(snapshotText, twoNodes)
	with := func(old, new string) string {
		for _, text := range []string{snapshot, probeText} {
			if strings.Contains(text, old) {
				return strings.Replace(text, old, new, 1)
			}
		}
		panic("the table has a row that changes nothing: " + old)
	}
	nodes := func(text string) string { return fmt.Sprintf(snapshotText, text) }
	for _, tt := range []struct {
		name, text string
		want       error
	}{
		{"a snapshot", snapshot, nil},
		{"a probe", probeText, nil},
		{"fields of a later version", with(`"v":1`, `"v":1,"later":{"a":[1]}`), nil},
		{"no nodes", nodes(""), nil},
		{"nodes that are null", with("["+twoNodes+"]", "null"), nil},
		{"without a calendar", with(`"builtAt":"2026-01-02T03:04:05.000000006Z",`, ""), nil},
		{"as large as may be", snapshot + strings.Repeat(" ", MaxMessage-len(snapshot)), nil},

		{"one byte larger", snapshot + strings.Repeat(" ", MaxMessage-len(snapshot)+1), errGarbage},
		{"nothing", "", errGarbage},
		{"no JSON", "hello", errGarbage},
		{"no object", "[1]", errGarbage},
		{"null", "null", errGarbage},
		{"an empty object", "{}", errGarbage},
		{"truncated", snapshot[:len(snapshot)-1], errGarbage},
		{"two at once", snapshot + snapshot, errGarbage},
		{"very deep", strings.Repeat("[", 20000), errGarbage},

		{"no version", with(`"v":1,`, ``), errGarbage},
		{"a version that is no number", with(`"v":1`, `"v":"1"`), errGarbage},
		{"a version that is null", with(`"v":1`, `"v":null`), errGarbage},
		{"version 0", with(`"v":1`, `"v":0`), errVersion},
		{"version 2", with(`"v":1`, `"v":2`), errVersion},
		{"version 2, and everything else is new", `{"v":2,"kind":{"a":1},"token":"x"}`, errVersion},
		{"version -1", with(`"v":1`, `"v":-1`), errVersion},

		{"no role", with(`"role":"driver",`, ``), nil},
		{"a role of two words", with(`"role":"driver"`, `"role":"the driver"`), errGarbage},
		{"no kind", with(`"kind":"snapshot",`, ``), errGarbage},
		{"another kind", with(`"kind":"snapshot"`, `"kind":"order"`), errGarbage},
		{"a kind that is no word", with(`"kind":"snapshot"`, `"kind":1`), errGarbage},
		{"a probe that says it is a snapshot", with(`"kind":"probe"`, `"kind":"snapshot"`), errGarbage},
		{"a snapshot that says it is a probe", with(`"kind":"snapshot"`, `"kind":"probe"`), errGarbage},

		{"zero token", with(`"token":7`, `"token":0`), errGarbage},
		{"no token", with(`"token":7,`, ``), errGarbage},
		{"negative token", with(`"token":7`, `"token":-7`), errGarbage},
		{"a token that is no whole number", with(`"token":7`, `"token":7.5`), errGarbage},
		{"a token that is too large", with(`"token":7`, `"token":18446744073709551616`), errGarbage},
		{"zero sequence", with(`"sequence":3`, `"sequence":0`), errGarbage},
		{"a revision that is no number", with(`"revision":12`, `"revision":"12"`), errGarbage},
		{"a year that only its own zone has", with("2026-01-02T03:04:05.000000006Z", "9999-12-31T23:00:00-02:00"), errGarbage},
		{"no calendar time", with(`"builtAt":"2026-01-02T03:04:05.000000006Z"`, `"builtAt":"yesterday"`), errGarbage},
		{"no builder", with(`"builder":"10.0.0.1:4053",`, ``), errGarbage},
		{"a host-only builder (S4.5)", with(`"builder":"10.0.0.1:4053"`, `"builder":"10.0.0.1"`), errGarbage},
		{"a builder that is not canonical", with(`"builder":"10.0.0.1:4053"`, `"builder":"10.0.0.1:04053"`), errGarbage},

		{"a host-only node (S4.5)", nodes(`{"node":"10.0.0.1","role":"primary"}`), errGarbage},
		{"a node that is not canonical (X20)", nodes(`{"node":"Node-A:1","role":"primary"}`), errGarbage},
		{"a node without a name", nodes(`{"role":"primary"}`), errGarbage},
		{"a node twice", nodes(`{"node":"a:1","role":"primary"},{"node":"a:1","role":"secondary"}`), errGarbage},
		{"nodes out of order", nodes(`{"node":"b:1","role":"primary"},{"node":"a:1","role":"secondary"}`), errGarbage},
		{"two primaries", nodes(`{"node":"a:1","role":"primary"},{"node":"b:1","role":"primary"}`), errGarbage},
		{"a word for a role that nobody knows", nodes(`{"node":"a:1","role":"leader"}`), errGarbage},
		{"a role that is unknown", nodes(`{"node":"a:1","role":"unknown"}`), errGarbage},
		{"a role in capitals", nodes(`{"node":"a:1","role":"Primary"}`), errGarbage},
		{"no role", nodes(`{"node":"a:1"}`), errGarbage},
		{"a role that is a number", nodes(`{"node":"a:1","role":1}`), errGarbage},
		{"nodes that are no list", with("["+twoNodes+"]", "{}"), errGarbage},

		{"a probe without a count", with(`"sequence":9`, `"sequence":0`), errGarbage},
		{"a probe by nobody", with(`"prober":{"address":"10.0.0.1:4053","incarnation":"x"},`, ``), errGarbage},
		{"a probe by a host", with(`"address":"10.0.0.1:4053","incarnation":"x"`, `"address":"10.0.0.1"`), errGarbage},
		{"a probe of a host", with(`"address":"10.0.0.2:4053","incarnation":"y"`, `"address":"10.0.0.2"`), errGarbage},
		{"a probe of oneself", with(`"address":"10.0.0.2:4053","incarnation":"y"`, `"address":"10.0.0.1:4053","incarnation":"x"`), errGarbage},
		{"a result that is a word", with(`"ok":true`, `"ok":"true"`), errGarbage},
		{"a probe at no time", with(`"probedAt":"2026-01-02T03:04:05Z"`, `"probedAt":0`), errGarbage},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, err := decode([]byte(tt.text))
			if !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) {
				t.Errorf("error %v, want %v", err, tt.want)
			}
			if read := m.snapshot != nil || m.probe != nil; read != (tt.want == nil) {
				t.Errorf("read %v", m)
			}
		})
	}
}

// TestNothingUnreadableIsSent: a mistake shows where it is made, and not at all peers.
func TestNothingUnreadableIsSent(t *testing.T) {
	for name, change := range map[string]func(*snapshot){
		"no token":        func(s *snapshot) { s.Token = 0 },
		"no sequence":     func(s *snapshot) { s.Sequence = 0 },
		"host-only":       func(s *snapshot) { s.Nodes[0].Node = "10.0.0.1" },
		"unknown role":    func(s *snapshot) { s.Nodes[0].Role = RoleUnknown },
		"no such role":    func(s *snapshot) { s.Nodes[0].Role = Detached + 1 },
		"no such year":    func(s *snapshot) { s.BuiltAt = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) },
		"out of order":    func(s *snapshot) { s.Nodes[0].Node = "10.0.0.9:4053" },
		"too many to say": func(s *snapshot) { s.Nodes = crowd(2000) },
	} {
		s := sent()
		change(s)
		if b, err := encodeSnapshot(s); err == nil || !strings.HasPrefix(err.Error(), "redundancy: message") {
			t.Errorf("%s: error %v, %d bytes", name, err, len(b))
		}
	}
	r := found()
	r.sequence = 0
	if _, err := encodeProbe(r); !errors.Is(err, errGarbage) {
		t.Errorf("a probe that is none: error %v", err)
	}
	s := sent()
	s.Nodes = crowd(1000)
	if b, err := encodeSnapshot(s); err != nil {
		t.Errorf("a thousand nodes: %v", err)
	} else {
		t.Logf("a snapshot of 1000 nodes has %d bytes of %d", len(b), MaxMessage)
	}
}

func crowd(n int) []nodeRole {
	nodes := make([]nodeRole, n)
	for i := range nodes {
		nodes[i] = nodeRole{fmt.Sprintf("10.0.0.1:%d", 10000+i), Secondary}
	}
	return nodes
}

// FuzzDecode: whatever comes in, it is an error or a message that could be sent again
// and means the same.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(fmt.Sprintf(snapshotText, twoNodes)))
	f.Add([]byte(fmt.Sprintf(snapshotText, `{"node":"[2001:db8::1]:1","role":"detached"}`)))
	f.Add([]byte(probeText))
	f.Add([]byte(`{"v":2}`))
	f.Add([]byte(`{"v":1,"kind":"snapshot","V":2,"nodes":[{}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := decode(b)
		if err != nil {
			if err != errGarbage && err != errVersion || m != (message{}) { //nolint:errorlint // these two and no others
				t.Fatalf("error %v, %v", err, m)
			}
			return
		}
		var again []byte
		if m.snapshot != nil {
			again, err = encodeSnapshot(m.snapshot)
		} else {
			again, err = encodeProbe(*m.probe)
		}
		if err != nil {
			if len(b) > MaxMessage/8 { // spelled out it may be too long
				return
			}
			t.Fatalf("cannot be sent again: %v", err)
		}
		same, err := decode(again)
		if err != nil || !reflect.DeepEqual(m, same) {
			t.Fatalf("error %v\nwas  %+v\nread %+v", err, m, same)
		}
		if !json.Valid(again) {
			t.Fatalf("no JSON: %s", again)
		}
	})
}
