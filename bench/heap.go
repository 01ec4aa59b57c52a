package bench

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
)

// heapVariable is the environment variable that makes a process hold a heap.
const heapVariable = "LOOPVITALS_BENCH_HEAP"

// heapBuilders are the heaps to choose from. What they return must be kept.
var heapBuilders = map[string]func() any{"board": boardHeap, "map": mapHeap}

// ServeHeap makes this process hold a heap for another one that measures it,
// and returns true when it is done; in an ordinary process it returns false at
// once. A command that measures heaps calls it before anything else.
//
// Two heaps in one process would be collected together, and built one after
// the other they would be measured seconds apart. In a process each they can
// take turns like all other cases. For every line on in, the process collects
// its heap and answers with the CPU time in ns.
func ServeHeap(in io.Reader, out io.Writer) (served bool, err error) {
	name := os.Getenv(heapVariable)
	if name == "" {
		return false, nil
	}
	build, ok := heapBuilders[name]
	if !ok {
		return true, fmt.Errorf("bench: heap %q: no such heap", name)
	}
	return true, serveHeap(build, in, out)
}

func serveHeap(build func() any, in io.Reader, out io.Writer) error {
	defer collector(collectorOff)()
	heap := build()
	runtime.GC() // The first collection also pays for the building.
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		start := processCPU()
		runtime.GC()
		if _, err := fmt.Fprintln(out, int64(processCPU()-start)); err != nil {
			return err
		}
	}
	runtime.KeepAlive(heap)
	return lines.Err()
}

// heapProcess is a process that holds a heap.
type heapProcess struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

// startHeap starts this program anew as the holder of the named heap.
func startHeap(name string) (*heapProcess, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("bench: heap %s: %w", name, err)
	}
	command := exec.Command(program)
	command.Env = append(os.Environ(), heapVariable+"="+name)
	command.Stderr = os.Stderr
	in, inErr := command.StdinPipe()
	out, outErr := command.StdoutPipe()
	if err := errors.Join(inErr, outErr); err != nil {
		return nil, fmt.Errorf("bench: heap %s: %w", name, err)
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("bench: heap %s: %w", name, err)
	}
	return &heapProcess{command: command, in: in, out: bufio.NewReader(out)}, nil
}

// collect returns the CPU time of one full collection, in ns.
func (h *heapProcess) collect() (float64, error) {
	if _, err := io.WriteString(h.in, "collect\n"); err != nil {
		return 0, fmt.Errorf("bench: collect: %w", err)
	}
	line, err := h.out.ReadString('\n')
	if err != nil {
		return 0, fmt.Errorf("bench: collect: %w", err)
	}
	return strconv.ParseFloat(strings.TrimSpace(line), 64)
}

// stop ends the process.
func (h *heapProcess) stop() error {
	return errors.Join(h.in.Close(), h.command.Wait())
}
