package head_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/loopvitals/loopvitals/tiers/adapter/internal/head"
	"github.com/loopvitals/loopvitals/tiers/adapter/internal/head/headtest"
)

// soak asks for the long forms.
var soak = os.Getenv("LOOPVITALS_SOAK") != ""

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// host is the one that the requests of these tests should name.
const host = "127.0.0.1:9000"

var rules = head.Rules{Host: host, Paths: headtest.Paths}
