package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"time"
)

const (
	// probeTimeout is what a kubelet waits by default.
	probeTimeout = time.Second
	// probeEvery is how long -wait waits between two attempts.
	probeEvery = 250 * time.Millisecond
	maxWait    = time.Hour
)

const probeAbout = `usage: loopvitals probe URL|unix:PATH [--tier ready] [--timeout 1s] [--wait 0s] [--json]

Asks a health endpoint once and exits

  0  Healthy or Degraded
  1  Unhealthy, or status 503
  2  anything else: no answer, an answer that is no health report, wrong arguments

It prints the status and the target, or one line on stderr that says what is wrong.
A URL without a path is asked at the default path of the tier:

  ready  /health/ready     live     /healthz           wedged  /health/wedged
  active /health/active    startup  /health/startup

Redirects and proxies are not followed.

`

// probeFlags are the flags of the verb probe.
type probeFlags struct {
	tier          string
	timeout, wait time.Duration
	json          bool
}

func (f *probeFlags) flagSet() *flag.FlagSet {
	set := flag.NewFlagSet("loopvitals probe", flag.ContinueOnError)
	set.StringVar(&f.tier, "tier", defaultTier, "ask the default path of `ready`, active, live, startup or wedged")
	set.DurationVar(&f.timeout, "timeout", probeTimeout, "how long one attempt may take, to the last byte")
	set.DurationVar(&f.wait, "wait", 0, "try again every 250ms until exit 0, and begin no attempt after this time")
	set.BoolVar(&f.json, "json", false, "print one line of JSON, whatever the outcome")
	return set
}

// runProbe asks once, or with -wait until the answer is yes.
func runProbe(args []string, stdout, stderr io.Writer) (exit int) {
	var f probeFlags
	set := f.flagSet()
	rest, done, exit := parse(set, probeAbout, args, stdout, stderr)
	if done {
		return exit
	}
	target, err := f.target(rest, isSet(set, "tier"))
	if err != nil {
		return fail(stderr, "probe", err, exitUsage)
	}
	answer := poll(func() answer { return f.ask(target) }, f.wait)
	if err := answer.print(stdout, stderr, f.json); err != nil {
		return fail(stderr, "probe", err, exitUsage)
	}
	return answer.Exit
}

// target validates the arguments.
func (f *probeFlags) target(rest []string, tierGiven bool) (target, error) {
	if err := within("timeout", f.timeout, time.Millisecond, maxTimeout); err != nil {
		return target{}, err
	}
	if err := within("wait", f.wait, 0, maxWait); err != nil {
		return target{}, err
	}
	if len(rest) != 1 {
		return target{}, fmt.Errorf("%d arguments: must be one URL or unix:PATH (-h tells more)", len(rest))
	}
	return parseTarget(rest[0], f.tier, tierGiven)
}

// poll asks until the answer is yes, or no further attempt could begin in time.
func poll(ask func() answer, wait time.Duration) answer {
	begun := time.Now()
	for {
		a := ask()
		if a.Exit == exitOK || wait-time.Since(begun) < probeEvery {
			return a
		}
		time.Sleep(probeEvery)
	}
}

// ask makes one attempt.
func (f *probeFlags) ask(t target) answer {
	begun := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), f.timeout)
	defer cancel()
	code, body, err := t.get(ctx)
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("no answer within %v", f.timeout)
	}
	a := judge(code, body, err)
	a.Target = t.name
	a.DurationMs = time.Since(begun).Milliseconds()
	return a
}

// answer is what came of one attempt. Its JSON is the output of -json.
type answer struct {
	Target     string `json:"target"`
	Status     string `json:"status"` // Healthy, Degraded, Unhealthy, or empty: not told
	Code       int    `json:"code"`   // of the HTTP response, 0 for none
	Exit       int    `json:"exit"`
	DurationMs int64  `json:"durationMs"` // of the last attempt
	Error      string `json:"error"`      // empty for exit 0 and 1
}

func (a answer) print(stdout, stderr io.Writer, asJSON bool) (err error) {
	switch {
	case asJSON:
		encoder := json.NewEncoder(stdout)
		encoder.SetEscapeHTML(false)
		err = encoder.Encode(a)
	case a.Error != "":
		fmt.Fprintf(stderr, "loopvitals probe: %s: %s\n", a.Target, a.Error)
	default:
		_, err = fmt.Fprintf(stdout, "%s %s\n", a.Status, a.Target)
	}
	return err
}
