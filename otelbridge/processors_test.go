package otelbridge_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/liveness"
	"github.com/loopvitals/loopvitals/otelbridge"
)

// always are the metrics that a processor has from registration on.
var always = []string{"faults", "heartbeats", "reason", "rebuilding", "staleness_threshold", "starts", "status"}

// TestSeriesByState: which series a processor has, and what they say, in each
// state and on the way there.
func TestSeriesByState(t *testing.T) {
	const sec = time.Second
	cases := []struct {
		name   string
		policy liveness.Policy
		spec   board.Spec
		live   func(*board.Reporter)
		also   []string           // metrics beside those that it always has
		want   map[string]float64 // by metric, or metric and last attribute
	}{
		{
			name: "registered", live: func(*board.Reporter) {},
			want: map[string]float64{"reason,unreported": 1, "status,healthy": 1, "status,degraded": 0, "status,unhealthy": 0, "starts": 0, "staleness_threshold": 5},
		},
		{
			name: "registered, and too late", policy: liveness.Policy{StartWithin: sec},
			live: func(*board.Reporter) { time.Sleep(sec + 1) },
			want: map[string]float64{"reason,never_started": 1, "status,unhealthy": 1, "status,healthy": 0},
		},
		{
			name: "lag and position before the first beat", live: func(r *board.Reporter) { r.SetLag(3); r.SetPosition(0) },
			also: []string{"lag", "position"},
			want: map[string]float64{"reason,unreported": 1, "lag": 3, "position": 0, "starts": 0},
		},
		{
			name: "beating", live: func(r *board.Reporter) { r.Beat(); r.Beat(); time.Sleep(2 * sec) },
			also: []string{"heartbeat.age", "last_heartbeat_timestamp"},
			want: map[string]float64{"reason,running": 1, "heartbeat.age": 2, "heartbeats": 2, "starts": 1},
		},
		{
			name: "at its bound", live: func(r *board.Reporter) { r.Beat(); time.Sleep(5 * sec) },
			also: []string{"heartbeat.age", "last_heartbeat_timestamp"},
			want: map[string]float64{"reason,running": 1, "heartbeat.age": 5},
		},
		{
			name: "past its bound", live: func(r *board.Reporter) { r.Beat(); time.Sleep(5*sec + 1) },
			also: []string{"heartbeat.age", "last_heartbeat_timestamp"},
			want: map[string]float64{"reason,stale": 1, "status,unhealthy": 1, "heartbeat.age": 5.000000001},
		},
		{
			name: "a slow loop", spec: board.Spec{Interval: time.Minute}, live: func(r *board.Reporter) { r.Beat() },
			also: []string{"heartbeat.age", "last_heartbeat_timestamp"},
			want: map[string]float64{"staleness_threshold": 300, "heartbeat.age": 0},
		},
		{
			name: "a bound of its own, shorter than a later loop's interval", spec: board.Spec{Interval: time.Minute}, policy: liveness.Policy{StaleAfter: sec},
			live: func(*board.Reporter) {},
			want: map[string]float64{"staleness_threshold": 60},
		},
		{
			name: "lagging", policy: liveness.Policy{DegradedLag: 10}, live: func(r *board.Reporter) { r.BeatLag(11) },
			also: []string{"heartbeat.age", "last_heartbeat_timestamp", "lag", "lag_threshold"},
			want: map[string]float64{"reason,lagging": 1, "status,degraded": 1, "lag": 11, "lag_threshold": 10},
		},
		{
			name: "a rebuild that lags", spec: board.Spec{Rebuild: "1"}, policy: liveness.Policy{DegradedLag: 10}, live: func(r *board.Reporter) { r.BeatLag(11) },
			also: []string{"heartbeat.age", "last_heartbeat_timestamp", "lag", "lag_threshold"},
			want: map[string]float64{"reason,running": 1, "status,healthy": 1, "rebuilding": 1},
		},
		{
			name: "idle for an hour", live: func(r *board.Reporter) { r.BeatLag(0); r.Idle(); time.Sleep(time.Hour) },
			also: []string{"lag"},
			want: map[string]float64{"reason,idle": 1, "status,healthy": 1},
		},
		{
			name: "busy since this moment", live: (*board.Reporter).Busy,
			also: []string{"busy.age"},
			want: map[string]float64{"reason,busy": 1, "busy.age": 0, "heartbeats": 0},
		},
		{
			name: "busy within a limit of its own", live: func(r *board.Reporter) { r.BusyFor(time.Hour); time.Sleep(10 * time.Minute) },
			also: []string{"busy.age"},
			want: map[string]float64{"reason,busy": 1, "busy.age": 600},
		},
		{
			name: "stuck", live: func(r *board.Reporter) { r.Busy(); time.Sleep(6 * sec) },
			also: []string{"busy.age"},
			want: map[string]float64{"reason,stuck": 1, "status,unhealthy": 1, "busy.age": 6},
		},
		{
			name: "done", live: func(r *board.Reporter) { r.Busy(); r.Done(); time.Sleep(sec) },
			also: []string{"heartbeat.age", "last_heartbeat_timestamp"},
			want: map[string]float64{"reason,running": 1, "heartbeats": 1, "heartbeat.age": 1},
		},
		{
			name: "on standby for an hour", live: func(r *board.Reporter) { r.Beat(); r.Standby(); time.Sleep(time.Hour) },
			want: map[string]float64{"reason,standby": 1, "status,healthy": 1, "heartbeats": 1},
		},
		{
			name: "paused", live: func(r *board.Reporter) { r.Pause(); time.Sleep(time.Hour) },
			want: map[string]float64{"reason,paused": 1},
		},
		{
			name: "resumed after a beat", live: func(r *board.Reporter) { r.Beat(); r.Standby(); time.Sleep(time.Hour); r.Resume(); time.Sleep(sec) },
			also: []string{"heartbeat.age", "last_heartbeat_timestamp"},
			want: map[string]float64{"reason,running": 1, "heartbeat.age": 1, "heartbeats": 1},
		},
		{
			name: "resumed before any beat, and silent", live: func(r *board.Reporter) { r.Standby(); r.Resume(); time.Sleep(6 * sec) },
			want: map[string]float64{"reason,stale": 1, "status,unhealthy": 1, "heartbeats": 0},
		},
		{
			name: "stopped", live: func(r *board.Reporter) { r.BeatLag(1); r.Stop(); time.Sleep(time.Hour) },
			also: []string{"lag"},
			want: map[string]float64{"reason,stopped": 1, "status,healthy": 1, "lag": 1},
		},
		{
			name: "faulted, and beating on", live: func(r *board.Reporter) { r.Fault(errors.New("x")); r.Beat(); r.Fault(nil) },
			want: map[string]float64{"reason,faulted": 1, "status,unhealthy": 1, "faults": 1, "heartbeats": 0},
		},
		{
			name: "faulted and closed", live: func(r *board.Reporter) { r.Fault(errors.New("x")); r.Close() },
			want: map[string]float64{"reason,faulted": 1, "faults": 1},
		},
		{
			name: "restarted", live: func(r *board.Reporter) { r.Beat(); r.Fault(nil); r.Restart(); time.Sleep(time.Hour) },
			want: map[string]float64{"reason,unreported": 1, "faults": 1, "starts": 1, "heartbeats": 1},
		},
		{
			name: "a pool with one silent worker", live: func(r *board.Reporter) {
				silent, _ := r.Worker("1")
				silent.BeatLag(3)
				time.Sleep(6 * sec)
				other, _ := r.Worker("2")
				other.BeatLag(4)
			},
			also: []string{"heartbeat.age", "last_heartbeat_timestamp", "lag"},
			want: map[string]float64{"reason,stale": 1, "heartbeat.age": 6, "lag": 7, "heartbeats": 2, "starts": 1},
		},
		{
			name: "a pool with one worker at work", live: func(r *board.Reporter) {
				waiting, _ := r.Worker("1")
				waiting.Beat()
				busy, _ := r.Worker("2")
				busy.Busy()
				time.Sleep(sec)
			},
			also: []string{"heartbeat.age", "last_heartbeat_timestamp", "busy.age"},
			want: map[string]float64{"status,healthy": 1, "heartbeat.age": 1, "busy.age": 1},
		},
		{
			name: "a pool on standby", live: func(r *board.Reporter) {
				busy, _ := r.Worker("1")
				busy.Busy()
				silent, _ := r.Worker("2")
				silent.Beat()
				r.Standby()
				time.Sleep(time.Hour)
			},
			want: map[string]float64{"reason,standby": 1, "status,healthy": 1},
		},
		{
			name: "a pool with a faulted worker", live: func(r *board.Reporter) {
				w, _ := r.Worker("1")
				w.Fault(errors.New("x"))
				other, _ := r.Worker("2")
				other.Beat()
			},
			want: map[string]float64{"reason,faulted": 1, "faults": 1, "status,unhealthy": 1},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := board.New()
				m := newMonitor(t, b, liveness.WithPolicy(c.policy))
				c.spec.ID = "p"
				loop := b.MustRegister(c.spec)
				r := newRig(t, otelbridge.Sources{Monitors: []*liveness.Monitor{m}})
				c.live(loop)
				got := processorSeries(r.collect(t), loop.Key())

				metrics := map[string]bool{}
				reasons, ones := 0, 0.0
				for name, value := range got {
					metric, _, _ := strings.Cut(name, ",")
					metrics[metric] = true
					if metric == "reason" {
						reasons++
					}
					if metric == "status" {
						ones += value
					}
				}
				want := slices.Sorted(slices.Values(append(slices.Clone(always), c.also...)))
				if diff := cmp.Diff(want, slices.Sorted(maps.Keys(metrics))); diff != "" {
					t.Errorf("metrics (-want +got):\n%s", diff)
				}
				for name, value := range c.want {
					if v, ok := got[name]; !ok || v != value {
						t.Errorf("%s = %v (there: %v), want %v", name, v, ok, value)
					}
				}
				if v := m.Verdicts()[0]; got["reason,"+v.Reason.String()] != 1 || got["status,"+strings.ToLower(v.Status.String())] != 1 {
					t.Errorf("not the monitor's verdict, which is %v, %v", v.Status, v.Reason)
				}
				if reasons != 1 || ones != 1 {
					t.Errorf("%d reasons and %v statuses hold, want 1 and 1", reasons, ones)
				}
			})
		})
	}
}

