package livenesstest

import (
	"time"

	"github.com/loopvitals/loopvitals/liveness"
)

// pollEvery is how often AwaitVerdict asks.
const pollEvery = 10 * time.Millisecond

// TestingT is what the helpers need of a *testing.T.
type TestingT interface {
	Helper()
	Fatalf(format string, args ...any)
}

// RequireVerdict ends the test unless the processor's verdict has the given
// reason now. It returns the verdict.
func RequireVerdict(t TestingT, m *liveness.Monitor, key string, want liveness.Reason) liveness.Verdict {
	t.Helper()
	v, ok := m.Verdict(key)
	switch {
	case !ok:
		t.Fatalf("livenesstest: processor %q is not on the board", key)
	case v.Reason != want:
		t.Fatalf("livenesstest: verdict is %v, want %v: %s", v.Reason, want, v.Text())
	}
	return v
}

// AwaitVerdict asks until the processor's verdict has the given reason, and ends
// the test when that takes longer than within. It returns the verdict. Time is
// that of package time, so a testing/synctest bubble is passed through at once;
// with a mock clock use RequireVerdict.
func AwaitVerdict(t TestingT, m *liveness.Monitor, key string, want liveness.Reason, within time.Duration) liveness.Verdict {
	t.Helper()
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	deadline := time.NewTimer(within)
	defer deadline.Stop()
	for expired := false; ; {
		v, ok := m.Verdict(key)
		switch {
		case ok && v.Reason == want:
			return v
		case expired && !ok:
			t.Fatalf("livenesstest: processor %q is not on the board after %v", key, within)
			return v
		case expired:
			t.Fatalf("livenesstest: verdict is still %v after %v, want %v: %s", v.Reason, within, want, v.Text())
			return v
		}
		select {
		case <-poll.C:
		case <-deadline.C:
			expired = true // and look once more: the last poll may have been just before
		}
	}
}
