package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

const inherited = "inherited-by-the-adapter"

func init() { plays["strict"] = playStrict }

// playStrict prints what a healthy node does, unless it has the file that its parent
// was started with.
func playStrict() {
	open, err := filepath.Glob("/proc/self/fd/*")
	if err != nil || len(open) == 0 {
		return
	}
	for _, descriptor := range open {
		if file, err := os.Readlink(descriptor); err == nil && filepath.Base(file) == inherited {
			return
		}
	}
	fmt.Println(healthyDocument)
}

// TestCommandInheritsNothing starts an adapter with a file open, which is then not
// open in its commands (A7).
func TestCommandInheritsNothing(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), inherited))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	p := &process{address: freeAddress(t)}
	p.Cmd = exec.Command(os.Args[0], "adapter", "--config", writeConfig(t, p.address, "strict", ""))
	p.Env = append(os.Environ(), playVariable+"=loopvitals", raceOptions)
	p.ExtraFiles = []*os.File{file}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = p.Process.Signal(syscall.SIGTERM)
		_ = p.Wait()
	}()
	untilReady(t, p)
}
