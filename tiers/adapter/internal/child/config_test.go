package child

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// somewhere is an absolute path on this system.
var somewhere, _ = filepath.Abs("command")

// TestConfig tries each field at its bounds and one step past.
func TestConfig(t *testing.T) {
	argv := []string{somewhere}
	for name, c := range map[string]struct {
		config Config
		refuse string
	}{
		"defaults":         {Config{Argv: argv}, ""},
		"no command":       {Config{}, "Argv []: must be"},
		"relative":         {Config{Argv: []string{"command"}}, `Argv[0] "command": must be`},
		"empty command":    {Config{Argv: []string{""}}, `Argv[0] "": must be`},
		"NUL":              {Config{Argv: []string{somewhere, "a\x00b"}}, `Argv[1] "a\x00b": must be`},
		"environment":      {Config{Argv: argv, Env: []string{"A=", "B=b=c"}}, ""},
		"no equals sign":   {Config{Argv: argv, Env: []string{"A=a", "SECRET"}}, `Env[1] "SECRET": must be`},
		"no name":          {Config{Argv: argv, Env: []string{"=secret"}}, `Env[0] "": must be`},
		"NUL in a value":   {Config{Argv: argv, Env: []string{"A=secret\x00"}}, `Env[0] "A": must be`},
		"least timeout":    {Config{Argv: argv, Timeout: 1}, ""},
		"most timeout":     {Config{Argv: argv, Timeout: MaxTimeout}, ""},
		"too long":         {Config{Argv: argv, Timeout: MaxTimeout + 1}, "Timeout 1.500000001s: must be"},
		"negative timeout": {Config{Argv: argv, Timeout: -1}, "Timeout -1ns: must be"},
		"least output":     {Config{Argv: argv, MaxOutput: 1}, ""},
		"most output":      {Config{Argv: argv, MaxOutput: MaxOutput}, ""},
		"too large":        {Config{Argv: argv, MaxOutput: MaxOutput + 1}, "MaxOutput 262145: must be"},
		"negative output":  {Config{Argv: argv, MaxOutput: -1}, "MaxOutput -1: must be"},
	} {
		r, err := New(c.config)
		switch {
		case c.refuse == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.refuse != "" && (err == nil || r != nil || !strings.HasPrefix(err.Error(), "child: "+c.refuse)):
			t.Errorf("%s: got %v, want it to begin with %q", name, err, c.refuse)
		case err != nil && strings.Contains(err.Error(), "secret"):
			t.Errorf("%s: a value of the environment is in %q", name, err)
		}
		r.Stop()
	}
}

// TestDefaults pins the limits of S2.14.
func TestDefaults(t *testing.T) {
	c, err := Config{Argv: []string{somewhere}}.validate()
	if err != nil || c.Timeout != 1500*time.Millisecond || c.MaxOutput != 262144 {
		t.Errorf("got %v and %d, %v", c.Timeout, c.MaxOutput, err)
	}
}

// TestConfigIsCopied sees that the command is fixed once (S2.2).
func TestConfigIsCopied(t *testing.T) {
	given := Config{Argv: []string{somewhere, "a"}, Env: []string{"K=V"}}
	c, err := given.validate()
	given.Argv[1], given.Env[0] = "b", "K=W"
	if err != nil || c.Argv[1] != "a" || c.Env[0] != "K=V" {
		t.Errorf("got %v, %v", c, err)
	}
}

// TestNotMade uses what New did not make.
func TestNotMade(t *testing.T) {
	for name, r := range map[string]*Runner{"nil": nil, "zero": {}} {
		r.Stop()
		if output, _, err := r.Run(); kindOf(err) != NotStarted || output != nil {
			t.Errorf("%s: got %q, %v", name, output, err)
		}
	}
}

// TestSubreaperElsewhere sees it refused where there is none.
func TestSubreaperElsewhere(t *testing.T) {
	if _, err := newPortable(Config{Subreaper: true}); err == nil || !strings.Contains(err.Error(), "Subreaper true: must be") {
		t.Errorf("got %v on %s", err, runtime.GOOS)
	}
}

// TestErrorText pins the words.
func TestErrorText(t *testing.T) {
	for want, err := range map[string]*Error{
		"child: timeout: still running after 1.5s":                     timeoutError(MaxTimeout),
		"child: too large: more than 262144 bytes of output":           tooLargeError(MaxOutput),
		"child: stopped: the runner was stopped":                       stoppedError(),
		"child: not started: a run is in progress":                     notStartedError(errBusy),
		"child: exit: status 1":                                        {Kind: Exit, Reason: "status 1"},
		"child: Kind(9): odd; 2 left that could not be killed in time": {Kind: 9, Reason: "odd", Left: 2},
		"child: leftover: x; 1 left that could not be killed in time":  {Kind: Leftover, Reason: "x", Left: 1},
	} {
		if got := err.Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
