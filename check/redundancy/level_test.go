package redundancy

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// healthyPrimary is the input that the rows of the tables differ from.
var healthyPrimary = Inputs{
	Status: cluster.Up, HasRole: true, Role: Primary, Active: true,
	Database: Reachable, DatabaseAge: time.Second,
	Snapshot: true, SnapshotAge: time.Second,
	Endpoint: Reachable,
}

// but is the healthy primary with something else.
func but(changes ...func(*Inputs)) Inputs {
	in := healthyPrimary
	for _, change := range changes {
		change(&in)
	}
	return in
}

func withStatus(s cluster.Status) func(*Inputs) { return func(in *Inputs) { in.Status = s } }
func withoutRole(in *Inputs)                    { in.HasRole = false }
func withRole(r Role) func(*Inputs)             { return func(in *Inputs) { in.Role = r } }
func withoutActive(in *Inputs)                  { in.Active = false }
func withDatabase(r Reach) func(*Inputs)        { return func(in *Inputs) { in.Database = r } }

func withDatabaseAge(age time.Duration) func(*Inputs) {
	return func(in *Inputs) { in.DatabaseAge = age }
}

func withoutSnapshot(in *Inputs) { in.Snapshot, in.SnapshotAge, in.Role = false, 0, RoleUnknown }

func withSnapshotAge(age time.Duration) func(*Inputs) {
	return func(in *Inputs) { in.SnapshotAge = age }
}

func withEndpoint(r Reach) func(*Inputs) { return func(in *Inputs) { in.Endpoint = r } }

// justStale is the first age that is stale.
const justStale = 30*time.Second + 1

// TestLevel is the truth table, row by row, and what each input's absence means.
func TestLevel(t *testing.T) {
	secondary := func(in *Inputs) { in.Role, in.Active = Secondary, false }
	for _, tt := range []struct {
		name string
		in   Inputs
		want uint8
	}{
		{"nothing is known", Inputs{}, 0},

		{"S4.13 status absent", but(withStatus(cluster.Unknown)), 0},
		{"S4.13 WeaklyUp", but(withStatus(cluster.WeaklyUp)), 0},
		{"S4.13 Leaving", but(withStatus(cluster.Leaving)), 0},
		{"S4.13 Exiting", but(withStatus(cluster.Exiting)), 0},
		{"S4.13 Down", but(withStatus(cluster.Down)), 0},
		{"S4.13 Removed", but(withStatus(cluster.Removed)), 0},
		{"S4.13 a status that this version does not know", but(withStatus(cluster.Removed + 1)), 0},
		{"S4.13 lacks the role", but(withoutRole), 0},
		{"0 comes before 100", but(withoutRole, withDatabase(Unreachable), withEndpoint(Unreachable)), 0},
		{"0 comes before the roles alone", but(withStatus(cluster.Leaving), withDatabase(ReachUnknown)), 0},

		{"S4.19 database absent: primary and active", but(withDatabase(ReachUnknown)), 240},
		{"S4.19 database absent: primary", but(withDatabase(ReachUnknown), withoutActive), 200},
		{"S4.19 database absent: secondary", but(withDatabase(ReachUnknown), secondary), 100},
		{"S4.19 database absent: detached", but(withDatabase(ReachUnknown), withRole(Detached)), 0},
		{"S4.19 database absent: role absent", but(withDatabase(ReachUnknown), withRole(RoleUnknown)), 0},
		{"S4.19 database absent: a role that this version does not know", but(withDatabase(ReachUnknown), withRole(9)), 0},
		{"S4.19 an answer that this version does not know is none", but(withDatabase(9), secondary), 100},
		{"S4.19 the roles alone come before 100", but(withDatabase(ReachUnknown), withEndpoint(Unreachable)), 240},
		{"S4.19 the roles alone come before 200", but(withDatabase(ReachUnknown), withSnapshotAge(justStale)), 240},

		{"S4.14 database unreachable", but(withDatabase(Unreachable)), 100},
		{"S4.14 database unreachable and all else stale", but(withDatabase(Unreachable), withSnapshotAge(justStale), withDatabaseAge(justStale)), 100},
		{"S4.14 secondary", but(withDatabase(Unreachable), secondary), 100},
		{"S4.17 X16 endpoint unreachable, fresh", but(withEndpoint(Unreachable)), 100},
		{"X16 endpoint unreachable, stale: 100 comes before 200", but(withEndpoint(Unreachable), withSnapshotAge(justStale)), 100},

		{"S4.15 snapshot absent", but(withoutSnapshot), 200},
		{"S4.15 snapshot absent, whatever the role is said to be", but(func(in *Inputs) { in.Snapshot = false }), 200},
		{"S4.15 snapshot omits the node", but(withRole(RoleUnknown), withoutActive), 200},
		{"S4.15 snapshot old", but(withSnapshotAge(justStale)), 200},
		{"S4.15 database answer old", but(withDatabaseAge(justStale)), 200},
		{"S4.15 secondary", but(secondary, withSnapshotAge(justStale)), 200},

		{"S4.16 active node", healthyPrimary, 250},
		{"S4.12 endpoint absent is the benefit of the doubt", but(withEndpoint(ReachUnknown)), 250},
		{"S4.16 follower", but(secondary), 240},
		{"S4.16 active absent: the primary's time has run out", but(withoutActive), 240},
		{"S4.16 active, and the snapshot does not say so yet", but(withRole(Secondary)), 240},
		{"X19 Joining and primary", but(withStatus(cluster.Joining)), 240},
		{"X19 Joining and secondary", but(withStatus(cluster.Joining), secondary), 240},
		{"a role of an earlier life", but(withRole(Detached), withoutActive), 240},

		{"X27 ages absent are fresh", but(withDatabaseAge(0), withSnapshotAge(0)), 250},
		{"X27 ages below zero are fresh", but(withDatabaseAge(-5*time.Second), withSnapshotAge(-time.Hour)), 250},
		{"X27 the smallest age", but(withDatabaseAge(-1<<63), withSnapshotAge(-1<<63)), 250},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Level(tt.in); got != tt.want {
				t.Errorf("level %d, want %d", got, tt.want)
			}
			if got := DefaultLevels().Level(tt.in); got != tt.want {
				t.Errorf("level %d under the default policy spelled out, want %d", got, tt.want)
			}
		})
	}
}

