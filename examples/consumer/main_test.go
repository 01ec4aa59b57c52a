package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/liveness"
	"go.uber.org/goleak"
)

// asProgram makes the test binary behave as the program itself.
const asProgram = "CONSUMER_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Exit(command(os.Args[1:], os.Stdout, os.Stderr))
	}
	goleak.VerifyTestMain(m)
}

// quick are settings that make the demo's silences a second long.
func quick() settings {
	s := defaultSettings()
	s.policy = liveness.Policy{StaleAfter: time.Second}
	s.interval = 100 * time.Millisecond
	s.orderEvery = 10 * time.Millisecond
	s.leaseTTL = time.Second
	s.rebuildLag = 2 * time.Millisecond
	return s
}

// startTest starts the app, serves it, and stops it at the end of the test. The
// stage returned looks at it from outside, and prints to the test's log.
func startTest(t *testing.T) (*app, *stage) {
	t.Helper()
	log := new(tape)
	a, err := startApp(t.Context(), quick(), log.logger())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.stop(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(a.dir); !os.IsNotExist(err) {
			t.Errorf("the temporary directory is still there: %v", err)
		}
	})
	l, err := listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	stop, err := a.serveOn(l)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Timeout: 5 * time.Second}
	t.Cleanup(func() {
		client.CloseIdleConnections()
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	return a, &stage{ctx: t.Context(), out: t.Output(), client: client, base: "http://" + l.Addr().String(), begun: time.Now(), patience: 20 * time.Second, log: log}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// eventually asks until ok says yes.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("not within 20s: %s", what)
		}
		wait(t.Context(), 5*time.Millisecond)
	}
}

func TestWrongUsageIsStatus2(t *testing.T) {
	for _, args := range [][]string{{}, {"-demo", "-serve", "127.0.0.1:0"}, {"-demo", "more"}, {"-unknown"}} {
		var out, errs bytes.Buffer
		if got := command(args, &out, &errs); got != 2 || out.Len() > 0 || errs.Len() == 0 {
			t.Errorf("%q: status %d, stdout %q, stderr %q", args, got, out.String(), errs.String())
		}
	}
}

func TestServeRefusesAnAddress(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer taken.Close()
	for address, want := range map[string]string{
		taken.Addr().String(): "address already in use",
		"0.0.0.0:0":           "must be a loopback address",
		":8080":               "must be a loopback address",
		"example.org:8080":    "must be a loopback address",
		"8080":                "must be HOST:PORT",
	} {
		var out, errs bytes.Buffer
		if got := command([]string{"-serve", address}, &out, &errs); got != 1 || !strings.Contains(errs.String(), want) {
			t.Errorf("%s: status %d, stderr %q, want %q", address, got, errs.String(), want)
		}
	}
}

// The program as its users run it: a signal ends it with status 0, and no file
// stays, although a handler hangs at that moment.
func TestSignalEndsTheProgram(t *testing.T) {
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(fmt.Sprint(sig), func(t *testing.T) {
			dir := t.TempDir()
			var out, errs syncBuffer
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-serve", "127.0.0.1:0")
			cmd.Env = append(os.Environ(), asProgram+"=1", "TMPDIR="+dir)
			cmd.Stdout, cmd.Stderr = &out, &errs
			must(t, cmd.Start())
			var base string
			eventually(t, "the program serves", func() bool {
				_, rest, _ := strings.Cut(out.String(), "serving on ")
				base, _, _ = strings.Cut(rest, ",")
				return base != ""
			})
			code, _, err := request(t.Context(), http.DefaultClient, http.MethodPost, base+"/demo/wedge?processor=orders")
			http.DefaultClient.CloseIdleConnections()
			if err != nil || code != http.StatusOK {
				t.Fatalf("wedge: %d, %v", code, err)
			}
			must(t, cmd.Process.Signal(sig))
			if err := cmd.Wait(); err != nil {
				t.Errorf("%v\n%s", err, errs.String())
			}
			if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestServeEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var out syncBuffer
	ended := make(chan error, 1)
	go func() { ended <- serve(ctx, &out, &out, "127.0.0.1:0", quick()) }()
	eventually(t, "serving", func() bool { return strings.Contains(out.String(), "serving on ") })
	cancel()
	must(t, <-ended)
}
