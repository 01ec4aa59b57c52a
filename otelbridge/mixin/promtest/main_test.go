package promtest

import (
	"os"
	"os/exec"
	"strconv"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if os.Getenv(asParent) != "" {
		beParent()
		return
	}
	goleak.VerifyTestMain(m)
}

// asParent makes the test binary start a program and wait to be killed.
const asParent = "PROMTEST_AS_PARENT"

func beParent() {
	p, err := StartProcess("sleep", exec.Command("sleep", "600")) //nolint:noctx // it is killed
	if err != nil {
		panic(err)
	}
	_, _ = os.Stdout.WriteString("child " + strconv.Itoa(p.PID()) + "\n")
	<-p.Ended()
}
