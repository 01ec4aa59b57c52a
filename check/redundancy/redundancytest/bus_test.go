package redundancytest

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/loopvitals/loopvitals/check/redundancy"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestLocalBus(t *testing.T) {
	TestBus(t, func(testing.TB) Harness {
		bus := redundancy.NewLocalBus()
		return Harness{Connect: func(testing.TB, string) redundancy.Bus { return bus }}
	})
}
