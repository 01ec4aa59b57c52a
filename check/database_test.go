package check_test

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopvitals/loopvitals/check"
)

func TestSQLConnectivity(t *testing.T) {
	f := &fakeDB{}
	c := check.SQL(f.open(t))
	for _, tt := range []struct {
		down   error
		status check.Status
		text   string
	}{
		{nil, check.Healthy, "reachable"},
		{errors.New("dial tcp: refused"), check.Unhealthy, "unreachable"},
		{nil, check.Healthy, "reachable"},
	} {
		f.recover()
		if tt.down != nil {
			f.fail(tt.down)
		}
		got := c.Check(t.Context())
		if got.Status != tt.status || got.Description != tt.text || !errors.Is(got.Err, tt.down) {
			t.Errorf("down %v: %+v", tt.down, got)
		}
	}
	if f.pings.Load() == 0 || f.queries.Load() != 0 {
		t.Errorf("%d pings, %d queries", f.pings.Load(), f.queries.Load())
	}
}

// TestQueryReplacesConnectivity is S1.13: with a query of the caller the
// default is not called.
func TestQueryReplacesConnectivity(t *testing.T) {
	f := &fakeDB{}
	query := func(ctx context.Context, db *sql.DB) error {
		_, err := db.ExecContext(ctx, "SELECT 1")
		return err
	}
	var second error
	c := check.SQL(f.open(t), query, func(context.Context, *sql.DB) error { return second })
	if got := c.Check(t.Context()); got.Status != check.Healthy {
		t.Errorf("got %+v", got)
	}
	second = errors.New("no rows")
	if got := c.Check(t.Context()); got.Status != check.Unhealthy || !errors.Is(got.Err, second) {
		t.Errorf("got %+v", got)
	}
	f.fail(errors.New("down"))
	if got := c.Check(t.Context()); got.Status != check.Unhealthy || errors.Is(got.Err, second) {
		t.Errorf("got %+v: the first error ends the run", got)
	}
	if f.pings.Load() != 0 || f.queries.Load() != 3 {
		t.Errorf("%d pings, %d queries", f.pings.Load(), f.queries.Load())
	}
}

type pool struct{ err error } // as the pool of pgx: Ping takes a context

func (p *pool) Ping(context.Context) error { return p.err }

type bareHandle struct{ queried int }

func TestDatabaseTakesAnyHandle(t *testing.T) {
	p := &pool{}
	if got := check.Database(p).Check(t.Context()); got.Status != check.Healthy {
		t.Errorf("pool: %+v", got)
	}
	p.err = errors.New("down")
	if got := check.Database(p).Check(t.Context()); got.Status != check.Unhealthy || got.Err != p.err {
		t.Errorf("pool down: %+v", got)
	}
	h := &bareHandle{}
	c := check.Database(h, func(_ context.Context, h *bareHandle) error { h.queried++; return nil })
	if got := c.Check(t.Context()); got.Status != check.Healthy || h.queried != 1 {
		t.Errorf("bare handle: %+v", got)
	}
}

func TestDatabaseRefused(t *testing.T) {
	var none *sql.DB
	for _, tt := range []struct {
		name string
		c    check.Checker
		want string
	}{
		{"nil db", check.SQL(none), "check: handle *sql.DB nil: must not be nil"},
		{"nil query", check.SQL((&fakeDB{}).open(t), nil), "check: query 0 nil: must not be nil"},
		{"no way to ask", check.Database(&bareHandle{}), "check: handle *check_test.bareHandle: must have PingContext(ctx) or Ping(ctx), or be given a query"},
		{"nil interface", check.Database[interface{ Ping(context.Context) error }](nil), "must not be nil"},
	} {
		if _, err := check.NewRunner("db", tt.c, check.Sampling{}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
		if got := tt.c.Check(t.Context()); got.Status != check.Unhealthy || got.Description != "failed" || got.Err == nil {
			t.Errorf("%s: used without a runner it says %+v", tt.name, got)
		}
	}
}

// TestCase109DatabaseBlip follows the readiness of a database that goes away
// and comes back: Unhealthy from the first sample after it went, Healthy from
// the first after it returned, with nothing restarted in between.
func TestCase109DatabaseBlip(t *testing.T) {
	for _, tt := range []struct {
		name   string
		breaks func(*fakeDB) (repair func())
		class  check.Outcome
	}{
		{"refuses", func(f *fakeDB) func() { f.fail(errors.New("refused")); return f.recover }, check.Failed},
		{"hangs", func(f *fakeDB) func() { f.hangs.Store(true); return func() { f.hangs.Store(false) } }, check.Timeout},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &fakeDB{}
				db := sql.OpenDB(f)
				defer func() { _ = db.Close() }()
				r := newRunner(t, check.SQL(db), check.Sampling{})
				var repair func()
				for second := range 161 {
					switch second {
					case 10:
						repair = tt.breaks(f)
					case 155:
						repair()
					}
					asked := time.Now()
					got := r.Sample(t.Context())
					if second >= 10 && second < 155 {
						wantSample(t, got, check.Unhealthy, tt.class)
					} else {
						wantSample(t, got, check.Healthy, check.OK)
					}
					time.Sleep(time.Second - time.Since(asked))
				}
			})
		})
	}
}
