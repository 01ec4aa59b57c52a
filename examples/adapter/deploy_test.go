package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/tiers/adapter"
	"go.uber.org/goleak"
)

// Where everything is, in the image and on a host alike.
const (
	commandPath  = "/usr/local/bin/loopvitals"
	consumerPath = "/usr/local/bin/consumer"
	configPath   = "/etc/consumer/adapter.json"
	tokenPath    = "/etc/consumer/token"
	socketPath   = "/run/consumer/observe.sock"
	statePath    = "/var/lib/consumer/clock"
)

// tempFolder is where the consumer has its stream and its database.
var tempFolder = path.Join("/", "tmp")

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// readAdapter has the adapter itself read adapter.json, with a command and a token
// that are there put into the place of those that are not.
func readAdapter(t *testing.T) adapter.Config {
	t.Helper()
	text, err := os.ReadFile("adapter.json")
	must(t, err)
	program, err := os.Executable()
	must(t, err)
	folder := t.TempDir()
	token := filepath.Join(folder, "token")
	must(t, os.WriteFile(token, []byte("0123456789abcdef\n"), 0o600))
	file := filepath.Join(folder, "adapter.json")
	there := strings.NewReplacer(`"`+commandPath+`"`, `"`+program+`"`, `"tokenFile": "`+tokenPath+`"`, `"tokenFile": "`+token+`"`)
	must(t, os.WriteFile(file, []byte(there.Replace(string(text))), 0o600))
	c, err := adapter.ReadConfig(file)
	if err != nil {
		t.Fatalf("adapter.json: %v", err)
	}
	if c.Command[0] != program || c.TokenFile != token {
		t.Fatalf("adapter.json: command %q, token file %q", c.Command, c.TokenFile)
	}
	c.Command[0], c.TokenFile = commandPath, tokenPath
	return c
}

// TestConfigurationAsksTheConsumer has the command of adapter.json say what it
// lacks: the socket, and so no flag and no file of its own line.
func TestConfigurationAsksTheConsumer(t *testing.T) {
	c := readAdapter(t)
	if c.Node == "" || c.Listen.Port() == 0 {
		t.Errorf("%+v", c)
	}
	folder := t.TempDir()
	token := filepath.Join(folder, "token")
	must(t, os.WriteFile(token, []byte("0123456789abcdef\n"), 0o600))
	line := strings.Join(c.Command, " ")
	for _, path := range []string{socketPath, tokenPath} {
		if strings.Count(line, path) != 1 {
			t.Errorf("%q does not name %s", line, path)
		}
	}
	line = strings.NewReplacer(socketPath, filepath.Join(folder, "nobody.sock"), tokenPath, token).Replace(line)
	exit, said := runs(t, strings.Fields(line))
	if exit != 1 || !strings.Contains(said, "nobody.sock") || strings.Count(said, "\n") != 1 {
		t.Errorf("exit %d: %s", exit, said)
	}
}

// flagsOf takes -name=value apart.
func flagsOf(t *testing.T, args []string) map[string]string {
	t.Helper()
	flags := map[string]string{}
	for _, arg := range args {
		name, value, found := strings.Cut(arg, "=")
		if !found || !strings.HasPrefix(name, "-") {
			t.Errorf("%q: must be -flag=value", arg)
		}
		flags[strings.TrimLeft(name, "-")] = value
	}
	return flags
}

// compareFlags requires that the consumer is the node which the adapter asks.
// That these are flags of the consumer is for the consumer's own tests to see.
func compareFlags(t *testing.T, c adapter.Config, args []string) {
	t.Helper()
	flags := flagsOf(t, args)
	for name, want := range map[string]string{"node": c.Node, "observe": socketPath, "token-file": c.TokenFile, "state": statePath} {
		if flags[name] != want {
			t.Errorf("-%s=%s: must be %s", name, flags[name], want)
		}
	}
	host, port, err := net.SplitHostPort(flags["serve"])
	if ip := net.ParseIP(host); err != nil || !ip.IsLoopback() || flags["serve"] == c.Listen.String() || port == "0" {
		t.Errorf("-serve=%s: must be a loopback address of its own", flags["serve"])
	}
	if _, port, err := net.SplitHostPort(flags["ingress"]); err != nil || port != "8080" {
		t.Errorf("-ingress=%s: must be port 8080", flags["ingress"])
	}
}

// built builds the command once, into a folder that TestMain removes.
var built = sync.OnceValues(func() (string, error) {
	return build(context.Background(), testFolder, commandPackage)
})

// testFolder is for what the tests build.
var testFolder string

// asHung makes the test binary a process that does nothing.
const asHung = "ADAPTER_TEST_AS_HUNG"

func TestMain(m *testing.M) {
	if os.Getenv(asHung) != "" {
		time.Sleep(time.Minute)
		return
	}
	folder, err := os.MkdirTemp("", "loopvitals-adapter-test-")
	if err != nil {
		panic(err)
	}
	testFolder = folder
	failed := m.Run()
	if err := errors.Join(os.RemoveAll(folder), goleak.Find()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		failed = max(failed, 1)
	}
	os.Exit(failed)
}

// runs runs a command line of the manifests with the command that was built.
func runs(t *testing.T, line []string) (exit int, said string) {
	t.Helper()
	if line[0] != commandPath {
		t.Fatalf("%q: must run %s", line, commandPath)
	}
	path, err := built()
	must(t, err)
	c := exec.CommandContext(t.Context(), path, line[1:]...)
	c.Env = []string{} // as in an image with nothing in it
	output, err := c.CombinedOutput()
	if c.ProcessState == nil {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), string(output)
}

// askedBy runs a probe's command line against a server of the test in place of the
// address, and requires that it asks for the path, and believes the answer.
func askedBy(t *testing.T, line []string, address, path string) {
	t.Helper()
	for code, want := range map[int]int{http.StatusOK: 0, http.StatusServiceUnavailable: 1} {
		var asked []string
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked = append(asked, r.Method+" "+r.URL.RequestURI())
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(code)
			status := "Healthy"
			if want != 0 {
				status = "Unhealthy"
			}
			_, _ = w.Write([]byte(`{"status":"` + status + `"}`))
		}))
		there := make([]string, len(line))
		replaced := 0
		for i, word := range line {
			there[i] = strings.Replace(word, "http://"+address, server.URL, 1)
			if there[i] != word {
				replaced++
			}
		}
		exit, said := runs(t, there)
		server.Close()
		if exit != want || replaced != 1 || len(asked) != 1 || asked[0] != http.MethodGet+" "+path {
			t.Errorf("%q: exit %d for %d, asked for %q on %d addresses: must be GET %s on %s\n%s", line, exit, code, asked, replaced, path, address, said)
		}
	}
}
