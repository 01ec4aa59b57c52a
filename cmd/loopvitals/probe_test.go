package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/tiers"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const healthy = `{"status":"Healthy"}`

// probes are what the golden file lists. ADDR is the server's address. Those that do
// not say how long they wait do so for long.
var probes = []struct {
	about  string
	args   string
	server server
}{
	{"the tiers of an application", "http://ADDR", reports(check.Healthy)},
	{"Degraded takes nothing out", "http://ADDR", reports(check.Degraded)},
	{"Unhealthy", "http://ADDR", reports(check.Unhealthy)},
	{"a slash is no path", "http://ADDR/", reports(check.Healthy)},
	{"each tier", "http://ADDR --tier ready", reports(check.Healthy)},
	{"", "http://ADDR --tier active", reports(check.Healthy)},
	{"", "http://ADDR --tier startup", reports(check.Unhealthy)},
	{"", "http://ADDR --tier wedged", reports(check.Unhealthy)},
	{"live runs no check", "http://ADDR --tier live", reports(check.Unhealthy)},
	{"flags may come first, and with one dash", "-tier live http://ADDR", reports(check.Healthy)},
	{"a path of one's own", "http://ADDR/live", says(200, healthy)},
	{"JSON", "http://ADDR --json", reports(check.Healthy)},
	{"", "http://ADDR --json", says(503, "")},
	{"", "http://ADDR --json", says(404, "")},
	{"", "http://ADDR --json", nobody},

	{"503 is Unhealthy whoever says so", "http://ADDR", says(503, "<html>")},
	{"", "http://ADDR", says(503, healthy)},
	{"200 with a report that is not healthy", "http://ADDR", says(200, `{"status":"Unhealthy"}`)},
	{"200 with no report: HTML", "http://ADDR", says(200, "<html>Healthy</html>")},
	{"200 with no report: nothing", "http://ADDR", says(200, "")},
	{"200 with no report: a word", "http://ADDR", says(200, "Healthy")},
	{"200 with no report: a string", "http://ADDR", says(200, `"Healthy"`)},
	{"200 with no report: a list", "http://ADDR", says(200, `["Healthy"]`)},
	{"200 with no report: healthy", "http://ADDR", says(200, `{"status":"healthy"}`)},
	{"200 with no report: Status", "http://ADDR", says(200, `{"Status":"Healthy"}`)},
	{"200 with no report: null", "http://ADDR", says(200, `{"status":null}`)},
	{"200 with no report: two of them", "http://ADDR", says(200, `{"status":"Healthy"}{}`)},
	{"200 with no report: half of one", "http://ADDR", says(200, `{"status":"Healthy"`)},
	{"other statuses", "http://ADDR", says(204, "")},
	{"", "http://ADDR", says(400, healthy)},
	{"", "http://ADDR", says(401, healthy)},
	{"", "http://ADDR", says(404, healthy)},
	{"", "http://ADDR", says(421, healthy)},
	{"", "http://ADDR", says(500, healthy)},
	{"", "http://ADDR", serves(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/ok" {
			http.Redirect(w, r, "/ok", http.StatusFound)
			return
		}
		_, _ = io.WriteString(w, healthy)
	})},

	{"the longest report", "http://ADDR", says(200, padded(maxBody))},
	{"one byte more", "http://ADDR", says(200, padded(maxBody+1))},
	{"a body without end", "http://ADDR", sends("HTTP/1.1 200 OK\r\n\r\n"+`{"status":"Healthy","x":"`, "xxxxxxxxxxxxxxxx")},
	{"a head without end", "http://ADDR", sends("HTTP/1.1 200 OK\r\n", "X: xxxxxxxxxxxxxxxx\r\n")},
	{"announced for ever", "http://ADDR", sends("HTTP/1.1 103 Early Hints\r\n\r\n")},
	{"announced, and there", "http://ADDR", sends("HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n"+healthy, "")},
	{"two answers", "http://ADDR", sends("HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n"+healthy, hangUp)},
	{"a body that breaks off", "http://ADDR", sends("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"+healthy, hangUp)},
	{"no HTTP", "http://ADDR", sends("SSH-2.0-OpenSSH_9.9 \x1b[31m\r\n", hangUp)},
	{"no answer", "http://ADDR", sends(hangUp)},
	{"a server that hangs, at once", "http://ADDR --timeout 50ms", sends("")},
	{"in the head", "http://ADDR --timeout 50ms", sends("HTTP/1.1 200 OK\r\nX", "")},
	{"in the body", "http://ADDR --timeout 50ms", sends("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"+healthy, "")},
	{"in the body of a 503", "http://ADDR --timeout 50ms", sends("HTTP/1.1 503 No\r\nContent-Length: 100\r\n\r\n", "")},
	{"in TLS", "https://ADDR --timeout 50ms", sends("")},
	{"nobody", "http://ADDR", nobody},
	{"nobody, for a while", "http://ADDR --wait 300ms", nobody},
	{"Unhealthy, for a while", "http://ADDR --wait 300ms", says(503, "")},
	{"Healthy in the end", "http://ADDR --wait 1h", recovers(3)},
	{"TLS that nobody vouches for", "https://ADDR", servesTLS},
	{"no TLS", "https://ADDR", sends("HTTP/1.1 400 Bad Request\r\n\r\n", hangUp)},
	{"TLS, and none asked for", "http://ADDR", servesTLS},

	{"a unix socket", "unix:ADDR", onSocket(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == tiers.DefaultReadyPath {
			_, _ = io.WriteString(w, healthy)
		}
	})},
	{"", "unix:ADDR --tier live --json", onSocket(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })},
	{"a socket that is not there", "unix:ADDR", func(t *testing.T) string { return filepath.Join(short(t), "s") }},
	{"a socket that nobody listens on", "unix:ADDR", func(t *testing.T) string {
		path := filepath.Join(short(t), "s")
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
		if err != nil {
			t.Fatal(err)
		}
		l.SetUnlinkOnClose(false)
		_ = l.Close()
		return path
	}},

	{"arguments that cannot be used", "", nil},
	{"", "http://a http://b", nil},
	{"", "a:8080", nil},
	{"", "localhost", nil},
	{"", "ftp://a", nil},
	{"", "http://", nil},
	{"", "http://:8080", nil},
	{"", "http://a\x1b[31m/", nil},
	{"", "http://user:password@a", nil},
	{"", "http://a:port", nil},
	{"", "http://a/x?y", nil},
	{"", "http://a/?", nil},
	{"", "http://a/#y", nil},
	{"", "http://a/x --tier live", nil},
	{"", "http://a --tier LIVE", nil},
	{"", "http://a --tier=", nil},
	{"", "unix:", nil},
	{"", "http://a --timeout 0", nil},
	{"", "http://a --timeout 999us", nil},
	{"", "http://a --timeout 60001ms", nil},
	{"", "http://a --timeout -1s", nil},
	{"", "http://a --timeout soon", nil},
	{"", "http://a --wait -1s", nil},
	{"", "http://a --wait 3600001ms", nil},
	{"", "http://a --json=maybe", nil},
	{"", "http://a --nonsense", nil},
	{"", "http://a --tier", nil},
}

