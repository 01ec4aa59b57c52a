package casmember

import (
	"strings"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// at is an instant in seconds, for tests that need no finer ones.
func at(seconds float64) cluster.Instant { return cluster.Instant(seconds * float64(time.Second)) }

// peer is a record of a member with a TTL of 3 s.
func peer(status cluster.Status, age uint64) record {
	return record{
		key:    cluster.Key{Address: "10.0.0.1:4053", Incarnation: "X"},
		status: status, age: age, ttl: 3 * time.Second,
	}
}

// put is the event of a record.
func put(t *testing.T, r record, revision uint64) Event {
	t.Helper()
	value, err := r.encode()
	if err != nil {
		t.Fatal(err)
	}
	return Event{Kind: Put, Key: r.name(), Value: value, Revision: revision}
}

// hear has the roster hear events at an instant.
func (r *roster) hear(t *testing.T, now cluster.Instant, events ...Event) {
	t.Helper()
	for _, e := range events {
		if err := r.apply(now, e); err != nil {
			t.Fatal(err)
		}
	}
}

var (
	reset  = Event{Kind: Reset}
	synced = Event{Kind: Synced}
)

// TestRosterHolds tells until when the owner of a record that is gone may act.
func TestRosterHolds(t *testing.T) {
	up := func(t *testing.T) Event { return put(t, peer(cluster.Up, 5), 7) }
	gone := Event{Kind: Deleted, Key: peer(cluster.Up, 5).name()}
	for _, c := range []struct {
		name string
		hear func(t *testing.T, r *roster)
		hold cluster.Instant
	}{
		{"an Up record, deleted in front of the watch", func(t *testing.T, r *roster) {
			r.hear(t, at(10), up(t))
			r.hear(t, at(11), gone)
		}, at(13)},
		{"longer ago than its TTL", func(t *testing.T, r *roster) {
			r.hear(t, at(10), up(t))
			r.hear(t, at(20), gone)
		}, at(13)},
		{"a record that was leaving", func(t *testing.T, r *roster) {
			r.hear(t, at(10), up(t), put(t, peer(cluster.Leaving, 5), 8))
			r.hear(t, at(11), gone)
		}, 0},
		{"a record that was exiting", func(t *testing.T, r *roster) {
			r.hear(t, at(10), up(t), put(t, peer(cluster.Exiting, 5), 8))
			r.hear(t, at(11), gone)
		}, 0},
		{"a record that was never Up", func(t *testing.T, r *roster) {
			r.hear(t, at(10), put(t, peer(cluster.Joining, 0), 7))
			r.hear(t, at(11), gone)
		}, 0},
		{"missing from a list: it may have been written until then", func(t *testing.T, r *roster) {
			r.hear(t, at(10), up(t))
			r.hear(t, at(12), reset)
			r.hear(t, at(13), synced)
		}, at(16)},
		{"missing from one list, and from the next", func(t *testing.T, r *roster) {
			r.hear(t, at(10), up(t))
			r.hear(t, at(12), reset, synced)
			r.hear(t, at(14), reset, synced)
		}, at(15)},
		{"missing, and a deletion is told again", func(t *testing.T, r *roster) {
			r.hear(t, at(10), up(t))
			r.hear(t, at(12), reset, synced)
			r.hear(t, at(12.5), gone)
		}, at(15)},
		{"the engine answers that it is gone", func(t *testing.T, r *roster) {
			r.hear(t, at(10), up(t))
			r.entries[gone.Key].vanish(at(12))
		}, at(15)},
		{"the engine answers that it is gone, and then the watch shows it", func(t *testing.T, r *roster) {
			r.hear(t, at(10), up(t))
			r.entries[gone.Key].vanish(at(12))
			r.hear(t, at(12.5), gone)
		}, at(13)},
		{"and shows before that it was written once more", func(t *testing.T, r *roster) {
			r.hear(t, at(10), up(t))
			r.entries[gone.Key].vanish(at(12))
			r.hear(t, at(12.5), put(t, peer(cluster.Up, 5), 8), gone)
		}, at(15.5)},
		{"the engine answers that it is gone, then a list, and a deletion is told again", func(t *testing.T, r *roster) {
			r.hear(t, at(10), up(t))
			r.entries[gone.Key].vanish(at(12))
			r.hear(t, at(12.5), reset, synced, gone)
		}, at(15)},
		{"listed again at the revision that was known", func(t *testing.T, r *roster) {
			r.hear(t, at(10), up(t))
			r.hear(t, at(12), reset, up(t), synced)
			r.hear(t, at(12.5), gone)
		}, at(13)},
		{"listed again after it was gone, at the revision that was known", func(t *testing.T, r *roster) {
			r.hear(t, at(10), up(t))
			r.hear(t, at(11), gone)
			r.hear(t, at(20), reset, up(t), synced)
			r.hear(t, at(20.5), gone)
		}, at(13)},
		{"listed at another revision", func(t *testing.T, r *roster) {
			r.hear(t, at(10), up(t))
			r.hear(t, at(12), reset, put(t, peer(cluster.Up, 5), 8), synced)
			r.hear(t, at(12.5), gone)
		}, at(15)},
		{"deleted within a list", func(t *testing.T, r *roster) {
			r.hear(t, at(10), up(t))
			r.hear(t, at(12), reset, put(t, peer(cluster.Up, 5), 8), gone, synced)
		}, at(15)},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRoster()
			r.hear(t, at(1), reset, synced)
			c.hear(t, &r)
			x := r.entries[gone.Key]
			if x == nil || !x.gone || x.hold != c.hold {
				t.Errorf("%+v, want gone with hold %d", x, c.hold)
			}
		})
	}
}

