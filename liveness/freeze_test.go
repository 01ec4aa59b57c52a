//go:build unix

package liveness

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// frozenProcess is a child that runs runFrozenChild.
type frozenProcess struct {
	*testing.T
	kind    string
	cmd     *exec.Cmd
	in      io.Writer
	out     *bufio.Reader
	before  int64 // false wedges reported so far
	freezes int   // that led to one
}

func startFrozen(t *testing.T, kind string, procs int) *frozenProcess {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), frozenChild+"="+kind, fmt.Sprint("GOMAXPROCS=", procs))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // works on a stopped process, too
		_ = cmd.Wait()
	})
	return &frozenProcess{T: t, kind: kind, cmd: cmd, in: in, out: bufio.NewReader(out)}
}

func (p *frozenProcess) signal(s os.Signal) {
	p.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.Fatal(err)
	}
}

// ask sends a line and returns the answer.
func (p *frozenProcess) ask(line string) (r frozenReport) {
	p.Helper()
	if _, err := fmt.Fprintln(p.in, line); err != nil {
		p.Fatal(err)
	}
	answer, err := p.out.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(answer, &r)
	}
	if err != nil {
		p.Fatal(err)
	}
	return r
}

// count notes whether the last freeze led to a false wedge.
func (p *frozenProcess) count() {
	p.Helper()
	if now := p.ask("report").False; now > p.before {
		p.before = now
		p.freezes++
	}
}

// TestFreeze is row 6 of the fault matrix and target 7: a process that is
// stopped for longer than the bound shows no false wedge when it goes on, and
// still finds a true one within a bound and 100 ms. The same without Monitor.Run
// fails often, so the test can fail.
//
// It stops real processes, so it takes real time; several of them are frozen at
// once to keep that short.
func TestFreeze(t *testing.T) {
	rounds := 6
	if soak {
		rounds = 200
	}
	var processes, watched []*frozenProcess
	for _, procs := range []int{1, 2} {
		for _, kind := range []string{"watched", "coarse", "naive"} {
			p := startFrozen(t, kind, procs)
			processes = append(processes, p)
			if kind != "naive" {
				watched = append(watched, p)
			}
		}
	}
	for _, p := range processes {
		p.ask("hello") // it is up and beats
	}
	freeze := func() {
		time.Sleep(rand.N(2 * frozenInterval)) // any phase
		for _, p := range processes {
			p.signal(syscall.SIGSTOP)
		}
		time.Sleep(frozenBound + rand.N(frozenBound/2))
		for _, p := range processes {
			p.signal(syscall.SIGCONT)
		}
		time.Sleep(4 * frozenInterval) // enough for a beat
	}
	for range rounds {
		freeze()
		for _, p := range processes {
			p.count()
		}
	}
	naive := 0
	for _, p := range processes {
		t.Logf("%s: %d of %d freezes led to a false wedge", p.kind, p.freezes, rounds)
		switch {
		case p.kind == "naive":
			naive += p.freezes
		case p.freezes != 0:
			t.Errorf("%s: %d of %d freezes led to a false wedge", p.kind, p.freezes, rounds)
		}
	}
	if naive*100 < 30*2*rounds {
		t.Errorf("without Run only %d of %d freezes led to a false wedge: the test proves nothing", naive, 2*rounds)
	}

	for _, p := range watched {
		p.ask("wedge")
	}
	time.Sleep(frozenInterval)
	freeze()
	time.Sleep(frozenBound + 500*time.Millisecond)
	for _, p := range watched {
		r := p.ask("report")
		t.Logf("a true wedge was found %v after the resume, bound %v", r.Found, frozenBound)
		if r.Found == 0 || r.Found > frozenBound+100*time.Millisecond+r.Gap {
			t.Errorf("a true wedge was found %v after the resume (zero: never), bound %v, longest gap %v", r.Found, frozenBound, r.Gap)
		}
		if r.False > p.before {
			t.Errorf("%d probes found a false wedge beside the true one", r.False-p.before)
		}
	}
}
