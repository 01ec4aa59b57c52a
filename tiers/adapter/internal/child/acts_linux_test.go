package child

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

func init() {
	acts["stop itself"] = func([]string) { _ = unix.Kill(os.Getpid(), unix.SIGSTOP); hang() }
	acts["kill itself"] = func([]string) { say("half"); _ = unix.Kill(os.Getpid(), unix.SIGKILL); hang() }
	acts["leader"] = func([]string) { spawn(kept, "hang"); say("fine\n") }
	acts["hung leader"] = func([]string) { spawn(kept, "hang"); hang() }
	acts["leader of a holder"] = func([]string) { say("fine\n"); spawn(kept, "dribble") }
	acts["deserter"] = func([]string) {
		group, err := unix.Getpgid(os.Getppid())
		if err == nil {
			err = unix.Setpgid(0, group)
		}
		if err != nil {
			leave(3)
		}
		hang()
	}
	acts["parent"] = func([]string) {
		spawn(kept, "hang")
		_, err := New(Config{Argv: []string{"/bin/true"}, Subreaper: true})
		say(fmt.Sprint(err))
	}
	acts["runaway"] = func([]string) { spawn(setsid, "hang"); say("fine\n") }
	acts["runaway holder"] = func([]string) { say("fine\n"); spawn(setsid, "dribble") }
	acts["hung runaway"] = func([]string) { spawn(setsid, "hang"); hang() }
	acts["double runaway"] = func([]string) { spawn(setsid, "spawn and exit"); say("fine\n") }
	acts["spawn and exit"] = func([]string) { spawn(setsid, "hang"); announce() }
	acts["orphans"] = func([]string) { // that end by themselves, and somebody must reap
		for range 3 {
			spawn(setsid, "announce")
		}
		say("fine\n")
	}
	acts["announce"] = func([]string) { announce() }
	for _, name := range []string{"hang", "dribble"} {
		alone := acts[name]
		acts[name] = func(p []string) { announce(); alone(p) }
	}
	acts["surroundings"] = func([]string) { say(surroundings()) }
	acts["bomb"] = bomb
	acts["bombed"] = bombed
	acts["foreign proc"] = foreignProc
	acts["host"] = host
	acts["victim"] = victim
}

// How a grandchild is started.
var (
	kept   *syscall.SysProcAttr // in the group of its parent
	setsid = &syscall.SysProcAttr{Setsid: true}
)

// A grandchild says that it runs on its descriptor 3, if the variable is set.
const (
	announceVariable = "LOOPVITALS_ANNOUNCE"
	announceFile     = 3
)

// spawn starts another act with this one's mark and output, and returns when it
// runs.
func spawn(attributes *syscall.SysProcAttr, act string, parameters ...string) {
	read, write, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	command := exec.Command(os.Args[0], slices.Concat([]string{actArgument, act, os.Args[3]}, parameters)...)
	command.Stdout, command.ExtraFiles, command.SysProcAttr = os.Stdout, []*os.File{write}, attributes
	command.Env = []string{announceVariable + "=yes"}
	if err := command.Start(); err != nil {
		panic(err)
	}
	_ = write.Close()
	_, _ = read.Read(make([]byte, 1))
	_ = read.Close()
}

// announce tells the parent that this process runs, if it is a grandchild.
func announce() {
	if os.Getenv(announceVariable) == "" {
		return
	}
	_, _ = unix.Write(announceFile, []byte("!"))
	_ = unix.Close(announceFile)
}

// given is what the command finds around itself.
type given struct {
	Dir         string
	Environment []string
	Arguments   []string
	Descriptors []int
	Input       string
	Errors      string
	GroupIsOwn  bool
}

func surroundings() string {
	g := given{Environment: os.Environ(), Arguments: os.Args[4:], Descriptors: inherited()}
	g.Dir, _ = os.Getwd()
	g.Input, _ = os.Readlink("/proc/self/fd/0")
	g.Errors, _ = os.Readlink("/proc/self/fd/2")
	g.GroupIsOwn = unix.Getpgrp() == os.Getpid()
	text, err := json.Marshal(g)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// inherited lists the open descriptors that an exec keeps.
func inherited() (list []int) {
	for fd := range 256 {
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		if err == nil && flags&unix.FD_CLOEXEC == 0 {
			list = append(list, fd)
		}
	}
	return list
}

// bomb forks without end the first time it is run, in a control group that is
// named, each in a session of its own if asked so. It gives up after a while,
// should nobody defuse it.
func bomb(p []string) {
	const fuse = 60 * time.Second
	group, kind, used := p[0], p[1], p[2]
	if file, err := os.OpenFile(used, os.O_CREATE|os.O_EXCL, 0o600); err != nil {
		say("fine\n")
		return
	} else if err := errors.Join(file.Close(), os.WriteFile(group, []byte("0"), 0o644)); err != nil {
		panic(err)
	}
	var now unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &now)
	explode(now.Sec+int64(fuse/time.Second), kind == "setsid")
}

// bombed runs a bomb, and then itself until that succeeds.
func bombed(p []string) {
	r, err := New(Config{Argv: act("bomb", os.Args[3]+sampleSuffix, p...), Timeout: briefly, Subreaper: true})
	if err != nil {
		panic(err)
	}
	exploded, runs := false, 0
	for start := time.Now(); time.Since(start) < 2*longAgo; {
		runs++
		output, _, err := r.Run()
		fmt.Printf("run %d after %v: %v\n", runs, time.Since(start), err)
		exploded = exploded || kindOf(err) == Timeout
		if err == nil && string(output) == "fine\n" && exploded && len(children()) == 0 {
			return
		}
	}
	leave(1)
}

// foreignProc samples as the first process of a namespace without a /proc.
func foreignProc([]string) {
	r, err := New(Config{Argv: act("runaway", os.Args[3]), Subreaper: true})
	if err != nil {
		panic(err)
	}
	var failure *Error
	for range 5 { // should the machine be busy
		if _, _, err := r.Run(); !errors.As(err, &failure) || failure.Kind == Leftover {
			break
		}
	}
	if failure != nil {
		fmt.Printf("%d processes, %v, %d left", len(processes()), failure.Kind, failure.Left)
	}
}
