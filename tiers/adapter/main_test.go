package adapter

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// soak asks for the long forms of the tests (make soak).
var soak = os.Getenv("LOOPVITALS_SOAK") != ""

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
