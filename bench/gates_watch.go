package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/loopvitals/loopvitals/bench/rival"
	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/liveness"
)

// watchGates hold what it costs to watch all processors without anybody asking.
func watchGates() []Gate {
	return []Gate{
		{ID: "P24", Name: "timer per processor/Monitor.Run, 100k", Bound: 10, Min: true, Measure: watching(100_000)},
	}
}

// watcher looks at processors until it is stopped.
type watcher struct {
	looks float64 // at each processor in a second
	start func() (stop func() error)
}

// watching compares the CPU time that either watcher takes to look once at one
// processor. A timer looks once a second, Run ten times: it is quicker to see a
// silence, and a second of it costs ten looks. By the second it is cheaper than
// the timers by a tenth of the figure.
func watching(processors int) func(Settings) (Figure, error) {
	return func(s Settings) (Figure, error) {
		const most = 9 // A round takes almost two seconds.
		run, err := monitorRun(processors)
		if err != nil {
			return Figure{}, err
		}
		watchers := [2]watcher{timers(processors), run}
		defer collector(collectorOff)()
		settle()
		var t tally
		for range min(s.withDefaults().Rounds, most) {
			runtime.GC()
			var perLook [2]float64
			first := rand.IntN(2)
			for _, i := range [2]int{first, 1 - first} {
				used, err := watchers[i].watch()
				if err != nil {
					return Figure{}, err
				}
				perLook[i] = used / watchers[i].looks / float64(processors)
			}
			t.add(perLook[0]/perLook[1], perLook[0], perLook[1])
		}
		return t.figure(), nil
	}
}

// watch returns the CPU time, in ns, of one second of a watcher that has found
// its pace. Run ticks every 100 ms from its start on: the window begins and ends
// half-way between two ticks and holds five.
func (w watcher) watch() (float64, error) {
	const pace, window = 250 * time.Millisecond, 500 * time.Millisecond
	stop := w.start()
	time.Sleep(pace)
	began, cpu := time.Now(), processCPU()
	time.Sleep(window)
	used, elapsed := processCPU()-cpu, time.Since(began)
	return float64(used) / elapsed.Seconds(), stop()
}

// timers look at records of processors that are well.
func timers(processors int) watcher {
	all := make(rival.Records)
	records := make([]*rival.Record, processors)
	for i := range records {
		records[i] = all.Add(id(i), time.Hour)
		records[i].BeatLag(int64(i%7), time.Now())
	}
	return watcher{looks: 1, start: func() func() error {
		t := rival.StartTimers(records, time.Second)
		return func() error {
			t.Stop()
			if looks, silent := t.Looks(); looks == 0 || silent > 0 {
				return fmt.Errorf("bench: timers: %d looks, %d silent", looks, silent)
			}
			return nil
		}
	}}
}

// monitorRun watches as many that are well, with a hook: without one, or a
// logger, Run would have nobody to tell and would not look at processors at all.
func monitorRun(processors int) (watcher, error) {
	b := board.New()
	register(b, processors)
	m, err := liveness.NewMonitor(b,
		liveness.WithPolicy(liveness.Policy{StaleAfter: time.Hour}),
		liveness.WithTransitions(func(liveness.Transition) {}))
	if err != nil {
		return watcher{}, err
	}
	return watcher{looks: 10, start: func() func() error {
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() { ended <- m.Run(ctx) }()
		return func() error {
			cancel()
			return <-ended
		}
	}}, nil
}
