package adapter

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/tiers/adapter/observation"
)

// dirVariable names the directory in which a test and its fakes meet.
const dirVariable = "LOOPVITALS_TEST_DIR"

// The files in it.
const (
	modeFile    = "mode"   // what the command does next
	birthsFile  = "births" // when each success that it printed was true
	socketFile  = "node"   // of the node, if the command asks one
	diaryFile   = "diary"  // when each command began and was about to end
	adapterFile = "adapter.json"
)

func init() {
	plays["command"] = playCommand
	plays["node"] = playNode
	plays["adapter"] = playAdapter
}

// mode is what a command does.
type mode struct {
	Does   string
	Delay  time.Duration // before that
	Frozen instant       // since when the node's facts are the same, for "stale"
}

// The things that a command does.
const (
	succeeds = "succeeds" // prints a document that lacks nothing
	asks     = "asks"     // the node for it
	stale    = "stale"    // prints one whose facts are frozen
	hung     = "hung"
	stopped  = "stopped" // by itself, as if with SIGSTOP
	exits    = "exits"   // with 1, after a good document
	stranger = "stranger"
	garbage  = "garbage"
)

// playCommand is the sampled command. It notes the birth of what it says before it
// says it: a success that is answered from has been noted.
func playCommand() {
	started := processBegan()
	dir := os.Getenv(dirVariable)
	text, err := os.ReadFile(filepath.Join(dir, modeFile))
	var m mode
	if err != nil || json.Unmarshal(text, &m) != nil {
		os.Exit(3)
	}
	time.Sleep(m.Delay)
	switch m.Does {
	case succeeds:
		note(dir, started)
		printDocument()
	case asks:
		conn, err := net.Dial("unix", filepath.Join(dir, socketFile))
		if err != nil {
			os.Exit(1)
		}
		document, err := io.ReadAll(conn)
		if err != nil {
			os.Exit(1)
		}
		note(dir, started)
		os.Stdout.Write(document)
	case stale:
		ageMs := int64(now().since(m.Frozen) / time.Millisecond)
		note(dir, started.less(nodeAge(ageMs)))
		printDocument(aged(ageMs))
	case hung:
		time.Sleep(time.Hour)
	case stopped:
		_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
		time.Sleep(time.Hour)
	case exits:
		printDocument()
		os.Exit(1)
	case stranger:
		printDocument(other)
	case garbage:
		os.Stdout.Write(documentBytes()[:100])
	case "diary":
		printDocument()
		appendLine(dir, diaryFile, int64(started), int64(now()))
	default:
		oddities[m.Does]()
	}
}

// oddities are further ways to go wrong, and two that are none.
var oddities = map[string]func(){
	"closes": func() { printDocument(); os.Stdout.Close(); time.Sleep(time.Hour) },
	"deaf": func() {
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
		time.Sleep(time.Hour)
	},
	"floods":  func() { printDocument(); printMuch(os.Stdout, " ", 1<<20) },
	"deep":    func() { printMuch(os.Stdout, "[", 200<<10) },
	"deeper":  func() { printMuch(os.Stdout, "[", 1_000_000) },
	"huge":    func() { printReplaced(`"ageMs":0`, `"ageMs":1`+strings.Repeat("0", 1000)) },
	"twice":   func() { printReplaced(`"ageMs":0`, `"ageMs":0,"ageMs":0`) },
	"more":    func() { printDocument(); fmt.Print("{}") },
	"unknown": func() { printReplaced(`"ageMs":0`, `"ageMs":0,"agems":0`) },
	"utf8":    func() { printReplaced(aLife, "life-\xff") },
	"silent":  func() {},
	"failed":  func() { printDocument(func(d *observation.Document) { d.Result = observation.Failed }) },
	"sick":    func() { printDocument(sick) }, // its state is corrupted
	"old":     func() { printDocument(aged(3001)) },
	"full":    func() { printDocument(full) },
	"chats":   func() { printMuch(os.Stderr, "nothing to see\n", 1<<20); printDocument() },
}

// printMuch writes a text again and again.
func printMuch(file *os.File, text string, bytes int) {
	_, _ = file.WriteString(strings.Repeat(text, bytes/len(text)))
}