func TestRosterTakesAListWhenItIsComplete(t *testing.T) {
	r := newRoster()
	e := put(t, peer(cluster.Up, 5), 7)
	r.hear(t, at(1), e) // before any list
	if len(r.entries) != 0 || r.synced {
		t.Error("deaf it heard")
	}
	r.hear(t, at(2), reset, e)
	if len(r.entries) != 0 || r.synced {
		t.Error("the list counted before it was complete")
	}
	r.hear(t, at(3), synced)
	if len(r.entries) != 1 || !r.synced || r.since != at(3) || r.entries[e.Key].seen != at(3) {
		t.Errorf("%+v", r)
	}
	r.hear(t, at(4), reset)
	r.restart() // the watch broke within the list
	r.hear(t, at(5), synced, Event{Kind: Deleted, Key: e.Key})
	if r.entries[e.Key].gone || r.since != at(3) {
		t.Error("the end of a list that broke counted")
	}
}

func TestRosterReadsTheAge(t *testing.T) {
	r := newRoster()
	r.hear(t, at(1), reset, synced, put(t, peer(cluster.Joining, 0), 6))
	name := peer(cluster.Up, 0).name()
	for _, c := range []struct {
		r        record
		revision uint64
		age      uint64
	}{
		{peer(cluster.Joining, 0), 6, 0},
		{peer(cluster.Up, 0), 7, 7}, // the step to Up: its revision is the age
		{peer(cluster.Up, 7), 9, 7},
		{peer(cluster.Leaving, 7), 10, 7},
	} {
		r.hear(t, at(2), put(t, c.r, c.revision))
		if got := r.entries[name].record.age; got != c.age {
			t.Errorf("revision %d: age %d, want %d", c.revision, got, c.age)
		}
	}
}

func TestRosterForgets(t *testing.T) {
	r := newRoster()
	e := put(t, peer(cluster.Up, 5), 7)
	r.hear(t, at(1), reset, synced, e, Event{Kind: Deleted, Key: e.Key})
	r.hear(t, at(1+remembered*3)-1, reset, synced)
	if len(r.entries) != 1 {
		t.Error("forgot what an old list could show")
	}
	r.hear(t, at(1+remembered*3), reset, synced)
	if len(r.entries) != 0 {
		t.Error("it remembers for ever")
	}
	r.hear(t, at(100), e, Event{Kind: Deleted, Key: e.Key})
	r.hear(t, at(200), Event{Kind: Deleted, Key: "another"})
	if len(r.entries) != 0 {
		t.Error("it remembers for as long as the watch does not break")
	}
}

