package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/tiers/adapter"
)

// TestReportEachMinute has as many lines about resources as there are minutes, beside
// the first and the last one.
func TestReportEachMinute(t *testing.T) {
	config, err := adapter.ReadConfig(writeConfig(t, "127.0.0.1:0", "healthy", ""))
	if err != nil {
		t.Fatal(err)
	}
	a, err := adapter.New(config)
	if err != nil {
		t.Fatal(err)
	}
	var (
		log     bytes.Buffer
		signals = make(chan os.Signal, 2)
		minute  = make(chan time.Time) // none is lost
		done    = make(chan struct{})
	)
	go func() {
		defer close(done)
		serve(a, signals, minute, report{slog.New(slog.NewJSONHandler(&log, nil)), &queue{}, time.Now()})
	}()
	const minutes = 5
	for range minutes {
		select {
		case minute <- time.Now():
		case <-done:
			t.Fatalf("it has ended:\n%s", &log)
		}
	}
	signals <- os.Interrupt
	<-done
	resources := 0
	for line := range bytes.Lines(log.Bytes()) {
		var fields struct{ Msg string }
		if err := json.Unmarshal(line, &fields); err != nil {
			t.Errorf("%v: %s", err, line)
		}
		if fields.Msg == "resources" {
			resources++
		}
	}
	// A machine that is busy ends without the last one.
	if resources != 1+minutes+1 && resources != 1+minutes {
		t.Errorf("%d reports of resources in %d minutes:\n%s", resources, minutes, &log)
	}
}

// TestLimitMemory keeps the heap below what the process may have, unless the
// environment has a limit of its own.
func TestLimitMemory(t *testing.T) {
	const own = 1 << 30
	before := debug.SetMemoryLimit(own)
	defer debug.SetMemoryLimit(before)
	t.Setenv("GOMEMLIMIT", "1GiB")
	limitMemory()
	if got := debug.SetMemoryLimit(-1); got != own {
		t.Errorf("a limit of %d bytes has become %d", own, got)
	}
	t.Setenv("GOMEMLIMIT", "")
	limitMemory()
	if got := debug.SetMemoryLimit(-1); got != heapLimit {
		t.Errorf("the limit is %d bytes", got)
	}
}

func init() {
	plays["limited"] = func() {
		exit := run(os.Args[1:], os.Stdout, os.Stderr)
		fmt.Println(debug.SetMemoryLimit(-1))
		os.Exit(exit)
	}
}

// TestAdapterLimitsMemory asks a process that has been an adapter.
func TestAdapterLimitsMemory(t *testing.T) {
	address := freeAddress(t)
	command := exec.Command(os.Args[0], "adapter", "--config", writeConfig(t, address, "healthy", ""))
	command.Env = append(os.Environ(), playVariable+"=limited", "GOMEMLIMIT=", raceOptions)
	var stdout bytes.Buffer
	command.Stdout = &stdout
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = command.Process.Kill() }()
	eventually(t, "the adapter listens", func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	if err := command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = command.Wait() // a machine that is busy exits with 1
	if got, want := strings.TrimSpace(stdout.String()), strconv.Itoa(heapLimit); got != want {
		t.Errorf("its limit was %q bytes, want %s", got, want)
	}
}
