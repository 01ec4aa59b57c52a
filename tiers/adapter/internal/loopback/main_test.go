package loopback

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// roleVariable makes the test binary a helper process instead: it names the
// helper, and the arguments are the helper's.
const roleVariable = "LOOPVITALS_LOOPBACK_ROLE"

// soak asks for the long forms.
var soak = os.Getenv("LOOPVITALS_SOAK") != ""

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		if err := roles[role](os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}
