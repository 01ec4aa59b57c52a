package adapter

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// configText is a whole configuration file with the changes made to it; a change to
// nil leaves a key out.
func configText(t *testing.T, changes map[string]any) string {
	t.Helper()
	keys := map[string]any{
		"node":    "orders-1",
		"listen":  "127.0.0.1:8081",
		"command": []string{fileOfMode(t, "observe", 0o755), "--all"},
	}
	for key, value := range changes {
		keys[key] = value
		if value == nil {
			delete(keys, key)
		}
	}
	text, err := json.MarshalIndent(keys, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func writeConfig(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "adapter.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestReadConfig(t *testing.T) {
	command, token := fileOfMode(t, "observe", 0o755), fileOfMode(t, "token", 0o640)
	got, err := ReadConfig(writeConfig(t, configText(t, map[string]any{
		"listen": "[::1]:8081", "peer": "::1",
		"command": []string{command, "-x", ""}, "environment": []string{"A=1"}, "tokenFile": token,
		"startupPath": "/s", "readyPath": "/r", "livePath": "/l",
		"timeout": "0.5s", "pause": "250ms", "maximumAge": "2s",
	})))
	if err != nil {
		t.Fatal(err)
	}
	want := Config{
		Node: "orders-1", Listen: netip.MustParseAddrPort("[::1]:8081"), Peer: netip.MustParseAddr("::1"),
		Command: []string{command, "-x", ""}, Environment: []string{"A=1"}, TokenFile: token,
		StartupPath: "/s", ReadyPath: "/r", LivePath: "/l",
		Timeout: 500 * time.Millisecond, Pause: 250 * time.Millisecond, MaximumAge: 2 * time.Second,
	}
	if diff := cmp.Diff(want, got, compareConfigs); diff != "" {
		t.Error(diff)
	}
}

func TestReadConfigFillsIn(t *testing.T) {
	got, err := ReadConfig(writeConfig(t, configText(t, nil)))
	if err != nil {
		t.Fatal(err)
	}
	want, err := Config{Node: "orders-1", Listen: netip.MustParseAddrPort("127.0.0.1:8081"), Command: got.Command}.validate()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, compareConfigs); diff != "" {
		t.Error(diff)
	}
}

// TestReadConfigRefuses wants one line that names the key, the value and the bound.
func TestReadConfigRefuses(t *testing.T) {
	for _, test := range []struct {
		name  string
		key   string
		value any
		want  string // after "adapter: "
	}{
		{"no node", "node", nil, "node: must be present"},
		{"no listen", "listen", nil, "listen: must be present"},
		{"no command", "command", nil, "command: must be present"},
		{"unknown key", "nodes", "a", `field "nodes": must be a known one`},
		{"key of another case", "TokenFile", "a", `field "TokenFile": must be a known one`},
		{"a key of Config alone", "subreaper", true, `field "subreaper": must be a known one`},

		{"node: empty", "node", "", `node "": must be 1 to 200 bytes of valid UTF-8 without control and format characters`},
		{"node: null", "node", json.RawMessage("null"), "node null: must be text"},
		{"listen: empty", "listen", "", `listen "": must be a loopback address and a port, as 127.0.0.1:8099`},
		{"listen: a number", "listen", 8081, "listen 8081: must be text"},
		{"listen: no port", "listen", "127.0.0.1", `listen "127.0.0.1": must be a loopback address and a port, as 127.0.0.1:8099`},
		{"listen: no address", "listen", ":8081", `listen ":8081": must be a loopback address and a port, as 127.0.0.1:8099`},
		{"listen: a name", "listen", "localhost:8081", `listen "localhost:8081": must be a loopback address and a port, as 127.0.0.1:8099`},
		{"listen: a port too high", "listen", "127.0.0.1:65536", `listen "127.0.0.1:65536": must be a loopback address and a port, as 127.0.0.1:8099`},
		{"listen: every address", "listen", "0.0.0.0:8081", "listen 0.0.0.0:8081: must be a loopback address without a zone, and a port"},
		{"listen: mapped", "listen", "[::ffff:192.0.2.1]:8081", "listen [::ffff:192.0.2.1]:8081: must be a loopback address without a zone, and a port"},
		{"peer: empty", "peer", "", `peer "": must be a loopback address, as 127.0.0.1`},
		{"peer: a network", "peer", "127.0.0.0/8", `peer "127.0.0.0/8": must be a loopback address, as 127.0.0.1`},
		{"peer: not loopback", "peer", "192.0.2.1", "peer 192.0.2.1: must be a loopback address of the family of listen"},
		{"command: a line", "command", "/bin/observe --all", `command "/bin/observe --all": must be a list`},
		{"command: no words", "command", []string{}, "command []: must be an absolute path and its arguments"},
		{"command: relative", "command", []string{"observe"}, `command[0] "observe": must be an absolute path`},
		{"command: missing", "command", []string{"/gone"}, `command[0] "/gone": must be a file that is there: no such file or directory`},
		{"command: a folder", "command", []string{"/"}, `command[0] "/": must be a regular file`},
		{"environment: an object", "environment", map[string]string{"A": "1"}, `environment "{": must be a list`},
		{"environment: no =", "environment", []string{"A"}, `environment[0]: must be NAME=value`},
		{"tokenFile: empty", "tokenFile", "", `tokenFile "": must say something where it is there`},
		{"tokenFile: missing", "tokenFile", "/gone", `tokenFile "/gone": must be a file that is there: no such file or directory`},
		{"startupPath: empty", "startupPath", "", `startupPath "": must say something where it is there`},
		{"readyPath: not exact", "readyPath", "/a/../b", `readyPath "/a/../b": must be without // and ..`},
		{"livePath: another's", "livePath", "/ready", `livePath "/ready": must differ from readyPath`},
		{"timeout: zero", "timeout", "0s", `timeout "0s": must be above 0 and at most 1.5s`},
		{"timeout: empty", "timeout", "", `timeout "": must be above 0 and at most 1.5s`},
		{"timeout: no unit", "timeout", "1", `timeout "1": must be above 0 and at most 1.5s`},
		{"timeout: a number", "timeout", 1.5, "timeout 1.5: must be text"},
		{"timeout: negative", "timeout", "-1s", `timeout "-1s": must be above 0 and at most 1.5s`},
		{"timeout: longer", "timeout", "1501ms", `timeout "1.501s": must be above 0 and at most 1.5s`},
		{"timeout: longer than any", "timeout", "999999999h", `timeout "999999999h": must be above 0 and at most 1.5s`},
		{"pause: zero", "pause", "0", `pause "0": must be 100ms to 1s`},
		{"pause: shorter", "pause", "99ms", `pause "99ms": must be 100ms to 1s`},
		{"pause: longer", "pause", "1001ms", `pause "1.001s": must be 100ms to 1s`},
		{"maximumAge: zero", "maximumAge", "0s", `maximumAge "0s": must be above 0 and at most 3s`},
		{"maximumAge: longer", "maximumAge", "3.1s", `maximumAge "3.1s": must be above 0 and at most 3s`},
		{"maximumAge: below the pause", "maximumAge", "900ms", `maximumAge "900ms": must be more than the pause of 1s`},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := writeConfig(t, configText(t, map[string]any{test.key: test.value}))
			wantConfigError(t, path, "adapter: "+test.want)
		})
	}
	token := fileOfMode(t, "token", 0o644)
	wantConfigError(t, writeConfig(t, configText(t, map[string]any{"tokenFile": token})),
		invalid("tokenFile", token, "must be closed to others, its mode is 0644").Error())
	plain := fileOfMode(t, "plain", 0o644)
	wantConfigError(t, writeConfig(t, configText(t, map[string]any{"command": []string{plain}})),
		invalid("command[0]", plain, "must be executable, its mode is 0644").Error())
}

