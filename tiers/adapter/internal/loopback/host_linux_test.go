package loopback

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func init() { roles["host"] = host }

// host is a process that serves, with nothing well, and does what it is told:
// "listen", "exhaust" to leave no descriptor, "leave one" and "leave two" to give
// some back, "release" to give back all, and "usage".
func host(args []string) error {
	if args[0] == "few" {
		limit := unix.Rlimit{Cur: 64, Max: 64}
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
			return err
		}
	}
	var s *Server
	var taken []int
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		switch in.Text() {
		case "listen":
			c := testConfig()
			c.OK = nil
			var err error
			if s, err = Listen(c); err != nil {
				return err
			}
			go func() { _ = s.Serve() }()
			fmt.Println(s.Addr())
		case "exhaust":
			var err error
			if taken, err = takeAll(); err != nil {
				return err
			}
			fmt.Println(len(taken))
		case "leave one", "leave two":
			n := map[string]int{"leave one": 1, "leave two": 2}[in.Text()]
			closeAll(taken[:n]...)
			taken = taken[n:]
			fmt.Println("left")
		case "release":
			closeAll(taken...)
			taken = nil
			fmt.Println("released")
		case "usage":
			line, err := json.Marshal(takeUsage(s))
			if err != nil {
				return err
			}
			fmt.Println(string(line))
		}
	}
	return nil
}

// takeAll opens descriptors until there are none.
func takeAll() ([]int, error) {
	var taken []int
	for {
		fd, err := unix.Open(os.DevNull, unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if errors.Is(err, unix.EMFILE) {
			return taken, nil
		}
		if err != nil {
			return nil, err
		}
		taken = append(taken, fd)
	}
}

// usage is what the host process has used.
type usage struct {
	CPUMicros int64
	PeakKiB   int // of resident memory, of this program alone
	HeapKiB   uint64
	Counters  Counters
}

func takeUsage(s *Server) usage {
	var ru unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_SELF, &ru)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return usage{
		CPUMicros: (ru.Utime.Sec+ru.Stime.Sec)*1e6 + ru.Utime.Usec + ru.Stime.Usec,
		PeakKiB:   peakKiB(),
		HeapKiB:   m.HeapInuse >> 10,
		Counters:  s.Counters(),
	}
}

// peakKiB is the highest resident memory since the program was loaded. Getrusage
// would count that of the process which started it, too.
func peakKiB() int {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	line, _, _ := strings.Cut(after, "kB")
	n, _ := strconv.Atoi(strings.TrimSpace(line))
	return n
}

func (p *helperProcess) usage(t *testing.T) usage {
	t.Helper()
	var u usage
	if err := json.Unmarshal([]byte(p.ask("usage")), &u); err != nil {
		t.Fatal(err)
	}
	return u
}
