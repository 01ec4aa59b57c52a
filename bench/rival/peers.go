package rival

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	gosundheit "github.com/AppsFlyer/go-sundheit"
	sundheithttp "github.com/AppsFlyer/go-sundheit/http"
	alex "github.com/alexliesenfeld/health"
	hellofresh "github.com/hellofresh/health-go/v5"
)

// Peer is the health handler of another library.
type Peer struct {
	Name    string
	Handler http.Handler
	// Stop ends the peer's goroutines, some of them a moment later.
	Stop func()
}

// Ask is a check of any library: nil, or what is wrong.
type Ask func(ctx context.Context) error

const (
	// never is the time until a check is made again.
	never = 24 * time.Hour
	// patience is how long the first round of all checks may take.
	patience = time.Minute
)

// Peers returns the handlers of three libraries, each with a check of every
// name. Where a library can answer from results that it has, it does so and
// makes no check again; the first of them are there.
func Peers(names []string, ask Ask) ([]Peer, error) {
	var peers []Peer
	for _, build := range []func([]string, Ask) (Peer, error){alexliesenfeld, goSundheit, healthGo} {
		p, err := build(names, ask)
		if err != nil {
			StopPeers(peers)
			return nil, err
		}
		peers = append(peers, p)
	}
	return peers, nil
}

// StopPeers stops them all.
func StopPeers(peers []Peer) {
	for _, p := range peers {
		p.Stop()
	}
}

// alexliesenfeld has periodic checks: a probe reads results and nothing else.
func alexliesenfeld(names []string, ask Ask) (Peer, error) {
	var options []alex.CheckerOption
	for _, name := range names {
		options = append(options, alex.WithPeriodicCheck(never, 0, alex.Check{Name: name, Check: ask}))
	}
	checker := alex.NewChecker(options...)
	p := Peer{Name: "alexliesenfeld/health", Handler: alex.NewHandler(checker), Stop: checker.Stop}
	return p, p.settled(func() bool { return checker.Check(context.Background()).Status != alex.StatusUnknown })
}

// goSundheit always answers from results. Its message is the check's.
func goSundheit(names []string, ask Ask) (Peer, error) {
	health := gosundheit.New()
	p := Peer{Name: "AppsFlyer/go-sundheit", Handler: sundheithttp.HandleHealthJSON(health), Stop: health.DeregisterAll}
	for _, name := range names {
		err := health.RegisterCheck(sundheitCheck{name, ask}, gosundheit.ExecutionPeriod(never))
		if err != nil {
			p.Stop()
			return Peer{}, fmt.Errorf("rival: %s: %w", p.Name, err)
		}
	}
	return p, p.settled(func() bool {
		results, _ := health.Results()
		for _, r := range results {
			if r.Error != nil && r.Error.Error() == gosundheit.ErrNotRunYet.Error() {
				return false
			}
		}
		return true
	})
}

type sundheitCheck struct {
	name string
	ask  Ask
}

func (c sundheitCheck) Name() string { return c.name }

func (c sundheitCheck) Execute(ctx context.Context) (any, error) { return Message, c.ask(ctx) }

// Message is what a check says that has nothing to complain of.
const Message = "-"

// healthGo makes all checks for every request, and names only those that failed.
func healthGo(names []string, ask Ask) (Peer, error) {
	p := Peer{Name: "hellofresh/health-go", Stop: func() {}}
	health, err := hellofresh.New()
	for _, name := range names {
		if err == nil {
			err = health.Register(hellofresh.Config{Name: name, Check: hellofresh.CheckFunc(ask)})
		}
	}
	if err != nil {
		return Peer{}, fmt.Errorf("rival: %s: %w", p.Name, err)
	}
	p.Handler = health.Handler()
	return p, nil
}

// settled waits until every check has a result.
func (p Peer) settled(done func() bool) error {
	for deadline := time.Now().Add(patience); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			p.Stop()
			return fmt.Errorf("rival: %s: %w", p.Name, errors.New("not every check was made"))
		}
	}
	return nil
}