var took = regexp.MustCompile(`"durationMs":\d+`)

// TestProbe compares what the command prints and its exit code with the golden
// file: both are what scripts and orchestrators rely on.
func TestProbe(t *testing.T) {
	for _, proxy := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"} {
		t.Setenv(proxy, "http://"+nobody(t))
	}
	var text strings.Builder
	for i, p := range probes {
		t.Run(fmt.Sprint(i, p.about), func(t *testing.T) {
			address := "ADDR"
			if p.server != nil {
				address = p.server(t)
			}
			args := strings.Fields(strings.ReplaceAll(p.args, "ADDR", address))
			if p.server != nil && !strings.Contains(p.args, "--timeout") {
				args = append(args, "--timeout", "1m")
			}
			var stdout, stderr bytes.Buffer
			exit := run(append([]string{"probe"}, args...), &stdout, &stderr)
			if lines := strings.Count(stdout.String()+stderr.String(), "\n"); lines != 1 {
				t.Errorf("%d lines: %q, %q", lines, stdout.String(), stderr.String())
			}
			if (stderr.Len() > 0) != (exit == exitUsage && !strings.Contains(p.args, "--json")) && p.server != nil {
				t.Errorf("exit %d: %q, %q", exit, stdout.String(), stderr.String())
			}
			if p.about != "" {
				fmt.Fprintf(&text, "\n# %s\n", p.about)
			}
			fmt.Fprintf(&text, "$ loopvitals probe %s\n", strings.ReplaceAll(p.args, "\x1b", "^["))
			out := strings.ReplaceAll(stdout.String()+stderr.String(), address, "ADDR")
			text.WriteString(took.ReplaceAllString(out, `"durationMs":0`))
			fmt.Fprintf(&text, "exit %d\n", exit)
		})
	}
	const file = "testdata/probe.golden"
	if *update {
		if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), text.String()); diff != "" {
		t.Errorf("%s (-update rewrites it):\n%s", file, diff)
	}
}

// TestProbeFollowsNothing: where a redirect leads nobody is asked, and a proxy of
// the environment neither, for a host that is not this one.
func TestProbeFollowsNothing(t *testing.T) {
	var asked atomic.Int64
	elsewhere := serves(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		_, _ = io.WriteString(w, healthy)
	})(t)
	for _, proxy := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"} {
		t.Setenv(proxy, "http://"+elsewhere)
	}
	here := serves(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://"+elsewhere+"/health/ready", http.StatusMovedPermanently)
	})(t)
	for _, target := range []string{"http://" + here, "http://host.invalid", "https://host.invalid"} {
		if exit := run([]string{"probe", target, "--timeout", "2s"}, io.Discard, io.Discard); exit != exitUsage {
			t.Errorf("%s: exit %d", target, exit)
		}
	}
	if asked.Load() > 0 {
		t.Errorf("%d requests went elsewhere", asked.Load())
	}
}

