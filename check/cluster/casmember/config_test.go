package casmember_test

import (
	"strings"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/cluster/casmember"
)

func TestConfig(t *testing.T) {
	for _, c := range []struct {
		name   string
		config casmember.Config
		err    string // part of it; empty for none
	}{
		{"the least", casmember.Config{Address: lowest}, ""},
		{"shortest ttl", casmember.Config{Address: lowest, TTL: 2 * time.Second}, ""},
		{"longest ttl", casmember.Config{Address: lowest, TTL: 10 * time.Minute}, ""},
		{"least margin", casmember.Config{Address: lowest, TTL: 3 * time.Second, Margin: 250 * time.Millisecond}, ""},
		{"largest margin", casmember.Config{Address: lowest, TTL: 3 * time.Second, Margin: time.Second}, ""},
		{"no address", casmember.Config{}, "address"},
		{"no port", casmember.Config{Address: "10.0.0.1"}, "10.0.0.1"},
		{"empty role", casmember.Config{Address: lowest, Roles: []string{"admin", ""}}, "role 1"},
		{"role with a blank", casmember.Config{Address: lowest, Roles: []string{"the admin"}}, "the admin"},
		{"role twice", casmember.Config{Address: lowest, Roles: []string{"admin", "admin"}}, "repeat"},
		{"ttl too short", casmember.Config{Address: lowest, TTL: 2*time.Second - 1}, "ttl 1.999999999s"},
		{"ttl too long", casmember.Config{Address: lowest, TTL: 10*time.Minute + 1}, "ttl 10m0.000000001s"},
		{"negative ttl", casmember.Config{Address: lowest, TTL: -time.Second}, "ttl -1s"},
		{"margin too small", casmember.Config{Address: lowest, Margin: 250*time.Millisecond - 1}, "margin 249.999999ms"},
		{"margin too large", casmember.Config{Address: lowest, TTL: 3 * time.Second, Margin: time.Second + 1}, "margin 1.000000001s"},
		{"negative margin", casmember.Config{Address: lowest, Margin: -1}, "margin -1ns"},
	} {
		t.Run(c.name, func(t *testing.T) {
			n, err := casmember.New(newEngine().open(), c.config, nil, casmember.WithClock(nil), casmember.WithLogger(nil))
			switch {
			case c.err == "" && err != nil:
				t.Error(err)
			case c.err != "" && (err == nil || n != nil || !strings.HasPrefix(err.Error(), "casmember: ") || !strings.Contains(err.Error(), c.err)):
				t.Errorf("%v, want an error about %q", err, c.err)
			}
		})
	}
	for name, kv := range map[string]casmember.KV{"nil": nil, "nil pointer": (*link)(nil)} {
		if _, err := casmember.New(kv, casmember.Config{Address: lowest}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// What the caller changes afterwards changes nothing.
func TestConfigIsCopied(t *testing.T) {
	roles := []string{"admin"}
	n, err := casmember.New(newEngine().open(), casmember.Config{Address: "LOCALHOST:04053", Roles: roles})
	if err != nil {
		t.Fatal(err)
	}
	roles[0] = "driver"
	if v := n.View(); v.Self.Address != "localhost:4053" || v.State != cluster.Starting {
		t.Errorf("%+v", v)
	}
}
