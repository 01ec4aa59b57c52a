package adapter

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// quickly makes samples follow each other with less of a pause.
func quickly(c Config) Config {
	c.Pause = minPause
	return c
}

// paths are where the endpoints are, in their order.
var paths = [endpoints]string{defaultStartupPath, defaultReadyPath, defaultLivePath}

// codes asks all three endpoints.
func codes(address string) (all [endpoints]int) {
	for e, path := range paths {
		all[e], _ = code(address, path)
	}
	return all
}

var (
	all200 = [endpoints]int{200, 200, 200}
	all503 = [endpoints]int{503, 503, 503}
)

// untilCodes waits until the endpoints answer so.
func untilCodes(t *testing.T, what, address string, want [endpoints]int) {
	t.Helper()
	var got [endpoints]int
	eventually(t, what, func() bool { got = codes(address); return got == want })
}

// reply asks until there is an answer: a request that comes too late, since this process
// did not run, gets none.
func reply(t *testing.T, address, method, path string) (reply string) {
	t.Helper()
	eventually(t, method+" "+path, func() bool {
		var err error
		reply, err = ask(address, method, path)
		return err == nil
	})
	return reply
}

// TestHeadIsGet is the part of CASE-120 that needs a real server: HEAD gets the head
// of GET and no body, and all answers carry no-store and a status only (S2.7, S2.9).
func TestHeadIsGet(t *testing.T) {
	s := newStage(t, mode{Does: stranger})
	address := runAdapter(t, quickly(realConfig(t, s.environment("command")))).Addr().String()
	for _, c := range []struct {
		does string
		want int
		body string
	}{
		{stranger, 503, `{"status":"Unhealthy"}`},
		{succeeds, 200, `{"status":"Healthy"}`},
		{garbage, 503, `{"status":"Unhealthy"}`},
	} {
		s.set(mode{Does: c.does})
		untilCodes(t, c.does, address, [endpoints]int{c.want, c.want, c.want})
		for _, path := range paths {
			get, head := reply(t, address, "GET", path), reply(t, address, "HEAD", path)
			if !strings.HasPrefix(get, fmt.Sprintf("HTTP/1.1 %d ", c.want)) || head != strings.TrimSuffix(get, c.body) ||
				body(get) != c.body || !strings.Contains(get, "\r\nCache-Control: no-store\r\n") {
				t.Errorf("%s while the command %s: GET %q, HEAD %q", path, c.does, get, head)
			}
		}
	}
}

