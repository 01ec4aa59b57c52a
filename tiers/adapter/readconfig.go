package adapter

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/netip"
	"os"

	"github.com/loopvitals/loopvitals/tiers/adapter/internal/strictjson"
)

// maxConfigBytes bounds a configuration file.
const maxConfigBytes = 64 << 10

// configFile is the form of a configuration file. What may be missing is a pointer,
// since a key that is there must say something.
type configFile struct {
	Node        string   `json:"node"`
	Listen      string   `json:"listen"`
	Peer        *string  `json:"peer,omitempty"`
	Command     []string `json:"command"`
	Environment []string `json:"environment,omitempty"`
	TokenFile   *string  `json:"tokenFile,omitempty"`
	StartupPath *string  `json:"startupPath,omitempty"`
	ReadyPath   *string  `json:"readyPath,omitempty"`
	LivePath    *string  `json:"livePath,omitempty"`
	Timeout     *string  `json:"timeout,omitempty"`
	Pause       *string  `json:"pause,omitempty"`
	MaximumAge  *string  `json:"maximumAge,omitempty"`
}

// ReadConfig reads a Config from a JSON file of at most 64 KiB that others cannot
// write, and fills in what it leaves out. The keys are node, listen and command,
// which are required, and peer, environment, tokenFile, startupPath, readyPath,
// livePath, timeout, pause and maximumAge; durations are text as "1.5s". A key that
// is unknown, there twice, empty, zero or null is an error, as is whatever New
// would refuse.
//
// The error is one line that names the key, its value and what it must be.
func ReadConfig(path string) (Config, error) {
	text, err := readConfigFile(path)
	if err != nil {
		return Config{}, err
	}
	var file configFile
	if err := strictjson.Decode(text, strictjson.Limits{Bytes: maxConfigBytes, Depth: 2}, &file); err != nil {
		return Config{}, fmt.Errorf("adapter: %w", err)
	}
	c, err := file.config()
	if err != nil {
		return Config{}, err
	}
	return c.validate()
}

// readConfigFile reads what others cannot have written.
func readConfigFile(path string) ([]byte, error) {
	if _, err := regularFile("config", path); err != nil { // opening a pipe would wait for its writer
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, invalid("config", path, "must be readable: %v", cause(err))
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, invalid("config", path, "must be readable: %v", cause(err))
	}
	if hasModes && info.Mode()&othersWrite != 0 {
		return nil, invalid("config", path, "must not be writable by others, its mode is %04o", info.Mode().Perm())
	}
	text, err := io.ReadAll(io.LimitReader(file, maxConfigBytes+1))
	if err != nil {
		return nil, invalid("config", path, "must be readable: %v", cause(err))
	}
	return text, nil
}

// cause drops the path that an error of package os repeats.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// config turns text into addresses and durations.
func (f configFile) config() (Config, error) {
	c := Config{Node: f.Node, Command: f.Command, Environment: f.Environment}
	var err error
	if c.Listen, err = netip.ParseAddrPort(f.Listen); err != nil {
		return Config{}, invalid("listen", f.Listen, "must be a loopback address and a port, as 127.0.0.1:8099")
	}
	if f.Peer != nil {
		if c.Peer, err = netip.ParseAddr(*f.Peer); err != nil {
			return Config{}, invalid("peer", *f.Peer, "must be a loopback address, as 127.0.0.1")
		}
	}
	for _, t := range []struct {
		key        string
		text, into *string
	}{
		{"tokenFile", f.TokenFile, &c.TokenFile},
		{"startupPath", f.StartupPath, &c.StartupPath},
		{"readyPath", f.ReadyPath, &c.ReadyPath},
		{"livePath", f.LivePath, &c.LivePath},
	} {
		switch {
		case t.text == nil:
		case *t.text == "":
			return Config{}, invalid(t.key, "", "must say something where it is there")
		default:
			*t.into = *t.text
		}
	}
	times := map[string]*string{"timeout": f.Timeout, "pause": f.Pause, "maximumAge": f.MaximumAge}
	for _, s := range c.settings() {
		if text := times[s.key]; text != nil {
			if err := s.parse(*text); err != nil {
				return Config{}, err
			}
		}
	}
	return c, nil
}