// processorSeries shortens the series of one processor to "metric", or
// "metric,value" where there is another attribute.
func processorSeries(all samples, key string) samples {
	short := samples{}
	for series, value := range all.with("liveness.processor.") {
		name, attributes, _ := strings.Cut(strings.TrimPrefix(series, "liveness.processor."), "{processor="+key)
		if _, more, ok := strings.Cut(strings.TrimSuffix(attributes, "}"), "="); ok {
			name += "," + more
		}
		short[name] = value
	}
	return short
}

// TestReasonIsReplaced: one reason at a time, by every reader, however often it
// changes and comes back.
func TestReasonIsReplaced(t *testing.T) {
	b := board.New()
	r := newRig(t, otelbridge.Sources{Monitors: []*liveness.Monitor{newMonitor(t, b)}})
	loop := b.MustRegister(board.Spec{ID: "p"})
	for range 3 {
		for reason, report := range map[string]func(*board.Reporter){
			"running": (*board.Reporter).Done,
			"idle":    (*board.Reporter).Idle,
			"busy":    (*board.Reporter).Busy,
		} {
			report(loop)
			if diff := cmp.Diff(samples{"liveness.processor.reason{processor=p,reason=" + reason + "}": 1},
				r.collect(t).with("liveness.processor.reason")); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if diff := cmp.Diff(samples{"liveness_processor_reason{processor=p,reason=" + reason + "}": 1},
				r.gather(t).with("liveness_processor_reason")); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		}
	}
}

