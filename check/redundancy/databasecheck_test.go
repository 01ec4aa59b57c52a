package redundancy

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/cluster/clustertest"
)

// TestDatabaseCheck is the table of what the newest answer is worth (S4.23): without
// one Degraded, and past its bound, strictly, Unhealthy.
func TestDatabaseCheck(t *testing.T) {
	refused := errors.New("refused: " + canary)
	type shown struct {
		Status check.Status
		Text   string
		Age    any
		Failed bool
	}
	for name, c := range map[string]struct {
		answered bool
		err      error
		age      time.Duration
		want     shown
	}{
		"not yet":            {false, nil, 0, shown{check.Degraded, "has not answered yet", nil, false}},
		"not yet, for long":  {false, nil, time.Hour, shown{check.Degraded, "has not answered yet", nil, false}},
		"reachable":          {true, nil, 1500 * time.Microsecond, shown{check.Healthy, "reachable", int64(1), false}},
		"unreachable":        {true, refused, time.Second, shown{check.Unhealthy, "unreachable", int64(1000), true}},
		"at the bound":       {true, nil, 30 * time.Second, shown{check.Healthy, "reachable", int64(30000), false}},
		"past it":            {true, nil, 30*time.Second + 1, shown{check.Unhealthy, "has not answered for too long", int64(30000), true}},
		"unreachable and so": {true, refused, time.Minute, shown{check.Unhealthy, "has not answered for too long", int64(60000), true}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := sceneOf(t, clustertest.NewScriptFollowing(clustertest.Clock{}, nodeA))
				d := s.Database()
				if c.answered {
					s.answers(c.err)
				}
				time.Sleep(c.age)
				r := d.Check(t.Context())
				got := shown{r.Status, r.Description, r.Data["ageMs"], r.Err != nil}
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Error(diff)
				}
				if c.err != nil && !errors.Is(r.Err, refused) {
					t.Errorf("the log is not told of %v but of %v", refused, r.Err)
				}
				if _, instant := d.(check.Instant); !instant {
					t.Error("it is no Instant")
				}
			})
		})
	}
}

// TestDatabaseCheckAsksNothing: the check and the service level read one answer.
func TestDatabaseCheckAsksNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		n, err := New(Config{Database: func(context.Context) error { asked++; return nil }}, WithClock(clustertest.Clock{}))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- n.Run(ctx) }()
		time.Sleep(time.Second)
		for range 100 {
			if r := n.Database().Check(ctx); r.Status != check.Healthy || r.Data["ageMs"] != int64(1000) {
				t.Fatalf("%v %v", r.Status, r.Data)
			}
		}
		if asked != 1 || n.ServiceLevel() != 250 {
			t.Errorf("asked %d times, level %d", asked, n.ServiceLevel())
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// TestDatabaseCheckNotConfigured: it is refused where it is registered.
func TestDatabaseCheckNotConfigured(t *testing.T) {
	n, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	for name, d := range map[string]check.Checker{"none": n.Database(), "nil": (*Node)(nil).Database(), "zero": new(Node).Database()} {
		if _, err := check.NewRunner("database", d, check.Sampling{}); err == nil {
			t.Errorf("%s: registered", name)
		}
	}
}

// brokenClock is one that tells no time.
type brokenClock struct{}

func (brokenClock) Now() cluster.Instant { panic(canary) }

// TestDatabaseCheckWithoutAClock: what has no age is not known to be fresh.
func TestDatabaseCheckWithoutAClock(t *testing.T) {
	n, err := New(Config{Database: func(context.Context) error { return nil }}, WithClock(brokenClock{}))
	if err != nil {
		t.Fatal(err)
	}
	n.database.newest = answer{reach: Reachable}
	if r := n.Database().Check(t.Context()); r.Status != check.Unhealthy || r.Description != "the clock failed" {
		t.Errorf("%v %q", r.Status, r.Description)
	}
}
