//go:build linux

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// The states of a process that are told apart here.
const (
	gone    = 0   // or dead, and not yet waited for
	stopped = 'T' // by SIGSTOP
)

// stateOf is the letter of /proc/PID/stat.
func stateOf(pid int) byte {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return gone
	}
	// The name, in brackets before the state, may hold anything.
	_, rest, found := strings.Cut(string(text[bytes.LastIndexByte(text, ')')+1:]), " ")
	if !found || rest == "" || rest[0] == 'Z' || rest[0] == 'X' {
		return gone
	}
	return rest[0]
}

// mentioning lists the processes, other than this one, that were given the text.
func mentioning(text string) (pids []int) {
	entries, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, entry := range entries {
		line, _ := os.ReadFile(entry)
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(entry)))
		if err == nil && pid != os.Getpid() && bytes.Contains(line, []byte(text)) && stateOf(pid) != gone {
			pids = append(pids, pid)
		}
	}
	return pids
}

// megabytes is a figure of /proc/PID/status, such as VmHWM, and 0 for none.
func megabytes(pid int, name string) float64 {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), "\n"+name+":")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kilobytes, _ := strconv.ParseFloat(fields[0], 64)
	return kilobytes / 1024
}
