package adapter

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// usableConfig says only what must be said.
func usableConfig(t *testing.T) Config {
	t.Helper()
	return Config{
		Node:    "orders-1",
		Listen:  netip.MustParseAddrPort("127.0.0.1:8081"),
		Command: []string{fileOfMode(t, "observe", 0o755), "--all"},
	}
}

// fileOfMode makes a file with exactly that mode, whatever the umask.
func fileOfMode(t *testing.T, name string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte("content"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

var compareConfigs = cmpopts.EquateComparable(netip.AddrPort{}, netip.Addr{})

func TestConfigDefaults(t *testing.T) {
	given := usableConfig(t)
	want := given
	want.StartupPath, want.ReadyPath, want.LivePath = "/startup", "/ready", "/live"
	want.Timeout, want.Pause, want.MaximumAge = 1500*time.Millisecond, time.Second, 3*time.Second
	got, err := given.validate()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, compareConfigs); diff != "" {
		t.Error(diff)
	}
	again, err := got.validate()
	if err != nil {
		t.Fatalf("what came out is refused: %v", err)
	}
	if diff := cmp.Diff(got, again, compareConfigs); diff != "" {
		t.Errorf("not settled: %s", diff)
	}
	given.Command[1] = "--other"
	if got.Command[1] != "--all" {
		t.Error("the command changes with the caller's slice, and must be fixed")
	}
}

// TestConfigBounds tries each field at its bounds and one step past.
func TestConfigBounds(t *testing.T) {
	const (
		node    = "must be 1 to 200 bytes of valid UTF-8 without control and format characters"
		listen  = "must be a loopback address without a zone, and a port"
		peer    = "must be a loopback address of the family of listen"
		letters = "must be of letters, digits, /, _, . and - only"
	)
	type change = func(*Config)
	on := func(listen string) change {
		return func(c *Config) { c.Listen = netip.MustParseAddrPort(listen) }
	}
	from := func(listen, peer string) change {
		return func(c *Config) { on(listen)(c); c.Peer = netip.MustParseAddr(peer) }
	}
	run := func(command ...string) change { return func(c *Config) { c.Command = command } }
	environment := func(variables ...string) change { return func(c *Config) { c.Environment = variables } }
	ready := func(path string) change { return func(c *Config) { c.ReadyPath = path } }
	times := func(timeout, pause, age time.Duration) change {
		return func(c *Config) { c.Timeout, c.Pause, c.MaximumAge = timeout, pause, age }
	}
	for _, test := range []struct {
		name   string
		change change
		want   string // after "adapter: "; nothing is no error
	}{
		{"nothing else", func(*Config) {}, ""},

		{"node: empty", func(c *Config) { c.Node = "" }, `node "": ` + node},
		{"node: longest", func(c *Config) { c.Node = strings.Repeat("n", 200) }, ""},
		{"node: longer", func(c *Config) { c.Node = strings.Repeat("n", 201) }, `node "` + strings.Repeat("n", 80) + `": ` + node},
		{"node: a line", func(c *Config) { c.Node = "a\nb" }, `node "a\nb": ` + node},
		{"node: a format character", func(c *Config) { c.Node = "a\u200b" }, `node "a\u200b": ` + node},
		{"node: bad UTF-8", func(c *Config) { c.Node = "a\xff" }, `node "a\xff": ` + node},

		{"listen: not set", func(c *Config) { c.Listen = netip.AddrPort{} }, "listen invalid AddrPort: " + listen},
		{"listen: another of 127/8", on("127.255.255.254:1"), ""},
		{"listen: any port", on("127.0.0.1:0"), ""},
		{"listen: IPv6", on("[::1]:65535"), ""},
		{"listen: every address", on("0.0.0.0:80"), "listen 0.0.0.0:80: " + listen},
		{"listen: every IPv6 address", on("[::]:80"), "listen [::]:80: " + listen},
		{"listen: below 127/8", on("126.255.255.255:80"), "listen 126.255.255.255:80: " + listen},
		{"listen: above 127/8", on("128.0.0.0:80"), "listen 128.0.0.0:80: " + listen},
		{"listen: private", on("10.0.0.1:80"), "listen 10.0.0.1:80: " + listen},
		{"listen: link-local", on("169.254.0.1:80"), "listen 169.254.0.1:80: " + listen},
		{"listen: IPv6 after the loopback", on("[::2]:80"), "listen [::2]:80: " + listen},
		{"listen: IPv6 link-local", on("[fe80::1]:80"), "listen [fe80::1]:80: " + listen},
		{"listen: mapped", on("[::ffff:10.0.0.1]:80"), "listen [::ffff:10.0.0.1]:80: " + listen},
		{"listen: mapped, every address", on("[::ffff:0.0.0.0]:80"), "listen [::ffff:0.0.0.0]:80: " + listen},
		{"listen: IPv4 as the last bytes", on("[::7f00:1]:80"), "listen [::7f00:1]:80: " + listen},
		{"listen: a zone", on("[::1%lo]:80"), "listen [::1%lo]:80: " + listen},
		{"listen: a zone of many lines", func(c *Config) {
			c.Listen = netip.AddrPortFrom(netip.MustParseAddr("::1").WithZone("a\nb"), 80)
		}, `listen [::1%a\nb]:80: ` + listen},

		{"peer: IPv4", from("127.0.0.1:80", "127.0.0.2"), ""},
		{"peer: IPv6", from("[::1]:80", "::1"), ""},
		{"peer: mapped", from("127.0.0.1:80", "::ffff:127.0.0.1"), ""},
		{"peer: every address", from("127.0.0.1:80", "0.0.0.0"), "peer 0.0.0.0: " + peer},
		{"peer: not loopback", from("127.0.0.1:80", "10.0.0.1"), "peer 10.0.0.1: " + peer},
		{"peer: mapped, not loopback", from("127.0.0.1:80", "::ffff:10.0.0.1"), "peer 10.0.0.1: " + peer},
		{"peer: of the other family", from("127.0.0.1:80", "::1"), "peer ::1: " + peer},
		{"peer: of the one family", from("[::1]:80", "127.0.0.1"), "peer 127.0.0.1: " + peer},
		{"peer: a zone", from("[::1]:80", "::1%lo"), "peer ::1%lo: " + peer},

		{"command: not set", run(), "command []: must be an absolute path and its arguments"},
		{"command: empty", run(""), `command[0] "": must be an absolute path`},
		{"command: relative", run("observe", "x"), `command[0] "observe": must be an absolute path`},
		{"command: relative to here", run("./observe"), `command[0] "./observe": must be an absolute path`},
		{"command: a zero byte", run("/bin/\x00"), `command[0] "/bin/\x00": must be without a zero byte`},
		{"command: a zero byte in an argument", run("/bin/x", "a", "b\x00"), `command[2] "b\x00": must be without a zero byte`},
		{"command: an empty argument", func(c *Config) { c.Command = append(c.Command, "") }, ""},
		{"command: missing", run("/does/not/exist"), `command[0] "/does/not/exist": must be a file that is there: no such file or directory`},

		{"environment: usual", environment("A=1", "B=", "C=x=y", "a=1", "AB=2"), ""},
		{"environment: no =", environment("A=1", "PATH"), `environment[1]: must be NAME=value`},
		{"environment: empty", environment(""), `environment[0]: must be NAME=value`},
		{"environment: no name", environment("=x"), `environment[0]: must be NAME=value`},
		{"environment: twice", environment("A=1", "B=2", "A=secret"), `environment[2] "A": must be there once only`},
		{"environment: a zero byte in a name", environment("A\x00B=1"), `environment[0]: must be NAME=value`},
		{"environment: a zero byte", environment("A=secret\x00"), `environment[0] "A": must have a value without a zero byte`},

		{"path: of one letter", ready("/r"), ""},
		{"path: root", ready("/"), ""},
		{"path: every kind of character", ready("/health/Ready_0.z-9/"), ""},
		{"path: dots in a name", ready("/.ready./a.b"), ""},
		{"path: longest", ready("/" + strings.Repeat("a", 199)), ""},
		{"path: longer", ready("/" + strings.Repeat("a", 200)), `readyPath "/` + strings.Repeat("a", 79) + `": must be at most 200 bytes`},
		{"path: no slash", ready("ready"), `readyPath "ready": must begin with /`},
		{"path: a space", ready("/a b"), `readyPath "/a b": ` + letters},
		{"path: a space before", ready(" /a"), `readyPath " /a": must begin with /`},
		{"path: a space after", ready("/a "), `readyPath "/a ": ` + letters},
		{"path: an escape", ready("/%72eady"), `readyPath "/%72eady": ` + letters},
		{"path: a query", ready("/ready?a"), `readyPath "/ready?a": ` + letters},
		{"path: a fragment", ready("/ready#a"), `readyPath "/ready#a": ` + letters},
		{"path: a parameter", ready("/ready;a"), `readyPath "/ready;a": ` + letters},
		{"path: a backslash", ready(`/ready\a`), `readyPath "/ready\\a": ` + letters},
		{"path: a letter beyond ASCII", ready("/réady"), `readyPath "/r\u00e9ady": ` + letters},
		{"path: a line", ready("/a\r\n"), `readyPath "/a\r\n": ` + letters},
		{"path: a zero byte", ready("/a\x00b"), `readyPath "/a\x00b": ` + letters},
		{"path: empty segment", ready("//ready"), `readyPath "//ready": must be without // and ..`},
		{"path: empty segment at the end", ready("/ready//"), `readyPath "/ready//": must be without // and ..`},
		{"path: two dots", ready("/a/../b"), `readyPath "/a/../b": must be without // and ..`},
		{"path: two dots at the end", ready("/a/.."), `readyPath "/a/..": must be without // and ..`},
		{"path: one dot", ready("/a/./b"), `readyPath "/a/./b": must be without a segment of one dot`},
		{"path: one dot at the end", ready("/."), `readyPath "/.": must be without a segment of one dot`},
		{"path: another's", ready("/startup"), `readyPath "/startup": must differ from startupPath`},
		{"path: the next one's", ready("/live"), `livePath "/live": must differ from readyPath`},
		{"path: two given", func(c *Config) { c.StartupPath, c.LivePath = "/x", "/x" }, `livePath "/x": must differ from startupPath`},
		{"path: another by its case", ready("/Startup"), ""},
		{"path: another by its slash", ready("/startup/"), ""},

		{"times: the most", times(maxTimeout, maxPause, maxAge), ""},
		{"times: the least", times(1, minPause, minPause+1), ""},
		{"timeout: longer", times(maxTimeout+1, 0, 0), `timeout "1.500000001s": must be above 0 and at most 1.5s`},
		{"timeout: negative", times(-1, 0, 0), `timeout "-1ns": must be above 0 and at most 1.5s`},
		{"pause: longer", times(0, maxPause+1, 0), `pause "1.000000001s": must be 100ms to 1s`},
		{"pause: shorter", times(0, minPause-1, 0), `pause "99.999999ms": must be 100ms to 1s`},
		{"pause: negative", times(0, -time.Second, 0), `pause "-1s": must be 100ms to 1s`},
		{"maximum age: longer", times(0, 0, maxAge+1), `maximumAge "3.000000001s": must be above 0 and at most 3s`},
		{"maximum age: negative", times(0, 0, -1), `maximumAge "-1ns": must be above 0 and at most 3s`},
		{"maximum age: more than the pause", times(0, 0, time.Second+1), ""},
		{"maximum age: the pause", times(0, 0, time.Second), `maximumAge "1s": must be more than the pause of 1s`},
		{"maximum age: the least pause", times(0, minPause, minPause), `maximumAge "100ms": must be more than the pause of 100ms`},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := usableConfig(t)
			test.change(&c)
			got, err := c.validate()
			if want := "adapter: " + test.want; test.want != "" {
				if err == nil || err.Error() != want {
					t.Fatalf("\n got %v\nwant %s", err, want)
				}
				if diff := cmp.Diff(Config{}, got, compareConfigs); diff != "" {
					t.Errorf("something beside an error: %s", diff)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestConfigNormalises wants one form of an address, since Host and peers are
// compared with it (A1).
func TestConfigNormalises(t *testing.T) {
	c := usableConfig(t)
	c.Listen = netip.MustParseAddrPort("[::ffff:127.0.0.1]:8081")
	c.Peer = netip.MustParseAddr("::ffff:127.0.0.2")
	got, err := c.validate()
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(got.Listen, got.Peer) != "127.0.0.1:8081 127.0.0.2" {
		t.Errorf("listen %v, peer %v", got.Listen, got.Peer)
	}
}

func TestZeroConfigIsRefused(t *testing.T) {
	if _, err := (Config{}).validate(); err == nil {
		t.Error("no error")
	}
}

// TestConfigFiles looks at the modes bit by bit.
func TestConfigFiles(t *testing.T) {
	folder := t.TempDir()
	link := func(to string) string {
		path := filepath.Join(t.TempDir(), "link")
		if err := os.Symlink(to, path); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, test := range []struct {
		name           string
		command, token string
		want           string // after the value
	}{
		{"executable by its owner", fileOfMode(t, "c", 0o500), "", ""},
		{"executable by its group", fileOfMode(t, "c", 0o010), "", ""},
		{"executable by all", fileOfMode(t, "c", 0o775), "", ""},
		{"a link to one", link(fileOfMode(t, "c", 0o755)), "", ""},
		{"not executable", fileOfMode(t, "c", 0o664), "", "must be executable, its mode is 0664"},
		{"writable by others", fileOfMode(t, "c", 0o757), "", "must not be writable by others, its mode is 0757"},
		{"a link to nothing", link(filepath.Join(folder, "gone")), "", "must be a file that is there: no such file or directory"},
		{"a folder", folder, "", "must be a regular file"},
		{"a device", "/dev/null", "", "must be a regular file"},

		{"a token of its owner", fileOfMode(t, "c", 0o755), fileOfMode(t, "t", 0o400), ""},
		{"a token of its group", fileOfMode(t, "c", 0o755), fileOfMode(t, "t", 0o660), ""},
		{"a token that nobody reads", fileOfMode(t, "c", 0o755), fileOfMode(t, "t", 0), ""},
		{"a token that others read", fileOfMode(t, "c", 0o755), fileOfMode(t, "t", 0o604), "must be closed to others, its mode is 0604"},
		{"a token that others write", fileOfMode(t, "c", 0o755), fileOfMode(t, "t", 0o602), "must be closed to others, its mode is 0602"},
		{"a token that others execute", fileOfMode(t, "c", 0o755), fileOfMode(t, "t", 0o601), "must be closed to others, its mode is 0601"},
		{"a token behind a link", fileOfMode(t, "c", 0o755), link(fileOfMode(t, "t", 0o644)), "must be closed to others, its mode is 0644"},
		{"a token that is missing", fileOfMode(t, "c", 0o755), filepath.Join(folder, "gone"), "must be a file that is there: no such file or directory"},
		{"a token that is a folder", fileOfMode(t, "c", 0o755), folder, "must be a regular file"},
		{"a token of a relative path", fileOfMode(t, "c", 0o755), "token", "must be an absolute path"},
		{"a token of a zero byte", fileOfMode(t, "c", 0o755), "/a\x00", "must be a file that is there: invalid argument"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := usableConfig(t)
			c.Command, c.TokenFile = []string{test.command}, test.token
			_, err := c.validate()
			if test.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			want := invalid("command[0]", test.command, "%s", test.want)
			if test.token != "" {
				want = invalid("tokenFile", test.token, "%s", test.want)
			}
			if err == nil || err.Error() != want.Error() {
				t.Errorf("\n got %v\nwant %v", err, want)
			}
		})
	}
}