// TestStaleBounds is S4.10 and X18: each source has its own bound, which is not stale
// itself.
func TestStaleBounds(t *testing.T) {
	own := LevelPolicy{DatabaseStaleAfter: time.Second, SnapshotStaleAfter: time.Minute}
	for _, tt := range []struct {
		name   string
		policy LevelPolicy
		in     Inputs
		want   uint8
	}{
		{"database at the bound", LevelPolicy{}, but(withDatabaseAge(30 * time.Second)), 250},
		{"database justStale it", LevelPolicy{}, but(withDatabaseAge(30*time.Second + 1)), 200},
		{"snapshot at the bound", LevelPolicy{}, but(withSnapshotAge(30 * time.Second)), 250},
		{"snapshot justStale it", LevelPolicy{}, but(withSnapshotAge(30*time.Second + 1)), 200},
		{"both at their bounds", LevelPolicy{}, but(withDatabaseAge(30*time.Second), withSnapshotAge(30*time.Second)), 250},
		{"database at its own bound", own, but(withDatabaseAge(time.Second), withSnapshotAge(time.Minute)), 250},
		{"database justStale its own bound", own, but(withDatabaseAge(time.Second+1), withSnapshotAge(time.Second)), 200},
		{"snapshot justStale its own bound", own, but(withSnapshotAge(time.Minute + 1)), 200},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.policy.Level(tt.in); got != tt.want {
				t.Errorf("level %d, want %d", got, tt.want)
			}
		})
	}
}

// everyInput calls f with each combination of what can be enumerated, and each age on
// both sides of its bound.
func everyInput(f func(Inputs)) {
	ages := []time.Duration{-1, 0, 30 * time.Second, justStale}
	flags := []bool{false, true}
	for s := cluster.Unknown; s <= cluster.Removed+1; s++ {
		for r := RoleUnknown; r <= Detached+1; r++ {
			for _, hasRole := range flags {
				for _, active := range flags {
					for d := ReachUnknown; d <= Unreachable+1; d++ {
						for e := ReachUnknown; e <= Unreachable+1; e++ {
							for _, snapshot := range flags {
								for _, dAge := range ages {
									for _, sAge := range ages {
										f(Inputs{s, hasRole, r, active, d, dAge, snapshot, sAge, e})
									}
								}
							}
						}
					}
				}
			}
		}
	}
}

