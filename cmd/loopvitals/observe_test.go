package main

import (
	"bytes"
	"context"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/tiers/adapter/node"
	"github.com/loopvitals/loopvitals/tiers/adapter/observation"
)

const token = "correct-horse-battery-staple"

// aNode serves an observation, and returns its socket and token file.
func aNode(t *testing.T) (socket, tokenFile string) {
	t.Helper()
	dir := short(t)
	socket, tokenFile = filepath.Join(dir, "s"), filepath.Join(dir, "token")
	if err := os.WriteFile(tokenFile, []byte(token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := node.NewIngress(node.Limits{}, "public")
	if err != nil {
		t.Fatal(err)
	}
	yes := check.Func(func(context.Context) check.Result { return check.Result{Status: check.Healthy} })
	server, err := node.Listen(node.Config{Socket: socket, TokenFile: tokenFile, Source: node.Source{
		Node: "orders-1", Healthy: yes, Owner: yes, Ready: yes, Ingress: in,
	}})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { defer close(ended); _ = server.Serve(t.Context()) }()
	t.Cleanup(func() { server.Close(); <-ended })
	return socket, tokenFile
}

func TestObserve(t *testing.T) {
	socket, tokenFile := aNode(t)
	var stdout, stderr bytes.Buffer
	exit := run([]string{"observe", "--socket", socket, "--token-file", tokenFile, "--timeout", "1m"}, &stdout, &stderr)
	d, err := observation.Decode(stdout.Bytes())
	if exit != exitOK || err != nil || d.Identity.Node != "orders-1" || stderr.Len() > 0 || strings.Count(stdout.String(), "\n") != 1 {
		t.Errorf("exit %d, %v: %s%s", exit, err, stdout.Bytes(), stderr.Bytes())
	}
	if exit := run([]string{"observe", "--socket", socket, "--token-file", tokenFile, "--timeout", "1m"}, full{}, &stderr); exit != exitFailed {
		t.Errorf("exit %d with a full disk", exit)
	}
}

// TestObserveFailures: exit 1 and one line for a node that cannot be observed, 2 and
// one line for arguments that cannot be used; nothing on stdout, no token anywhere.
func TestObserveFailures(t *testing.T) {
	socket, tokenFile := aNode(t)
	dir := short(t)
	other := filepath.Join(dir, "other")
	if err := os.WriteFile(other, []byte("another-"+token), 0o600); err != nil {
		t.Fatal(err)
	}
	open := filepath.Join(dir, "open")
	if err := os.WriteFile(open, []byte(token), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o644); err != nil { //nolint:gosec // that is the point
		t.Fatal(err)
	}
	silent, err := net.Listen("unix", filepath.Join(dir, "silent"))
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	for _, tt := range []struct {
		args string
		exit int
		want string
	}{
		{"--socket SOCKET --token-file " + other, 1, `node: socket "SOCKET": refused: must have the node's token`},
		{"--socket " + dir + "/none --token-file TOKEN", 1, "no such file or directory"},
		{"--socket SOCKET --token-file " + dir + "/none", 1, "no such file or directory"},
		{"--socket SOCKET --token-file " + open, 1, "mode 0644: must give others nothing, such as 0600"},
		{"--socket TOKEN --token-file TOKEN", 1, "connection refused"},
		{"--socket " + dir + "/silent --token-file TOKEN --timeout 50ms", 1, "no answer in time"},
		{"", 2, "socket: must be given"},
		{"--socket SOCKET", 2, "token-file: must be given"},
		{"--token-file TOKEN", 2, "socket: must be given"},
		{"--socket s --token-file TOKEN", 2, `socket "s": must be an absolute path`},
		{"--socket SOCKET --token-file TOKEN more", 2, `argument "more": must be a flag`},
		{"--socket SOCKET --token-file TOKEN --timeout 999us", 2, "must be 1ms to 1m0s"},
		{"--socket SOCKET --token-file TOKEN --timeout 61s", 2, "must be 1ms to 1m0s"},
		{"--token " + token, 2, "flag provided but not defined: -token"},
	} {
		var stdout, stderr bytes.Buffer
		args := strings.NewReplacer("SOCKET", socket, "TOKEN", tokenFile).Replace(tt.args)
		exit := run(append([]string{"observe"}, strings.Fields(args)...), &stdout, &stderr)
		line := strings.ReplaceAll(stderr.String(), socket, "SOCKET")
		if exit != tt.exit || !strings.Contains(line, tt.want) || strings.Count(line, "\n") != 1 || stdout.Len() > 0 {
			t.Errorf("%s: exit %d: %s%s", tt.args, exit, stdout.Bytes(), line)
		}
		if strings.Contains(line, token) {
			t.Errorf("%s: the token: %s", tt.args, line)
		}
	}
}

// TestTheCommandAsAProcess: exit codes and output of real processes, one of them
// with a certificate that the system trusts.
func TestTheCommandAsAProcess(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	secured := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, healthy) }))
	defer secured.Close()
	roots := filepath.Join(t.TempDir(), "roots.pem")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secured.Certificate().Raw})
	if err := os.WriteFile(roots, certificate, 0o600); err != nil {
		t.Fatal(err)
	}
	socket, tokenFile := aNode(t)
	unhealthy := says(503, "")(t)
	for _, tt := range []struct {
		args           []string
		exit           int
		stdout, stderr string // parts
	}{
		{[]string{"probe", secured.URL, "--timeout", "1m"}, 0, "Healthy " + secured.URL, ""},
		{[]string{"probe", "http://" + unhealthy, "--timeout", "1m"}, 1, "Unhealthy http://" + unhealthy, ""},
		{[]string{"probe"}, 2, "", "loopvitals probe: 0 arguments"},
		{[]string{"observe", "--socket", socket, "--token-file", tokenFile, "--timeout", "1m"}, 0, `"node":"orders-1"`, ""},
		{[]string{"observe", "--socket", socket, "--token-file", roots, "--timeout", "1m"}, 1, "", "loopvitals observe: node: "},
		{[]string{"observe"}, 2, "", "loopvitals observe: socket: must be given"},
	} {
		var stdout, stderr bytes.Buffer
		command := exec.CommandContext(t.Context(), self, tt.args...)
		// As from scratch: no file of certificates but the one that is given.
		command.Env = []string{playVariable + "=loopvitals", "SSL_CERT_FILE=" + roots, "SSL_CERT_DIR=" + t.TempDir()}
		command.Stdout, command.Stderr = &stdout, &stderr
		err := command.Run()
		if exit := command.ProcessState.ExitCode(); exit != tt.exit {
			t.Errorf("%v: exit %d (%v): %s%s", tt.args, exit, err, stdout.Bytes(), stderr.Bytes())
		}
		if !strings.Contains(stdout.String(), tt.stdout) || (tt.stdout == "") != (stdout.Len() == 0) {
			t.Errorf("%v: want %q, got %q", tt.args, tt.stdout, stdout.String())
		}
		if !strings.HasPrefix(stderr.String(), tt.stderr) || (tt.stderr == "") != (stderr.Len() == 0) {
			t.Errorf("%v: want %q, got %q", tt.args, tt.stderr, stderr.String())
		}
	}
}
