package node

import (
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// stale leaves a socket behind that nobody listens on, as a crash does.
func stale(t *testing.T, path string) {
	t.Helper()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	must(t, err)
	l.SetUnlinkOnClose(false)
	must(t, l.Close())
}

func TestSocketPaths(t *testing.T) {
	dir := folder(t)
	pad := func(n int) string { return dir + "/" + strings.Repeat("s", n-len(dir)-1) }
	for name, tt := range map[string]struct{ path, want string }{
		"longest":              {pad(maxSocketPath), ""},
		"too long":             {pad(maxSocketPath + 1), "must be of at most"},
		"empty":                {"", "must be an absolute path"},
		"relative":             {"s", "must be an absolute path"},
		"abstract":             {"@s", "must be an absolute path"},
		"with a zero":          {dir + "/a\x00b", "must be an absolute path"},
		"directory missing":    {dir + "/none/s", "directory: no such file or directory"},
		"a directory":          {dir, "must be a socket or nothing"},
		"directory is a file":  {dir + "/token/s", "directory: not a directory"},
		"directory is dot-dot": {dir + "/../" + filepath.Base(dir) + "/s", ""},
	} {
		t.Run(name, func(t *testing.T) {
			tokenFile(t, dir, secret)
			l, file, err := listenSocket(tt.path)
			if err == nil {
				defer l.Close()
				defer file.remove()
			}
			switch {
			case tt.want == "" && err != nil:
				t.Error(err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "node: socket ")):
				t.Errorf("want %s, got %v", tt.want, err)
			case err != nil && strings.ContainsAny(err.Error(), "\n\x00"):
				t.Errorf("more than a line: %q", err)
			}
		})
	}
}

// TestWhatIsInTheWay is left as it is, all but a stale socket.
func TestWhatIsInTheWay(t *testing.T) {
	for name, tt := range map[string]struct {
		put  func(t *testing.T, path string)
		want string
	}{
		"a regular file":    {func(t *testing.T, path string) { must(t, os.WriteFile(path, []byte("data"), 0o600)) }, "must be a socket or nothing"},
		"an empty file":     {func(t *testing.T, path string) { must(t, os.WriteFile(path, nil, 0o600)) }, "must be a socket or nothing"},
		"a directory":       {func(t *testing.T, path string) { must(t, os.Mkdir(path, 0o700)) }, "must be a socket or nothing"},
		"a link to nothing": {func(t *testing.T, path string) { must(t, os.Symlink(path+".none", path)) }, "must be a socket or nothing"},
		"a link to a stale socket": {func(t *testing.T, path string) {
			stale(t, path+".stale")
			must(t, os.Symlink(path+".stale", path))
		}, "must be a socket or nothing"},
		"a live socket": {func(t *testing.T, path string) {
			l, err := net.Listen("unix", path)
			must(t, err)
			t.Cleanup(func() { _ = l.Close() })
		}, "must not be in use by another process"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(folder(t), "s")
			tt.put(t, path)
			before, err := os.Lstat(path)
			must(t, err)
			if _, _, err := listenSocket(path); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("want %s, got %v", tt.want, err)
			}
			after, err := os.Lstat(path)
			if err != nil || !os.SameFile(before, after) || before.Mode() != after.Mode() || before.Size() != after.Size() {
				t.Errorf("it was changed: %v, %v", after, err)
			}
		})
	}
}

func TestStaleSocketIsReplaced(t *testing.T) {
	path := filepath.Join(folder(t), "s")
	for range 3 {
		stale(t, path)
		l, file, err := listenSocket(path)
		must(t, err)
		conn, err := net.Dial("unix", path)
		must(t, err)
		_ = conn.Close()
		file.remove()
		must(t, l.Close())
		if _, err := os.Lstat(path); !os.IsNotExist(err) {
			t.Error("it is still there")
		}
	}
}

// TestRemoveOnlyItsOwn: what another process has put there since stays.
func TestRemoveOnlyItsOwn(t *testing.T) {
	for name, put := range map[string]func(t *testing.T, path string){
		"another socket": stale,
		"a file":         func(t *testing.T, path string) { must(t, os.WriteFile(path, []byte("data"), 0o600)) },
		"nothing":        func(*testing.T, string) {},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(folder(t), "s")
			l, file, err := listenSocket(path)
			must(t, err)
			must(t, os.Remove(path))
			put(t, path)
			before, _ := os.Lstat(path)
			file.remove()
			must(t, l.Close())
			after, err := os.Lstat(path)
			if before != nil && (err != nil || !os.SameFile(before, after)) {
				t.Errorf("it was removed: %v", err)
			}
		})
	}
}

// TestStartersRace has nodes start at the same moment over a stale socket: one has
// it, and it is the one that is found there.
func TestStartersRace(t *testing.T) {
	if !atomicTakeover {
		t.Log("not on this system")
		return
	}
	for range 30 {
		path := filepath.Join(folder(t), "s")
		stale(t, path)
		var (
			mu       sync.Mutex
			winners  []*socketFile
			listener net.Listener
			all      sync.WaitGroup
		)
		for range 8 {
			all.Go(func() {
				l, file, err := listenSocket(path)
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					winners, listener = append(winners, file), l
				} else if !strings.Contains(err.Error(), "must not be in use") && !strings.Contains(err.Error(), "locked") {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if len(winners) != 1 {
			t.Fatalf("%d have the socket", len(winners))
		}
		if there, err := os.Lstat(path); err != nil || !os.SameFile(there, winners[0].made) {
			t.Errorf("another socket is there: %v", err)
		}
		_ = listener.Close()
	}
}

func isSocket(info os.FileInfo) bool { return info.Mode().Type() == fs.ModeSocket }