// TestEveryInput: all five tiers are there and nothing else is (S4.18), and the highest
// is for the active node alone.
func TestEveryInput(t *testing.T) {
	seen := map[uint8]int{}
	everyInput(func(in Inputs) {
		level := Level(in)
		seen[level]++
		if level == 250 && !(in.Status == cluster.Up && in.HasRole && in.Role == Primary && in.Active) {
			t.Fatalf("250 for %+v", in)
		}
	})
	for _, level := range []uint8{0, 100, 200, 240, 250} {
		if seen[level] == 0 {
			t.Errorf("no input gives %d", level)
		}
		delete(seen, level)
	}
	if len(seen) > 0 {
		t.Errorf("levels that are in no table: %v", seen)
	}
}

// TestNever255 holds for policies that New would refuse as well (X15).
func TestNever255(t *testing.T) {
	for _, v := range []int{-1 << 63, -256, -1, 1, 254, 255, 256, 300, 511, 1<<63 - 1} {
		p := LevelPolicy{Down: v, Critical: v, Stale: v, Follower: v, Active: v}
		everyInput(func(in Inputs) {
			if level := p.Level(in); level == 255 {
				t.Fatalf("255 under %+v", p)
			}
		})
		if level := p.Level(healthyPrimary); v < 0 && level != 0 || v > 254 && level != 254 {
			t.Errorf("%d is shown as %d, and not as the nearest bound", v, level)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(rapid.Int(), rapid.IntRange(-1, 257))
		age := rapid.OneOf(rapid.Int64(), rapid.Int64Range(int64(justStale)-2, int64(justStale)))
		flag := rapid.Bool()
		p := LevelPolicy{
			Down: value.Draw(t, "down"), Critical: value.Draw(t, "critical"), Stale: value.Draw(t, "stale"),
			Follower: value.Draw(t, "follower"), Active: value.Draw(t, "active"),
			DatabaseStaleAfter: time.Duration(age.Draw(t, "database stale after")),
			SnapshotStaleAfter: time.Duration(age.Draw(t, "snapshot stale after")),
		}
		in := Inputs{
			Status: cluster.Status(rapid.Uint8Max(8).Draw(t, "status")), HasRole: flag.Draw(t, "has the role"),
			Role: Role(rapid.Uint8Max(4).Draw(t, "role")), Active: flag.Draw(t, "active"),
			Database:    Reach(rapid.Uint8Max(3).Draw(t, "database")),
			DatabaseAge: time.Duration(age.Draw(t, "database age")),
			Snapshot:    flag.Draw(t, "snapshot"), SnapshotAge: time.Duration(age.Draw(t, "snapshot age")),
			Endpoint: Reach(rapid.Uint8Max(3).Draw(t, "endpoint")),
		}
		level := p.Level(in)
		if level == 255 {
			t.Fatalf("255")
		}
		if values := p.resolve().values(); p.validate() == nil && !slices.Contains(values[:], int(level)) {
			t.Fatalf("%d, which is no value of the policy", level)
		}
	})
}

// TestOwnValues: the levels are data (X16).
func TestOwnValues(t *testing.T) {
	p := LevelPolicy{Down: 1, Critical: 2, Stale: 3, Follower: 4, Active: 254}
	for _, tt := range []struct {
		in   Inputs
		want uint8
	}{
		{Inputs{}, 1},
		{but(withDatabase(Unreachable)), 2},
		{but(withoutSnapshot), 3},
		{but(withoutActive), 4},
		{healthyPrimary, 254},
	} {
		if got := p.Level(tt.in); got != tt.want {
			t.Errorf("level %d, want %d", got, tt.want)
		}
	}
}