func TestRosterWithUnreadableRecords(t *testing.T) {
	r := newRoster()
	r.hear(t, at(1), reset, synced)
	foreign := Event{Kind: Put, Key: "notes", Value: []byte("do not delete"), Revision: 3}
	if err := r.apply(at(2), foreign); err == nil || len(r.entries) != 0 {
		t.Errorf("%v, %v", err, r.entries)
	}
	e := put(t, peer(cluster.Up, 5), 7)
	r.hear(t, at(3), e)
	if err := r.apply(at(4), Event{Kind: Put, Key: e.Key, Value: []byte("oops"), Revision: 8}); err == nil {
		t.Error("no error")
	}
	x := r.entries[e.Key]
	if x.record.status != cluster.Up || x.revision != 8 || x.seen != at(4) {
		t.Errorf("a member must not vanish because its record cannot be read: %+v", x)
	}
}

func TestRosterSilence(t *testing.T) {
	x := entry{record: peer(cluster.Up, 5), seen: at(10)}
	for _, c := range []struct {
		name  string
		ttl   time.Duration
		awake cluster.Instant
		want  cluster.Instant
	}{
		{"since it was seen", 3 * time.Second, at(2), at(13)},
		{"since this node is confirmed again", 3 * time.Second, at(12), at(15)},
		{"for the longer TTL: that of this node", 5 * time.Second, 0, at(15)},
		{"for the longer TTL: that of the record", 2 * time.Second, 0, at(13)},
	} {
		if got := x.silent(c.ttl, c.awake); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
	if m := x.member(at(12) - 1); !m.Reachable {
		t.Error("not reachable just before two heartbeats were missed")
	}
	if m := x.member(at(12)); m.Reachable {
		t.Error("reachable after two heartbeats were missed")
	}
}

func TestRecord(t *testing.T) {
	r := record{
		key:    cluster.Key{Address: "[fd00::1]:4053", Incarnation: "ABC-1"},
		status: cluster.Up, roles: []string{"admin", "driver"}, age: 12, ttl: 15 * time.Second,
		meta: map[string]string{"version": "1.2"},
	}
	if got, want := r.name(), "_fd00__1__4053.ABC-1"; got != want {
		t.Errorf("name %s, want %s", got, want)
	}
	value, err := r.encode()
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"v":1,"address":"[fd00::1]:4053","incarnation":"ABC-1","status":"Up","roles":["admin","driver"],"age":12,"ttlMs":15000,"meta":{"version":"1.2"}}`
	if string(value) != want {
		t.Errorf("wrote %s", value)
	}
	back, err := decode(r.name(), value)
	if err != nil || back.key != r.key || back.status != r.status || back.age != r.age || back.ttl != r.ttl ||
		strings.Join(back.roles, " ") != "admin driver" || back.meta["version"] != "1.2" {
		t.Errorf("read %+v, %v", back, err)
	}
	for name, text := range map[string]string{
		"no JSON":         `{`,
		"no version":      strings.Replace(want, `"v":1`, `"v":0`, 1),
		"another address": strings.Replace(want, "fd00::1", "fd00::2", 1),
		"another life":    strings.Replace(want, "ABC-1", "ABC-2", 1),
	} {
		if _, err := decode(r.name(), []byte(text)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for text, want := range map[string]time.Duration{`"ttlMs":0`: shortestTTL, `"ttlMs":-5`: shortestTTL, `"ttlMs":9999999999`: longestTTL} {
		got, err := decode(r.name(), []byte(strings.Replace(string(value), `"ttlMs":15000`, text, 1)))
		if err != nil || got.ttl != want {
			t.Errorf("%s: %v, %v", text, got.ttl, err)
		}
	}
	if got, err := decode(r.name(), []byte(strings.Replace(want, `"Up"`, `"Resting"`, 1))); err != nil || got.status != cluster.Unknown {
		t.Errorf("a status of another version: %v, %v", got.status, err)
	}
	if got, err := decode(r.name(), []byte(strings.Replace(want, `"v":1`, `"v":2,"weight":7`, 1))); err != nil || got.status != cluster.Up || got.age != 12 {
		t.Errorf("a record of a later version: %+v, %v", got, err)
	}
}
