package child

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// actArgument makes this test program the command that a test runs:
//
//	program actArgument ACT MARK PARAMETER...
//
// The mark is in no other process than those of one test, so that what is left of
// it can be found.
const actArgument = "loopvitals-act-as"

func TestMain(m *testing.M) {
	if len(os.Args) > 3 && os.Args[1] == actArgument {
		act, ok := acts[os.Args[2]]
		if !ok {
			fmt.Fprintln(os.Stderr, "no such act:", os.Args[2])
			os.Exit(2)
		}
		act(os.Args[4:])
		leave(0)
	}
	goleak.VerifyTestMain(m)
}

// soak says whether the long forms of the tests are wanted.
var soak = os.Getenv("LOOPVITALS_SOAK") != ""

// times is how often something is tried.
func times(short, long int) int {
	if soak {
		return long
	}
	return short
}

// briefly is the time limit for commands of which it is known that they use it up.
const briefly = 150 * time.Millisecond

// longAgo is how long a test waits for what must happen soon. A busy machine may
// need a part of it.
const longAgo = 30 * time.Second

// tooSlow tells a machine so busy that a command that ends by itself did not in its
// time, or needed longer to die than is waited for. It is then run again.
func tooSlow(err error) bool {
	var failure *Error
	return errors.As(err, &failure) && (failure.Kind == Timeout || failure.Left > 0)
}

// kindOf tells the kind of a failure, and 0 of a success.
func kindOf(err error) Kind {
	var failure *Error
	if errors.As(err, &failure) {
		return failure.Kind
	}
	return 0
}

var marks atomic.Int64

// newMark makes an argument that no other process has.
func newMark() string {
	return fmt.Sprintf("mark-%d-%d-%d.", os.Getpid(), marks.Add(1), time.Now().UnixNano())
}

// act is the command line of an act.
func act(name, mark string, parameters ...string) []string {
	program, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return append([]string{program, actArgument, name, mark}, parameters...)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