func TestLevelPolicyBounds(t *testing.T) {
	for _, tt := range []struct {
		name   string
		policy LevelPolicy
		want   string
	}{
		{"zero", LevelPolicy{}, ""},
		{"defaults", DefaultLevels(), ""},
		{"the narrowest", LevelPolicy{Critical: 1, Stale: 2, Follower: 3, Active: 4}, ""},
		{"the highest", LevelPolicy{Down: 250, Critical: 251, Stale: 252, Follower: 253, Active: 254}, ""},
		{"one", LevelPolicy{Critical: 150}, ""},
		{"ages", LevelPolicy{DatabaseStaleAfter: 1, SnapshotStaleAfter: 1<<63 - 1}, ""},

		{"255", LevelPolicy{Active: 255}, "redundancy: levels active 255: must be 0 to 254"},
		{"256", LevelPolicy{Active: 256}, "redundancy: levels active 256: must be 0 to 254"},
		{"negative", LevelPolicy{Down: -1}, "redundancy: levels down -1: must be 0 to 254"},
		{"negative in between", LevelPolicy{Stale: -200}, "redundancy: levels stale -200: must be 0 to 254"},
		{"two the same", LevelPolicy{Stale: 240}, "redundancy: levels follower 240: must be above stale, 240"},
		{"the same as a default below", LevelPolicy{Stale: 100}, "redundancy: levels stale 100: must be above critical, 100"},
		{"all the same", LevelPolicy{Down: 9, Critical: 9, Stale: 9, Follower: 9, Active: 9}, "redundancy: levels critical 9: must be above down, 9"},
		{"descending", LevelPolicy{Down: 5, Critical: 4, Stale: 3, Follower: 2, Active: 1}, "redundancy: levels critical 4: must be above down, 5"},
		{"below a default", LevelPolicy{Active: 230}, "redundancy: levels active 230: must be above follower, 240"},
		{"down above a default", LevelPolicy{Down: 100}, "redundancy: levels critical 100: must be above down, 100"},
		{"database age", LevelPolicy{DatabaseStaleAfter: -1}, "redundancy: levels database stale after -1ns: must be above 0, or 0 for 30s"},
		{"snapshot age", LevelPolicy{SnapshotStaleAfter: -time.Second}, "redundancy: levels snapshot stale after -1s: must be above 0, or 0 for 30s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			if err := tt.policy.validate(); err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("error %q, want %q", got, tt.want)
			}
		})
	}
}

// TestCase106 computes the level where ages are what they are here: counted from when
// the snapshot and the answer came in, and what a clock that is ahead would make of
// them.
func TestCase106(t *testing.T) {
	const came = 100 * time.Second
	for _, ahead := range []time.Duration{0, 5 * time.Second} {
		for _, tt := range []struct {
			at                 time.Duration
			primary, secondary uint8
		}{
			{came + 100*time.Millisecond, 250, 240},
			{120 * time.Second, 250, 240},
			{140 * time.Second, 200, 200},
		} {
			age := tt.at - came - ahead
			in := but(withDatabaseAge(age), withSnapshotAge(age), withEndpoint(ReachUnknown))
			if got := Level(in); got != tt.primary {
				t.Errorf("primary at %v, %v ahead: %d, want %d", tt.at, ahead, got, tt.primary)
			}
			in.Role, in.Active = Secondary, false
			if got := Level(in); got != tt.secondary {
				t.Errorf("secondary at %v, %v ahead: %d, want %d", tt.at, ahead, got, tt.secondary)
			}
		}
	}
}

// TestCase117 is the rows of the case, in order; that they are published is for Run.
func TestCase117(t *testing.T) {
	secondary := func(in *Inputs) { in.Role, in.Active = Secondary, false }
	unprobed := withEndpoint(ReachUnknown)
	for _, tt := range []struct {
		row  string
		in   Inputs
		want uint8
	}{
		{"a", Inputs{}, 0},
		{"b", but(unprobed, secondary, withDatabase(ReachUnknown), withDatabaseAge(0)), 100},
		{"c", but(unprobed, secondary), 240},
		{"d", but(unprobed), 250},
		{"e", but(unprobed, withSnapshotAge(31*time.Second)), 200},
		{"f", but(unprobed, withDatabase(Unreachable)), 100},
		{"g", but(unprobed, withStatus(cluster.Leaving)), 0},
		{"h", but(unprobed, withStatus(cluster.Leaving)), 0},
	} {
		if got := Level(tt.in); got != tt.want {
			t.Errorf("row %s: %d, want %d", tt.row, got, tt.want)
		}
	}
}
