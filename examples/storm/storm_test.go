package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/tiers"
	"go.uber.org/goleak"
)

// asProgram makes the test binary behave as the program itself, so that the
// clients are another process.
const asProgram = "STORM_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Exit(command(os.Args[1:], os.Stdout, os.Stderr))
	}
	goleak.VerifyTestMain(m)
}

// rounds is how many probes each client sends.
const rounds = 2

// clients is how many probe at once. The race detector ends above 8128
// goroutines, of which the server has one or two for each client.
func clients() int {
	if raceEnabled {
		return 2000
	}
	return 10_000
}

// storm runs the clients against url and waits for them.
func storm(t *testing.T, url string) summary {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-n", strconv.Itoa(clients()), "-rounds", strconv.Itoa(rounds), url)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("the clients: %v", err)
	}
	var s summary
	if err := json.Unmarshal(out, &s); err != nil {
		t.Fatalf("%v in %q", err, out)
	}
	t.Logf("%d clients x %d probes: %s", clients(), rounds, out)
	return s
}

// dependency counts its calls.
type dependency struct {
	calls atomic.Int64
	took  func()
}

func (d *dependency) Check(context.Context) check.Result {
	d.calls.Add(1)
	d.took()
	return check.Result{Status: check.Healthy}
}

// Rows 26 and 27 of the fault matrix, target 3 of reliability: however many
// probe, a slow dependency is called once in its reuse interval, a hung one
// once in all, and everybody gets an answer.
func TestProbeStorm(t *testing.T) {
	for _, c := range []struct {
		name string
		hung bool
		code int
	}{
		{"slow", false, http.StatusOK},
		{"slow and hung", true, http.StatusServiceUnavailable},
	} {
		t.Run(c.name, func(t *testing.T) {
			release := make(chan struct{})
			slow := &dependency{took: func() {
				timer := time.NewTimer(200 * time.Millisecond)
				defer timer.Stop()
				<-timer.C
			}}
			hung := &dependency{took: func() { <-release }}
			set := tiers.New()
			// A generous limit: the machine is busy with the clients, and may
			// take its time to wake up a run.
			err := set.AddReady("slow", slow, tiers.WithSampling(check.Sampling{Limit: 10 * time.Second}))
			if err == nil && c.hung {
				err = set.AddReady("hung", hung)
			}
			if err != nil {
				t.Fatal(err)
			}
			mux := http.NewServeMux()
			if err := set.Mount(mux); err != nil {
				t.Fatal(err)
			}
			server := httptest.NewServer(mux)
			defer server.Close()
			before := runtime.NumGoroutine()

			began := time.Now()
			s := storm(t, server.URL+tiers.DefaultReadyPath)
			elapsed := time.Since(began)

			if want := clients() * rounds; s.Answers[c.code] != want || s.Lost != 0 {
				t.Errorf("answers %v, %d lost; want %d of %d", s.Answers, s.Lost, want, c.code)
			}
			// Between two calls lies a reuse interval at least.
			if calls := slow.calls.Load(); calls < 1 || time.Duration(calls-1)*check.DefaultReuse > elapsed {
				t.Errorf("the slow dependency was called %d times in %v", calls, elapsed)
			}
			wantHung, hanging := int64(0), 0
			if c.hung {
				wantHung, hanging = 1, 1
			}
			if calls := hung.calls.Load(); calls != wantHung {
				t.Errorf("the hung dependency was called %d times, want %d", calls, wantHung)
			}
			// The clients are gone; what stays is the run that hangs.
			goroutines(t, before+hanging)
			if n := running(t, "hung"); n != hanging {
				t.Errorf("%d goroutines of the hung check, want %d", n, hanging)
			}
			close(release)
			goroutines(t, before)
		})
	}
}

// goroutines waits until there are no more than most of them.
func goroutines(t *testing.T, most int) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(20 * time.Second); runtime.NumGoroutine() > most; <-tick.C {
		if time.Now().After(deadline) {
			t.Errorf("%d goroutines, want %d at most", runtime.NumGoroutine(), most)
			return
		}
	}
}

// running counts the goroutines that carry the label of a check's runs.
func running(t *testing.T, name string) (n int) {
	t.Helper()
	var profile strings.Builder
	if err := pprof.Lookup("goroutine").WriteTo(&profile, 1); err != nil {
		t.Fatal(err)
	}
	// Each stack begins with "count @ addresses" and then its labels.
	count := 0
	for line := range strings.Lines(profile.String()) {
		if before, _, found := strings.Cut(line, " @ "); found {
			count, _ = strconv.Atoi(before)
		}
		if strings.HasPrefix(line, "# labels: ") && strings.Contains(line, `"check":"`+name+`"`) {
			n += count
		}
	}
	return n
}

// A storm that hides its losses would prove nothing.
func TestStormCountsLosses(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = w.Write([]byte("less than that"))
	}))
	defer server.Close()
	s, err := run(server.URL, 3, 1)
	if err != nil || s.Lost != 3 || len(s.Answers) != 0 {
		t.Errorf("%+v, %v; want 3 lost", s, err)
	}
}
