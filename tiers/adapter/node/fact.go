package node

import (
	"context"
	"fmt"
	"log/slog"
	"reflect"
	"time"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/tiers/adapter/observation"
)

const (
	// budget is how long a fact may take. The command that asks has 1.5 s (S2.14).
	budget = time.Second
	// waitForShared is how long a fact waits for runs that it shares with others.
	// What has not answered by then is no, and what the rest said still counts.
	waitForShared = 750 * time.Millisecond
	// readyAge is how old a yes of Ready may be. The document has one age for all,
	// and an adapter takes none of more than 3 s: without this a dependency that is
	// looked at seldom would make the node not only unready but seem dead.
	readyAge = 1500 * time.Millisecond
)

// factIndex is a fact's place in an evaluator.
type factIndex int

const (
	healthy factIndex = iota
	owner
	ready
	listeners
	capacity
	factCount
)

// finding is what one look found.
type finding struct {
	yes       bool
	begun     time.Time // when what was found began to be looked at (R2)
	why       error     // of a no, for the log only
	listeners []observation.Listener
	capacity  observation.Capacity
}

// look finds out one fact. It may hang, panic or end its goroutine.
type look func(ctx context.Context) finding

// findingKey is where a fact's result keeps its finding.
const findingKey = "finding"

// newFact returns a runner of the look. A runner has at most one run in flight,
// which all who ask meanwhile share, and answers within the budget whatever the
// look does.
func newFact(name string, l look, log *slog.Logger) (*check.Runner, error) {
	found := check.Func(func(ctx context.Context) check.Result {
		f := l(ctx)
		r := check.Result{Status: check.Healthy, Data: map[string]any{findingKey: f}, Err: f.why}
		if f.why != nil {
			r.Status = check.Degraded // and so logged
		}
		return r
	})
	return check.NewRunner(name, found, check.Sampling{Limit: budget, NoReuse: true}, check.WithLogger(log))
}

// findingOf returns what the sample's look found, and false for a look that found
// nothing.
func findingOf(s *check.Sample) (finding, bool) {
	f, known := s.Result.Data[findingKey].(finding)
	return f, known && s.Result.Status != check.Unhealthy
}

// sampler is what a check.Runner is, and a tier: it answers from runs that it
// shares with others, and knows how old they are.
type sampler interface {
	Sample(ctx context.Context) check.Sample
}

// lookAt asks a checker.
func lookAt(c check.Checker) look {
	shared, isShared := c.(sampler)
	if !isShared {
		return func(ctx context.Context) finding {
			begun := time.Now()
			return finding{yes: isYes(c.Check(ctx).Status), begun: begun}
		}
	}
	return func(ctx context.Context) finding {
		ctx, cancel := context.WithTimeout(ctx, waitForShared)
		defer cancel()
		s := shared.Sample(ctx)
		return finding{yes: isYes(s.Result.Status), begun: time.Now().Add(-s.Age)}
	}
}

// noOlderThan makes a no of a yes that is older than the bound.
func noOlderThan(bound time.Duration, l look) look {
	return func(ctx context.Context) finding {
		f := l(ctx)
		if age := time.Since(f.begun); f.yes && age > bound {
			f.yes = false
			f.why = fmt.Errorf("node: a yes of %v ago: must be at most %v old: have its checks reused for less", age, bound)
		}
		return f
	}
}

func lookAtListeners(g Gauge) look {
	return func(context.Context) finding {
		begun := time.Now()
		list, complete := g.Listeners()
		return finding{yes: complete, begun: begun, listeners: list}
	}
}

func lookAtCapacity(g Gauge) look {
	return func(context.Context) finding {
		begun := time.Now()
		c, available := g.Capacity()
		return finding{yes: available, begun: begun, capacity: c}
	}
}

func isYes(s check.Status) bool { return s.Known() != check.Unhealthy }

// isNil finds the nil pointer in an interface, too.
func isNil(g Gauge) bool {
	v := reflect.ValueOf(g)
	return !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil()
}
