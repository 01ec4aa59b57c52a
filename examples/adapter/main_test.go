//go:build linux

package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// TestArguments takes none.
func TestArguments(t *testing.T) {
	for _, args := range [][]string{{"more"}, {"-unknown"}, {"-h"}} {
		if err := command(t.Context(), args, io.Discard, io.Discard); err == nil {
			t.Errorf("%q is taken", args)
		}
	}
}

// TestExits are what a probe makes of the codes.
func TestExits(t *testing.T) {
	for c, want := range map[codes]codes{all: {}, none: {1, 1, 1}, unready: {0, 1, 0}, unborn: {1, 1, 0}} {
		if got := c.exits(); got != want {
			t.Errorf("%v: %v, want %v", c, got, want)
		}
	}
	if got := unready.String(); got != "200 503 200" {
		t.Error(got)
	}
}

// answers is a server that answers each request by the function.
func answers(t *testing.T, answer http.HandlerFunc) *sidecar {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h["Date"] = nil
		h.Set("Cache-Control", "no-store")
		h.Set("Content-Type", "application/json")
		answer(w, r)
	}))
	t.Cleanup(server.Close)
	return &sidecar{address: strings.TrimPrefix(server.URL, "http://")}
}

// says answers as an adapter does.
func says(w http.ResponseWriter, code int) {
	w.WriteHeader(code)
	_, _ = io.WriteString(w, bodies[code])
}

// TestInspect finds what is wrong with an answer, whatever its code.
func TestInspect(t *testing.T) {
	for want, answer := range map[string]http.HandlerFunc{
		"":              func(w http.ResponseWriter, _ *http.Request) { says(w, 503) },
		"Cache-Control": func(w http.ResponseWriter, _ *http.Request) { w.Header().Del("Cache-Control"); says(w, 200) },
		"Content-Type": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			says(w, 200)
		},
		"header Server": func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Server", "x"); says(w, 200) },
		"body": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(200)
			_, _ = io.WriteString(w, strings.ToUpper(bodies[200]))
		},
		"Content-Length": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(503)
			_, _ = io.WriteString(w, bodies[200])
		},
	} {
		at := answers(t, answer)
		c := newClient()
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			if want == "body" && method == http.MethodHead {
				continue // there is none
			}
			_, err := c.ask(t.Context(), method, "http://"+at.address+"/ready")
			if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%s, %q: %v", method, want, err)
			}
		}
	}
}

func testTrial(t *testing.T) *trial {
	t.Helper()
	program, err := built()
	must(t, err)
	return &trial{stage: &stage{client: newClient(), loopvitals: program}, out: t.Output(), begun: time.Now()}
}

// TestSeesWhatIsExpected, with the probes run.
func TestSeesWhatIsExpected(t *testing.T) {
	trial := testTrial(t)
	at := answers(t, func(w http.ResponseWriter, r *http.Request) {
		says(w, map[string]int{"/startup": 200, "/ready": 503, "/live": 200}[r.URL.Path])
	})
	w, err := trial.sees(t.Context(), at, unready, time.Now())
	must(t, err)
	if w.last != 0 {
		t.Errorf("ready passed after %v", w.last)
	}
}

// TestSeesASuccessThatIsTooLate at once, and one that comes back.
func TestSeesASuccessThatIsTooLate(t *testing.T) {
	trial := testTrial(t)
	well := answers(t, func(w http.ResponseWriter, _ *http.Request) { says(w, 200) })
	_, err := trial.sees(t.Context(), well, none, time.Now().Add(-maximumAge-interval))
	if err == nil || !strings.Contains(err.Error(), "must be 503 503 503 within 4s") {
		t.Errorf("too late: %v", err)
	}
	var asked atomic.Int64
	flapping := answers(t, func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) == 20 {
			says(w, 200)
			return
		}
		says(w, 503)
	})
	if _, err := trial.sees(t.Context(), flapping, none, time.Now()); err == nil || !strings.Contains(err.Error(), "passes while the fault lasts") {
		t.Errorf("flapping: %v", err)
	}
}

// TestProbesThatExitOtherwise are an error.
func TestProbesThatExitOtherwise(t *testing.T) {
	trial := testTrial(t)
	at := answers(t, func(w http.ResponseWriter, _ *http.Request) { says(w, 200) })
	if err := trial.probes(t.Context(), at.address, none); err == nil || !strings.Contains(err.Error(), "exit status 0: must be 1") {
		t.Error(err)
	}
}

// TestProcesses tells stopped from gone, and finds them by what they were given.
func TestProcesses(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "mark")
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$", mark)
	c.Env = append(os.Environ(), asHung+"=1")
	must(t, c.Start())
	pid := c.Process.Pid
	wait := func(what string, ok func() bool) {
		t.Helper()
		for deadline := time.Now().Add(limit); !ok(); time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("not within %v: %s", limit, what)
			}
		}
	}
	wait("it is found", func() bool { found := mentioning(mark); return len(found) == 1 && found[0] == pid })
	if mb := megabytes(pid, "VmHWM"); mb <= 0 || megabytes(pid, "VmNone") != 0 {
		t.Errorf("it has %v MiB", mb)
	}
	must(t, c.Process.Signal(syscall.SIGSTOP))
	wait("it is stopped", func() bool { return stateOf(pid) == stopped })
	must(t, c.Process.Kill())
	wait("it is gone, and not yet waited for", func() bool { return stateOf(pid) == gone })
	_ = c.Wait()
	if stateOf(pid) != gone || len(mentioning(mark)) != 0 || megabytes(pid, "VmHWM") != 0 {
		t.Error("it is there after its end")
	}
}

// TestMisbehave refuses what it does not know.
func TestMisbehave(t *testing.T) {
	for _, args := range [][]string{nil, {"unknown", "a", "b", "c"}, {tellOld, "a", "/nobody.sock", "/nothing"}} {
		var out, said bytes.Buffer
		if exit := misbehave(args, &out, &said); exit == 0 || out.Len() > 0 || said.Len() == 0 {
			t.Errorf("%q: exit %d, %q, %q", args, exit, out.String(), said.String())
		}
	}
}