// TestProbeAsksOnce: one request, one connection, no matter the answer.
func TestProbeAsksOnce(t *testing.T) {
	for _, code := range []int{200, 404, 503} {
		var asked atomic.Int64
		address := serves(func(w http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			if !r.Close || r.Method != http.MethodGet || r.ContentLength != 0 || r.Header.Get("Accept-Encoding") != "" {
				t.Errorf("%s %v", r.Method, r.Header)
			}
			w.WriteHeader(code)
		})(t)
		run([]string{"probe", "http://" + address, "--timeout", "1m"}, io.Discard, io.Discard)
		if asked.Load() != 1 {
			t.Errorf("%d requests", asked.Load())
		}
	}
}

// TestPoll tries the times of -wait: an attempt may begin at its end, and not after.
func TestPoll(t *testing.T) {
	no := answer{Exit: exitFailed}
	for name, tt := range map[string]struct {
		wait     time.Duration
		took     time.Duration // by an attempt
		yesAt    int           // which attempt succeeds, 0 is none
		attempts int
		after    time.Duration
	}{
		"no waiting":          {0, 0, 0, 1, 0},
		"yes at once":         {time.Minute, 0, 1, 1, 0},
		"less than a pause":   {250*time.Millisecond - 1, 0, 0, 1, 0},
		"a pause":             {250 * time.Millisecond, 0, 0, 2, 250 * time.Millisecond},
		"a second":            {time.Second, 0, 0, 5, time.Second},
		"slow attempts":       {time.Second, 400 * time.Millisecond, 0, 2, 1050 * time.Millisecond},
		"slower than it all":  {time.Second, time.Second, 0, 1, time.Second},
		"yes in the third":    {time.Hour, 100 * time.Millisecond, 3, 3, 800 * time.Millisecond},
		"yes at the last one": {time.Second, 0, 5, 5, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun, attempts := time.Now(), 0
				got := poll(func() answer {
					attempts++
					time.Sleep(tt.took)
					if attempts == tt.yesAt {
						return answer{}
					}
					return no
				}, tt.wait)
				if attempts != tt.attempts || time.Since(begun) != tt.after || (got.Exit == exitOK) != (tt.yesAt > 0) {
					t.Errorf("%d attempts in %v: exit %d", attempts, time.Since(begun), got.Exit)
				}
			})
		})
	}
}

// TestTargets tries how a target is read.
func TestTargets(t *testing.T) {
	for text, want := range map[string]target{
		"http://a":             {name: "http://a/health/ready", url: "http://a/health/ready"},
		"HTTP://a:81/":         {name: "http://a:81/health/ready", url: "http://a:81/health/ready"},
		"https://a/x%2fy":      {name: "https://a/x%2fy", url: "https://a/x%2fy"},
		"http://[::1]:80":      {name: "http://[::1]:80/health/ready", url: "http://[::1]:80/health/ready"},
		"unix:/run/a.sock":     {name: "unix:/run/a.sock:/health/ready", url: "http://localhost/health/ready", socket: "/run/a.sock"},
		"unix:///run/a.sock":   {name: "unix:///run/a.sock:/health/ready", url: "http://localhost/health/ready", socket: "///run/a.sock"},
		"unix:relative?a#b:80": {name: "unix:relative?a#b:80:/health/ready", url: "http://localhost/health/ready", socket: "relative?a#b:80"},
	} {
		got, err := parseTarget(text, defaultTier, false)
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for tier, path := range tierPaths {
		if got, err := parseTarget("http://a", tier, true); err != nil || got.url != "http://a"+path {
			t.Errorf("%s: %+v, %v", tier, got, err)
		}
	}
}

// TestProbeOutputThatCannotBeWritten is no yes.
func TestProbeOutputThatCannotBeWritten(t *testing.T) {
	address := says(200, healthy)(t)
	for _, flags := range [][]string{{}, {"--json"}} {
		var stderr bytes.Buffer
		args := append([]string{"probe", "http://" + address, "--timeout", "1m"}, flags...)
		if exit := run(args, full{}, &stderr); exit != exitUsage || !strings.Contains(stderr.String(), "disk full") {
			t.Errorf("exit %d: %s", exit, stderr.Bytes())
		}
	}
}

func TestProbeHelp(t *testing.T) {
	for _, verb := range []string{"probe", "observe"} {
		var stdout, stderr bytes.Buffer
		if exit := run([]string{verb, "-h"}, &stdout, &stderr); exit != exitOK || stderr.Len() > 0 || !strings.Contains(stdout.String(), "usage: loopvitals "+verb) {
			t.Errorf("exit %d: %s", exit, stderr.Bytes())
		}
	}
}