func wantConfigError(t *testing.T, path, want string) {
	t.Helper()
	got, err := ReadConfig(path)
	if err == nil || err.Error() != want {
		t.Errorf("\n got %v\nwant %s", err, want)
	}
	if diff := cmp.Diff(Config{}, got, compareConfigs); diff != "" {
		t.Errorf("something beside an error: %s", diff)
	}
	if err != nil && strings.ContainsAny(err.Error(), "\n\r\x1b") {
		t.Errorf("more than a line: %q", err)
	}
}

// TestReadConfigText reads what is no such object at all.
func TestReadConfigText(t *testing.T) {
	good := configText(t, nil)
	for name, test := range map[string]struct{ text, want string }{
		"nothing":          {"", "end of text: must be an object"},
		"no JSON":          {"node: a", "node: must be an object"},
		"key twice":        {`{"node":"a","node":"a"}`, "node: must be there once only"},
		"trailing":         {good + "{}", `"{" after the end: must be white space only`},
		"a comma too many": {`{"node":"a",}`, `"}": must be the name of a field`},
		"a comment":        {"// x\n" + good, `"/": must be an object`},
		"nested":           {`{"environment":[["a"]]}`, `environment[0] "[": must be text`},
		"bad UTF-8":        {`{"node":"` + "\xff", "byte 9: must be valid UTF-8"},
		"many lines":       {"{\"node\":\"a\nb\"}", `node "a\nb": must have its control characters escaped`},
		"too large":        {good + strings.Repeat(" ", 64<<10+1-len(good)), "text of 65537 bytes: must be at most 65536"},
		"much too large":   {strings.Repeat("[", 1<<20), "text of 65537 bytes: must be at most 65536"},
	} {
		t.Run(name, func(t *testing.T) {
			wantConfigError(t, writeConfig(t, test.text), "adapter: "+test.want)
		})
	}
	if _, err := ReadConfig(writeConfig(t, good+strings.Repeat(" ", 64<<10-len(good)))); err != nil {
		t.Errorf("as large as it may be: %v", err)
	}
}