// TestBoardRows: sums that hold the processors of one board each, and what the
// library says of itself.
func TestBoardRows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := board.New(board.WithMaxProcessors(3))
		m := newMonitor(t, b, liveness.WithPolicy(liveness.Policy{DegradedLag: 1}))
		r := newRig(t, otelbridge.Sources{Monitors: []*liveness.Monitor{m}})
		s := r.collect(t)
		for _, status := range []string{"healthy", "degraded", "unhealthy"} {
			s.want(t, "liveness.board.processors{status="+status+"}", 0)
		}
		s.want(t, "liveness.board.observed_timestamp", float64(time.Now().Unix()))
		s.absent(t, "lateness") // nobody watches
		for _, kind := range []string{"refused_registration", "clamped_lag", "dropped_transition"} {
			s.want(t, "liveness.internal.events{kind="+kind+"}", 0)
		}
		s.absent(t, "oldest_age")

		one, two := b.MustRegister(board.Spec{ID: "1"}), b.MustRegister(board.Spec{ID: "2"})
		b.MustRegister(board.Spec{ID: "3"}).Fault(nil)
		_, full := b.Register(board.Spec{ID: "4"})
		_, twice := b.Register(board.Spec{ID: "1"})
		if full == nil || twice == nil {
			t.Fatal("registered on a full board, or twice")
		}
		one.BeatLag(-7)
		time.Sleep(2 * time.Second)
		two.BeatLag(2)
		s = r.collect(t)
		s.want(t, "liveness.board.processors{status=healthy}", 1)
		s.want(t, "liveness.board.processors{status=degraded}", 1)
		s.want(t, "liveness.board.processors{status=unhealthy}", 1)
		s.want(t, "liveness.board.oldest_age", 2)
		s.want(t, "liveness.internal.events{kind=refused_registration}", 2)
		s.want(t, "liveness.internal.events{kind=clamped_lag}", 1)
		one.Idle()
		two.Standby()
		r.collect(t).absent(t, "oldest_age")
	})
}

