package adapter

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// soak asks for the long forms of the tests (make soak).
var soak = os.Getenv("LOOPVITALS_SOAK") != ""

// The test binary plays other programs, so that none must be compiled: the one that
// this variable names.
const playVariable = "LOOPVITALS_TEST_PLAYS"

// plays are filled in beside what they are for.
var plays = map[string]func(){}

func TestMain(m *testing.M) {
	if play := plays[os.Getenv(playVariable)]; play != nil {
		play()
		return
	}
	goleak.VerifyTestMain(m)
}
