package child

import (
	"bufio"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"time"
)

// victim samples one act for ever, until it is killed. As a control it does so
// without the death signal.
func victim(p []string) {
	c := Config{Argv: act(p[0], os.Args[3]+sampleSuffix)}
	say("going\n")
	if p[1] == "portable" {
		c, err := c.validate()
		if err != nil {
			panic(err)
		}
		engine, err := newPortable(c)
		if err != nil {
			panic(err)
		}
		for {
			_, _ = engine.run(time.Now())
		}
	}
	c.Subreaper = p[1] == "subreaper"
	r, err := New(c)
	if err != nil {
		panic(err)
	}
	for {
		_, _, _ = r.Run()
	}
}

// killed starts a victim, kills it when it is time, and returns its mark.
func killed(t *testing.T, name, how string, itIsTime func(mark string)) (mark string) {
	t.Helper()
	mark = newMark()
	argv := act("victim", mark, name, how)
	command := exec.Command(argv[0], argv[1:]...)
	output, err := command.StdoutPipe()
	must(t, err)
	must(t, command.Start())
	t.Cleanup(func() { _ = command.Process.Kill() }) // if the test does not get so far
	if line, err := bufio.NewReader(output).ReadString('\n'); err != nil {
		t.Fatal(line, err)
	}
	itIsTime(mark)
	must(t, command.Process.Kill())
	_ = command.Wait()
	return mark
}

// TestParentKilled is row 10: nothing survives a parent that gets SIGKILL, whether
// it waits for a hung command or is about to start or to reap one.
func TestParentKilled(t *testing.T) {
	running := func(mark string) {
		eventually(t, "the command runs", func() bool { return len(survivors(mark+sampleSuffix)) == 1 })
	}
	sometime := func(string) { time.Sleep(rand.N(20 * time.Millisecond)) }
	for _, how := range []string{"alone", "subreaper"} {
		for range times(5, 50) {
			for _, mark := range []string{killed(t, "hang", how, running), killed(t, "print", how, sometime)} {
				// A command between its fork and its exec has the arguments, and so
				// the mark, of its parent.
				eventually(t, "the end of all", func() bool { return len(survivors(mark)) == 0 })
			}
		}
	}
}

// TestParentKilledWithoutDeathSignal is the control.
func TestParentKilledWithoutDeathSignal(t *testing.T) {
	for range times(2, 20) {
		mark := killed(t, "hang", "portable", func(mark string) {
			eventually(t, "the command runs", func() bool { return len(survivors(mark+sampleSuffix)) == 1 })
		})
		if got := survivors(mark); len(got) != 1 {
			t.Errorf("survivors: %v, want 1", got)
		}
		exterminate(mark)
		eventually(t, "the end of the survivor", func() bool { return len(survivors(mark)) == 0 })
	}
}