// printReplaced prints a document with one part replaced, which must be there.
func printReplaced(part, by string) {
	text := string(documentBytes())
	if !strings.Contains(text, part) {
		panic(text)
	}
	fmt.Print(strings.Replace(text, part, by, 1))
}

// processBegan is when this process was forked, not earlier and at most 10 ms later. A
// machine that is busy takes much longer to get from there to main.
func processBegan() instant {
	reached := now()
	stat, _ := os.ReadFile("/proc/self/stat")
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 20 {
		return reached
	}
	ticks, err := strconv.ParseInt(string(fields[19]), 10, 64) // of 10 ms, since the boot, rounded down
	began := instant(ticks+1) * instant(10*time.Millisecond)
	if err != nil || began > reached || reached.since(began) > maxTimeout {
		return reached
	}
	return began
}

// note appends a birth.
func note(dir string, born instant) { appendLine(dir, birthsFile, int64(born)) }

// appendLine appends numbers to a file, in one write.
func appendLine(dir, name string, numbers ...int64) {
	file, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		os.Exit(4)
	}
	text := fmt.Sprintln(numbers)
	fmt.Fprintln(file, strings.Trim(text, "[]\n"))
	file.Close()
}

// endWithTest ends this process when the one that started it is gone.
func endWithTest() {
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

// playNode answers on a socket until it is killed.
func playNode() {
	go endWithTest()
	listener, err := net.Listen("unix", filepath.Join(os.Getenv(dirVariable), socketFile))
	if err != nil {
		os.Exit(1)
	}
	for {
		conn, err := listener.Accept()
		if err != nil {
			os.Exit(1)
		}
		conn.Write(documentBytes())
		conn.Close()
	}
}

// playAdapter is an adapter in a process of its own. It prints its address.
func playAdapter() {
	go endWithTest()
	config, err := ReadConfig(filepath.Join(os.Getenv(dirVariable), adapterFile))
	if err != nil {
		fmt.Println(err)
		os.Exit(2)
	}
	a, err := New(config)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(a.Addr())
	_ = a.Run(context.Background())
}

func documentBytes(changes ...func(*observation.Document)) []byte {
	output, err := with(changes...).Append(nil)
	if err != nil {
		panic(err)
	}
	return output
}

func printDocument(changes ...func(*observation.Document)) {
	os.Stdout.Write(documentBytes(changes...))
}

// stage is where a test, its command, its node and its adapter meet.
type stage struct {
	*testing.T
	dir string
}

// newStage makes one. The path is short: that of a socket must be.
func newStage(t *testing.T, m mode) *stage {
	t.Helper()
	dir, err := os.MkdirTemp("", "adapter")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := &stage{t, dir}
	s.set(m)
	return s
}

// set says what the command does from its next run on.
func (s *stage) set(m mode) {
	s.Helper()
	text, err := json.Marshal(m)
	if err == nil {
		next := filepath.Join(s.dir, modeFile+".next")
		if err = os.WriteFile(next, text, 0o600); err == nil {
			err = os.Rename(next, filepath.Join(s.dir, modeFile))
		}
	}
	if err != nil {
		s.Fatal(err)
	}
}

// born is when the last success came to be that the command has printed.
func (s *stage) born() (last instant) {
	text, _ := os.ReadFile(filepath.Join(s.dir, birthsFile))
	for line := range bytes.Lines(text) {
		born, err := strconv.ParseInt(string(bytes.TrimSuffix(line, []byte("\n"))), 10, 64)
		if err == nil {
			last = max(last, instant(born))
		}
	}
	return last
}

// environment is what a fake finds in its environment. The race detector is not to wait
// for a second at the end of each process.
func (s *stage) environment(play string) []string {
	return []string{playVariable + "=" + play, dirVariable + "=" + s.dir, "GORACE=atexit_sleep_ms=0"}
}

// commands are the processes of the command that exist, without zombies.
func (s *stage) commands() (pids []string) {
	s.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		s.Fatal(err)
	}
	for _, file := range files {
		if environment, err := os.ReadFile(file); err == nil && bytes.Contains(environment, []byte(dirVariable+"="+s.dir+"\x00")) {
			pids = append(pids, strings.Split(file, "/")[2])
		}
	}
	return pids
}
