package grpccheck

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"

	"github.com/loopvitals/loopvitals/check"
)

// The Descriptions of this package.
const (
	reachable    = "reachable"
	unreachable  = "unreachable"
	probeRefused = "probe refused"
)

// Option chooses what is asked in place of the default.
type Option interface{ apply(*settings) }

type optionFunc func(*settings)

func (f optionFunc) apply(s *settings) { f(s) }

type settings struct {
	chosen []string // names of the options given
	ask    func(context.Context) check.Result
	conn   grpc.ClientConnInterface
	err    error
}

func (s *settings) choose(option string, ask func(context.Context) check.Result) {
	s.chosen = append(s.chosen, option)
	s.ask = ask
}

// WithProbe calls probe in place of the default, which is then not called at
// all: true is Healthy; false, or an error, is Unhealthy (S1.34). The probe
// gets the check's context, which ends at its limit. A nil probe is refused.
func WithProbe(probe func(ctx context.Context, conn grpc.ClientConnInterface) (bool, error)) Option {
	return optionFunc(func(s *settings) {
		if probe == nil {
			s.err = errors.New("grpccheck: probe nil: must not be nil")
			return
		}
		s.choose("probe", func(ctx context.Context) check.Result {
			ok, err := probe(ctx, s.conn)
			if err == nil && !ok {
				return check.Result{Status: check.Unhealthy, Description: probeRefused}
			}
			return reached(err)
		})
	})
}

// New returns a Checker of the server behind conn. Without an option it tests
// connectivity only, for which conn must be a *grpc.ClientConn or have its
// methods Connect, GetState and WaitForStateChange.
//
// A nil conn, a nil probe, one option beside another, and a conn that cannot
// be tested give a Checker that check.NewRunner refuses. The check never
// closes conn, and one that is closed is Unhealthy.
func New(conn grpc.ClientConnInterface, opts ...Option) check.Checker {
	if conn == nil || reflect.ValueOf(conn).Kind() == reflect.Pointer && reflect.ValueOf(conn).IsNil() {
		return check.Invalid(errors.New("grpccheck: conn nil: must not be nil"))
	}
	s := &settings{conn: conn}
	for _, o := range opts {
		if o != nil {
			o.apply(s)
		}
	}
	switch {
	case s.err != nil:
		return check.Invalid(s.err)
	case len(s.chosen) > 1:
		return check.Invalid(fmt.Errorf("grpccheck: options %q: at most one may be given", s.chosen))
	case len(s.chosen) == 1:
		return check.Func(s.ask)
	}
	c, ok := conn.(connector)
	if !ok {
		return check.Invalid(fmt.Errorf("grpccheck: conn %T: must have Connect, GetState and WaitForStateChange, or be given a probe", conn))
	}
	return check.Ping(func(ctx context.Context) error { return connect(ctx, c) })
}

// connector is the part of *grpc.ClientConn that tells its state.
type connector interface {
	Connect()
	GetState() connectivity.State
	WaitForStateChange(ctx context.Context, source connectivity.State) bool
}

// connect waits until c is ready. It answers at once when an attempt has
// failed: c then waits before the next one, and a limit spent on watching that
// would tell nothing new.
func connect(ctx context.Context, c connector) error {
	for {
		state := c.GetState()
		switch state {
		case connectivity.Ready:
			return nil
		case connectivity.Shutdown:
			return errors.New("grpccheck: the connection was closed")
		case connectivity.TransientFailure:
			return errors.New("grpccheck: connecting failed; the connection waits before it tries again")
		case connectivity.Idle:
			c.Connect()
		case connectivity.Connecting:
		}
		if !c.WaitForStateChange(ctx, state) {
			return fmt.Errorf("grpccheck: still %v: %w", state, context.Cause(ctx))
		}
	}
}

// reached is the Result of trying to reach the server.
func reached(err error) check.Result {
	if err != nil {
		return check.Result{Status: check.Unhealthy, Description: unreachable, Err: err}
	}
	return check.Result{Status: check.Healthy, Description: reachable}
}