// TestReadConfigFile looks at the file itself.
func TestReadConfigFile(t *testing.T) {
	good := configText(t, nil)
	for mode, bad := range map[os.FileMode]bool{0o600: false, 0o644: false, 0o664: false, 0o602: true, 0o646: true, 0o777: true} {
		path := writeConfig(t, good)
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if bad {
			wantConfigError(t, path, invalid("config", path, "must not be writable by others, its mode is %04o", mode).Error())
		} else if _, err := ReadConfig(path); err != nil {
			t.Errorf("mode %04o: %v", mode, err)
		}
	}
	gone := filepath.Join(t.TempDir(), "gone\n")
	wantConfigError(t, gone, fmt.Sprintf("adapter: config %+.80q: must be a file that is there: no such file or directory", gone))
	folder := t.TempDir()
	wantConfigError(t, folder, fmt.Sprintf("adapter: config %+.80q: must be a regular file", folder))
	wantConfigError(t, "", `adapter: config "": must be a file that is there: no such file or directory`)
}

// FuzzReadConfig wants one short line for whatever is in the file, and nothing that
// passes but what New takes, too.
func FuzzReadConfig(f *testing.F) {
	path := filepath.Join(f.TempDir(), "adapter.json")
	command, err := os.Executable()
	if err != nil {
		f.Fatal(err)
	}
	good := fmt.Sprintf(`{"node":"a","listen":"127.0.0.1:1","peer":"127.0.0.1","command":[%q],"environment":["A=1"],"readyPath":"/r","timeout":"1s"}`, command)
	f.Add(good)
	f.Add(strings.Replace(good, "127.0.0.1:1", "[::ffff:127.0.0.1]:1", 1))
	f.Add(strings.Replace(good, "127.0.0.1:1", "[::1%\\n]:1", 1))
	f.Add(strings.Replace(good, `"1s"`, `"1h"`, 1))
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := ReadConfig(path)
		if err != nil {
			if line := err.Error(); !strings.HasPrefix(line, "adapter: ") || len(line) > 1100 || strings.ContainsFunc(line, func(r rune) bool { return r < ' ' || r > '~' }) {
				t.Errorf("%q", line)
			}
			return
		}
		if !c.Listen.Addr().IsLoopback() || c.Listen.Addr().Is4In6() || c.Timeout > maxTimeout || c.MaximumAge > maxAge || c.Pause < minPause || !filepath.IsAbs(c.Command[0]) {
			t.Errorf("accepted: %+v", c)
		}
		if _, err := c.validate(); err != nil {
			t.Errorf("refused the second time: %v", err)
		}
	})
}
