//go:build system && linux

package systemtest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/liveness"
)

// bound is how old a beat may be in the child.
const bound = 700 * time.Millisecond

// childVariable makes this test program the child instead.
const childVariable = "LOOPVITALS_SYSTEM_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		watched(os.Stdin, os.Stdout)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// watched is the child: one loop, its monitor, and a prober that asks without
// pause, so that it is the first to ask after a freeze. It wedges the loop when a line
// comes in, and says what it saw once the wedge was found.
func watched(in io.Reader, out io.Writer) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	b := board.New()
	orders := b.MustRegister(board.Spec{ID: "orders", Interval: 20 * time.Millisecond})
	monitor, err := liveness.NewMonitor(b, liveness.WithPolicy(liveness.Policy{StaleAfter: bound}))
	if err != nil {
		fmt.Fprintln(out, err)
		return
	}
	go func() { _ = monitor.Run(ctx) }()

	wedge := make(chan struct{})
	go func() {
		_, _ = bufio.NewReader(in).ReadString('\n')
		close(wedge)
	}()
	var silences atomic.Int64 // between two beats, longer than the bound
	go func() {
		last := time.Now()
		for beat := time.NewTicker(20 * time.Millisecond); ; {
			select {
			case <-wedge:
				return
			case <-beat.C:
				orders.Beat()
				if time.Since(last) > bound {
					silences.Add(1)
				}
				last = time.Now()
			}
		}
	}()
	orders.Beat()
	// The monitor must run before the first freeze: without it there is no grace.
	time.Sleep(bound / 2)
	fmt.Fprintln(out, "ready")

	var wrong, late int
	for {
		wedged := closed(wedge) // before the question: what is found now may be true
		verdict := monitor.Verdicts()[0]
		if !wedged {
			if verdict.Status == check.Unhealthy {
				wrong++
			}
			if verdict.Reason == liveness.ObserverLate {
				late++
			}
		} else if verdict.Status == check.Unhealthy {
			fmt.Fprintf(out, "wrong %d late %d silences %d reason %s age %d\n",
				wrong, late, silences.Load(), verdict.Reason, verdict.Age.Milliseconds())
			return
		}
	}
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// child is a running child process.
type child struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

// startChild starts a child and waits until its loop beats. It is killed after
// the test if it is still there.
func startChild(t *testing.T, environment ...string) *child {
	t.Helper()
	command := exec.Command(os.Args[0])
	command.Env = append(append(os.Environ(), childVariable+"=1"), environment...)
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	c := &child{command, in, bufio.NewReader(out)}
	if line := c.line(t); line != "ready" {
		t.Fatalf("child says %q, want ready", line)
	}
	return c
}

// saw is what a child counted before its loop was wedged, and how the wedge was
// found.
type saw struct {
	wrong, late, silences int
	reason                string
	age                   time.Duration
}

// wedge lets the child's loop hang and returns what the child saw.
func (c *child) wedge(t *testing.T) saw {
	t.Helper()
	if _, err := io.WriteString(c.in, "wedge\n"); err != nil {
		t.Fatal(err)
	}
	var s saw
	var age int64
	line := c.line(t)
	if _, err := fmt.Sscanf(line, "wrong %d late %d silences %d reason %s age %d", &s.wrong, &s.late, &s.silences, &s.reason, &age); err != nil {
		t.Fatalf("child says %q: %v", line, err)
	}
	s.age = time.Duration(age) * time.Millisecond
	return s
}

func (c *child) line(t *testing.T) string {
	t.Helper()
	line, err := c.out.ReadString('\n')
	if err != nil {
		t.Fatalf("child ended: %v", err)
	}
	return strings.TrimSpace(line)
}
