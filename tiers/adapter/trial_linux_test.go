package adapter

import (
	"bufio"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// trial is one adapter, to which one fault happens.
type trial struct {
	*stage
	fault   fault
	random  *rand.Rand
	address string
	node    *os.Process
	adapter *os.Process // if it is one of its own

	oldest time.Duration // of the successes that were answered
	asked  int           // probes, which go round the endpoints
}

// stopTime is how long an adapter is stopped (row 7).
const stopTime = 10 * time.Second

// runTrial lets a node be ready, lets a fault happen, watches what the adapter
// answers until all it knew is too old, and lets the node be ready again. It
// returns the age of the oldest success that was answered.
func runTrial(t *testing.T, f fault, n int) (oldest time.Duration) {
	r := &trial{fault: f, random: rand.New(rand.NewPCG(2, uint64(n)))}
	// What the last good sample takes, and the first bad one, decides how old the
	// former gets. The first round is sure to come to the bound.
	before, after := r.upTo(1250*ms), r.upTo(1300*ms)
	if n < len(faults) {
		before, after = 1100*ms, 1100*ms
	}
	good := mode{Does: succeeds, Delay: before}
	if f.asks {
		good.Does = asks
	}
	r.stage = newStage(t, good)
	r.start()
	r.untilReady(good)
	r.pause(r.upTo(2 * time.Second)) // at any point of a sample

	struck := now()
	r.set(mode{Does: f.does, Delay: after, Frozen: struck})
	if f.strike != nil {
		f.strike(r)
	}
	if f.serves {
		for now().since(struck) < 4200*ms {
			r.probe(0)
		}
	} else {
		r.untilOld()
	}
	r.recover(good)
	return r.oldest
}

// upTo is a random duration.
func (r *trial) upTo(d time.Duration) time.Duration { return time.Duration(r.random.Int64N(int64(d))) }

// start starts what the fault needs.
func (r *trial) start() {
	if r.fault.asks {
		r.startNode()
	}
	if r.fault.name == "adapter stopped" {
		r.startAdapter()
		return
	}
	r.address = runAdapter(r.T, realConfig(r.T, r.environment("command"))).Addr().String()
}

// startNode starts a node, and waits until it can be asked.
func (r *trial) startNode() {
	_ = os.Remove(filepath.Join(r.dir, socketFile))
	command := exec.Command(testBinary(r.T))
	command.Env = r.environment("node")
	r.run(command)
	r.node = command.Process
	eventually(r.T, "the node listens", func() bool {
		_, err := os.Stat(filepath.Join(r.dir, socketFile))
		return err == nil
	})
}

// startAdapter starts one in a process of its own.
func (r *trial) startAdapter() {
	text, err := json.Marshal(map[string]any{
		"node": nodeName, "listen": ownAddress().String(),
		"command": []string{testBinary(r.T)}, "environment": r.environment("command"),
	})
	if err == nil {
		err = os.WriteFile(filepath.Join(r.dir, adapterFile), text, 0o600)
	}
	if err != nil {
		r.Fatal(err)
	}
	command := exec.Command(testBinary(r.T))
	command.Env = r.environment("adapter")
	output, err := command.StdoutPipe()
	if err != nil {
		r.Fatal(err)
	}
	r.run(command)
	r.adapter = command.Process
	line, err := bufio.NewReader(output).ReadString('\n')
	if r.address = strings.TrimSpace(line); err != nil {
		r.Fatalf("%v: %q", err, line)
	}
}

// run starts a process that is killed when the test ends, and ends itself when this
// process is no more. It has a group of its own: when a group loses its terminal's
// shell, the kernel lets those of it that are stopped go on.
func (r *trial) run(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if _, err := command.StdinPipe(); err != nil {
		r.Fatal(err)
	}
	if err := command.Start(); err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
}

func (r *trial) signal(p *os.Process, s syscall.Signal) {
	r.Helper()
	if err := p.Signal(s); err != nil {
		r.Fatal(err)
	}
}

// probe asks one endpoint, and holds a 200 against the age of the last success that
// was noted. Not before is when the answer can have been given, if that is known to
// be later than the request.
func (r *trial) probe(notBefore instant) (yes bool) {
	r.Helper()
	path := paths[r.asked%int(endpoints)]
	r.asked++
	answered := max(now(), notBefore)
	switch code, err := code(r.address, path); code {
	case 200:
		age := answered.since(r.born())
		if r.oldest = max(r.oldest, age); age > maxAge {
			r.Errorf("%s is 200 from what is %v old", path, age)
		}
		return true
	case 503:
	case 0: // this process came too late with its request
		r.Logf("%s gets no answer: %v", path, err)
	default:
		r.Errorf("%s gets %d", path, code)
	}
	return false
}

// pause probes now and then for a while.
func (r *trial) pause(d time.Duration) {
	for began := now(); now().since(began) < d; time.Sleep(25 * ms) {
		r.probe(0)
	}
}

// untilReady waits for a success. A machine that is busy cannot run a slow command
// within its limit, so after a while the command gets faster.
func (r *trial) untilReady(good mode) {
	began := now()
	eventually(r.T, "200", func() bool {
		if good.Delay > 0 && now().since(began) > 15*time.Second {
			good.Delay = 0
			r.set(good)
		}
		return r.probe(0)
	})
}

// untilOld probes until all that the adapter can know is too old, very often around
// the bound.
func (r *trial) untilOld() {
	began := now()
	for {
		age := now().since(r.born())
		if age > maxAge+300*ms {
			return
		}
		if now().since(began) > patience {
			r.Fatal("the command still succeeds")
		}
		if age < maxAge-400*ms {
			time.Sleep(24 * ms)
		}
		time.Sleep(ms)
		r.probe(0)
	}
}

// recover lets the node be ready again: the next sample makes the difference
// (row 8).
func (r *trial) recover(good mode) {
	switch r.fault.name {
	case "node killed":
		r.startNode()
	case "node stopped":
		r.signal(r.node, syscall.SIGCONT)
	}
	good.Delay = 0
	r.set(good)
	r.untilReady(good)
}

// stopAdapter stops the adapter, asks it meanwhile, and lets it go on. Whatever it
// answers afterwards is an answer of that time: what it knew is old, and what a
// sample of before brings is old too, so there is no 200 until a fresh one.
func (r *trial) stopAdapter() {
	r.set(mode{Does: succeeds, Delay: r.upTo(1300 * ms)})
	r.pause(r.upTo(1500 * ms))
	r.signal(r.adapter, syscall.SIGSTOP)
	stat := filepath.Join("/proc", strconv.Itoa(r.adapter.Pid), "stat")
	eventually(r.T, "the adapter is stopped", func() bool {
		text, err := os.ReadFile(stat)
		_, state, _ := strings.Cut(string(text), ") ")
		return err == nil && strings.HasPrefix(state, "T")
	})
	resumed := now() + instant(stopTime)
	pending := make(chan struct{})
	go func() {
		defer close(pending)
		r.probe(resumed) // its request waits for the adapter
	}()
	time.Sleep(stopTime) // the duration of the fault
	for now() < resumed {
		time.Sleep(ms)
	}
	r.signal(r.adapter, syscall.SIGCONT)
	<-pending
	for began := now(); now().since(began) < 500*ms; {
		r.probe(0)
	}
}