// TestBrokenCommands has each way to break a sample answered with 503 on all paths,
// and the next good sample with 200 (rows 41 and 46). How the command ends is the
// runner's affair; here it is judged.
func TestBrokenCommands(t *testing.T) {
	t.Parallel()
	s := newStage(t, mode{Does: succeeds})
	command := filepath.Join(s.dir, "command")
	link := func(to string) {
		t.Helper()
		_ = os.Remove(command)
		if err := os.Symlink(to, command); err != nil {
			t.Fatal(err)
		}
	}
	noProgram := filepath.Join(s.dir, "no-program")
	if err := os.WriteFile(noProgram, []byte("no program\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	link(testBinary(t))
	config := quickly(realConfig(t, s.environment("command")))
	config.Command = []string{command}
	address := runAdapter(t, config).Addr().String()

	well := func() {
		t.Helper()
		s.set(mode{Does: succeeds})
		untilCodes(t, "200 again", address, all200)
	}
	well()
	for _, does := range []string{
		hung, stopped, exits, stranger, garbage, "closes", "deaf", "floods", "deep", "deeper", "huge", "twice", "more",
		"unknown", "utf8", "silent", "failed", "sick", "old",
	} {
		s.set(mode{Does: does})
		untilCodes(t, does, address, all503)
		well()
	}
	for name, target := range map[string]string{
		"missing":        filepath.Join(s.dir, "nothing"),
		"not executable": os.DevNull,
		"no program":     noProgram,
	} {
		link(target)
		untilCodes(t, name, address, all503)
		link(testBinary(t))
		well()
	}
	for does, want := range map[string][endpoints]int{
		"full":  {200, 503, 200}, // live, and latched
		"chats": all200,          // floods its stderr, which is nobody's
	} {
		s.set(mode{Does: does})
		untilCodes(t, does, address, want)
		well()
	}
}

// TestOneCommandAtATime looks at the real processes of some samples: each begins a
// pause after the one before it has ended (S2.13, S2.14).
func TestOneCommandAtATime(t *testing.T) {
	s := newStage(t, mode{Does: "diary", Delay: 50 * ms})
	runAdapter(t, quickly(realConfig(t, s.environment("command"))))
	var begin, end []instant
	eventually(t, "six samples", func() bool {
		begin, end = nil, nil
		text, _ := os.ReadFile(filepath.Join(s.dir, diaryFile))
		for line := range bytes.Lines(text) {
			var b, e int64
			if n, _ := fmt.Sscanf(string(line), "%d %d\n", &b, &e); n == 2 {
				begin, end = append(begin, instant(b)), append(end, instant(e))
			}
		}
		return len(end) >= 6
	})
	for i := 1; i < len(begin); i++ {
		if gap := time.Duration(begin[i] - end[i-1]); gap < minPause {
			t.Errorf("sample %d begins %v after the one before it", i, gap)
		}
	}
}

// TestTwoGoroutines counts those of the adapter while clients come and are silent,
// and commands run (S2.13): Run's and the sampler's.
func TestTwoGoroutines(t *testing.T) {
	s := newStage(t, mode{Does: succeeds, Delay: 50 * ms})
	a := runAdapter(t, quickly(realConfig(t, s.environment("command"))))
	address := a.Addr().String()
	untilCodes(t, "200", address, all200)
	for range 50 {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		_, _ = code(address, defaultReadyPath)
		if n := adapterGoroutines(); n != a.Usage().Ceilings.Goroutines {
			t.Fatalf("%d goroutines", n)
		}
	}
}

// adapterGoroutines counts the goroutines in which an Adapter does something, and those
// that it started.
func adapterGoroutines() (n int) {
	text := make([]byte, 1<<20)
	for stack := range strings.SplitSeq(string(text[:runtime.Stack(text, true)]), "\n\n") {
		if strings.Contains(stack, "/adapter.(*Adapter).") {
			n++
		}
	}
	return n
}

// TestContextEndsRun while a command hangs: the command is gone when Run returns, and
// so is the listener (S2.16).
func TestContextEndsRun(t *testing.T) {
	s := newStage(t, mode{Does: hung})
	a, err := New(realConfig(t, s.environment("command")))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx) }()
	eventually(t, "the command runs", func() bool { return len(s.commands()) == 1 && a.Usage().Children == 1 })
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("Run: %v", err)
	}
	if left := s.commands(); len(left) > 0 {
		t.Errorf("commands %v are left", left)
	}
	if _, err := net.Dial("tcp", a.Addr().String()); err == nil {
		t.Error("it still listens")
	}
	if n := adapterGoroutines(); n > 0 {
		t.Errorf("%d goroutines are left", n)
	}
}

// TestStopBeforeRun ends the listening, and Run returns at once.
func TestStopBeforeRun(t *testing.T) {
	s := newStage(t, mode{Does: succeeds})
	a, err := New(realConfig(t, s.environment("command")))
	if err != nil {
		t.Fatal(err)
	}
	a.Stop()
	a.Stop()
	if _, err := net.Dial("tcp", a.Addr().String()); err == nil {
		t.Error("it listens")
	}
	if err := a.Run(t.Context()); err != nil || s.born() != 0 {
		t.Errorf("Run: %v, born %v", err, s.born())
	}
}

// TestPortTaken is an error of New that names the address (row 47).
func TestPortTaken(t *testing.T) {
	s := newStage(t, mode{Does: succeeds})
	c := realConfig(t, s.environment("command"))
	a, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Stop()
	c.Listen = a.Addr()
	if _, err := New(c); err == nil || !strings.Contains(err.Error(), c.Listen.String()) {
		t.Errorf("a second adapter: %v", err)
	}
}

// TestUsage records what an adapter uses in this process, beside its ceilings
// (S2.18). The figures of the program alone are recorded with the command.
func TestUsage(t *testing.T) {
	s := newStage(t, mode{Does: succeeds})
	a := runAdapter(t, quickly(realConfig(t, s.environment("command"))))
	before := a.Usage()
	untilCodes(t, "200", a.Addr().String(), all200)
	s.set(mode{Does: stranger})
	untilCodes(t, "503", a.Addr().String(), all503)
	u := a.Usage()
	t.Logf("RSS %d, at most %d KiB; CPU %v more; %d goroutines, %d threads, %d descriptors; %d samples, %d failed; %d requests",
		u.RSS>>10, u.PeakRSS>>10, u.CPU-before.CPU, u.Goroutines, u.Threads, u.Descriptors, u.Samples, u.Failed, u.Answered)
	t.Logf("ceilings: %+v", u.Ceilings)
	if u.RSS <= 0 || u.PeakRSS < u.RSS || u.CPU < before.CPU || u.CPU <= 0 || u.Goroutines < 3 || u.Threads <= 0 ||
		u.Descriptors <= 0 || u.Children > u.Ceilings.Children || u.Samples < 2 || u.Failed < 1 || u.Failed >= u.Samples ||
		u.Answered < 6 || u.Connections < u.Answered {
		t.Errorf("%+v", u)
	}
}