// TestObserverLate: the lateness of the watching side is told, and the verdict
// is the monitor's own.
func TestObserverLate(t *testing.T) {
	c := &epoch{}
	b := board.New(board.WithClock(c))
	m := newMonitor(t, b)
	r := newRig(t, otelbridge.Sources{Monitors: []*liveness.Monitor{m}}, otelbridge.WithClock(c))
	b.MustRegister(board.Spec{ID: "p"}).Beat()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- m.Run(ctx) }()
		synctest.Wait()
		c.now += 10 * time.Second // the board's clock goes on, and nothing ticks
		s := r.collect(t)
		s.want(t, "liveness.processor.reason{processor=p,reason=observer_late}", 1)
		s.want(t, "liveness.processor.status{processor=p,status=degraded}", 1)
		s.want(t, "liveness.observer.lateness", 9.9)
		cancel()
		must(t, <-done)
	})
}

// hookClock runs a hook at one reading.
type hookClock struct {
	readings int
	hook     func()
}

func (c *hookClock) Now() time.Time {
	if c.readings--; c.readings == 0 {
		c.hook()
	}
	return time.Unix(0, 0)
}

// TestComingAndGoingInACollection: a processor that comes or goes at any moment
// of a collection is there or not, and no other gets its verdict.
func TestComingAndGoingInACollection(t *testing.T) {
	for reading := 1; reading <= 5; reading++ {
		c := &hookClock{}
		b := board.New(board.WithClock(c))
		b.MustRegister(board.Spec{ID: "a"}).Fault(nil)
		b.MustRegister(board.Spec{ID: "c"}).Fault(nil)
		r := newRig(t, otelbridge.Sources{Monitors: []*liveness.Monitor{newMonitor(t, b)}})
		var loop *board.Reporter
		for _, hook := range []func(){
			func() { loop = b.MustRegister(board.Spec{ID: "b"}) },
			func() { loop.Close() },
		} {
			c.readings, c.hook = reading, hook
			s := r.collect(t).with("liveness.processor.reason")
			s.want(t, "liveness.processor.reason{processor=a,reason=faulted}", 1)
			s.want(t, "liveness.processor.reason{processor=c,reason=faulted}", 1)
			s.absent(t, "processor=b,reason=faulted")
			if c.readings > 0 { // the collection read the clock less often
				c.readings = 0
				hook()
			}
		}
		r.collect(t).absent(t, "processor=b")
	}
}
