package redundancy

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/cluster/clustertest"
)

// TestConfigBounds: each field at its bounds and one step past them; a refusal names
// the field, the value and the bound (X30).
func TestConfigBounds(t *testing.T) {
	script := clustertest.NewScript(nodeA)
	alone, err := cluster.Standalone(nodeA)
	if err != nil {
		t.Fatal(err)
	}
	var noScript *clustertest.Script
	var noBus *LocalBus
	for _, test := range []struct {
		name   string
		change func(*Config)
		want   string // "": accepted
	}{
		{"as it is", func(*Config) {}, ""},
		{"nothing at all", func(c *Config) { *c = Config{} }, ""},
		{"works alone", func(c *Config) { c.Source, c.Bus = alone, nil }, ""},
		{"works alone with a bus", func(c *Config) { c.Source = alone }, ""},
		{"a nil pointer as source", func(c *Config) { c.Source = noScript }, "redundancy: source: must not be a nil pointer"},
		{"a nil pointer as bus", func(c *Config) { c.Bus = noBus }, "redundancy: bus: must not be a nil pointer"},
		{"no bus", func(c *Config) { c.Bus = nil }, "redundancy: bus nil: must be set with a source"},
		{"no role", func(c *Config) { c.Role = "" }, ""},
		{"a role with white space", func(c *Config) { c.Role = "dri ver" }, `redundancy: role: cluster: role 0 "dri ver": must not contain white space`},
		{"a nil function as prober", func(c *Config) { c.Prober = nil }, ""},
		{"a site of one's own", func(c *Config) { c.Sites = []string{"historian"} }, ""},
		{"an empty site", func(c *Config) { c.Sites = []string{"historian", ""} }, `redundancy: sites 1 "": must not be empty`},
		{"a site twice", func(c *Config) { c.Sites = []string{SiteAck} }, `redundancy: sites 0 "ack": must not repeat another site`},
		{"a level above 254", func(c *Config) { c.Levels.Active = 255 }, "redundancy: levels active 255: must be 0 to 254"},
		{"levels that overlap", func(c *Config) { c.Levels.Follower = 250 }, "redundancy: levels active 250: must be above follower, 250"},
		{"an empty peer", func(c *Config) { c.Peers = []string{"urn:a", ""} }, `redundancy: peers 1 "": must not be empty`},
		{"a peer with a line break", func(c *Config) { c.Peers = []string{"urn:\na"} }, `redundancy: peers 0 "urn:\na": must not contain U+000A, which does not show`},
		{"a peer of 1024 bytes", func(c *Config) { c.Peers = []string{strings.Repeat("a", 1024)} }, ""},
		{"a peer of 1025 bytes", func(c *Config) { c.Peers = []string{strings.Repeat("a", 1025)} }, `must have at most 1024 bytes`},
		{"a name that is no text", func(c *Config) { c.Advertise = "\xff" }, `redundancy: advertise "\xff": must be valid UTF-8`},

		{"database interval of 1 ms", func(c *Config) { c.DatabaseInterval = time.Millisecond }, ""},
		{"and less", func(c *Config) { c.DatabaseInterval = time.Millisecond - 1 }, "redundancy: database interval 999.999µs: must be 1ms to 15s, half the age at which its answer is stale, or 0 for the default"},
		{"a negative one", func(c *Config) { c.DatabaseInterval = -1 }, "redundancy: database interval -1ns: must be 1ms to 15s"},
		{"database interval of 15 s", func(c *Config) { c.DatabaseInterval = 15 * time.Second }, ""},
		{"and more", func(c *Config) { c.DatabaseInterval = 15*time.Second + 1 }, "redundancy: database interval 15.000000001s: must be 1ms to 15s"},
		{"one that the levels allow", func(c *Config) { c.DatabaseInterval, c.Levels.DatabaseStaleAfter = time.Minute, 2*time.Minute }, ""},
		{"the default where the levels do not", func(c *Config) { c.Levels.DatabaseStaleAfter = 4 * time.Second }, "redundancy: database interval 5s: must be 1ms to 2s"},
		{"database timeout of the interval", func(c *Config) { c.DatabaseTimeout = 5 * time.Second }, ""},
		{"and more", func(c *Config) { c.DatabaseTimeout = 5*time.Second + 1 }, "redundancy: database timeout 5.000000001s: must be 1ms to 5s, the database interval"},
		{"a negative one", func(c *Config) { c.DatabaseTimeout = -1 }, "redundancy: database timeout -1ns"},
		{"probe interval of 15 s", func(c *Config) { c.ProbeInterval = 15 * time.Second }, ""},
		{"and more", func(c *Config) { c.ProbeInterval = 15*time.Second + 1 }, "redundancy: probe interval 15.000000001s: must be 1ms to 15s, half the age at which a result is forgotten"},
		{"a negative one", func(c *Config) { c.ProbeInterval = -time.Second }, "redundancy: probe interval -1s"},
		{"probe timeout of the interval", func(c *Config) { c.ProbeTimeout = 5 * time.Second }, ""},
		{"and more", func(c *Config) { c.ProbeTimeout = 5*time.Second + 1 }, "redundancy: probe timeout 5.000000001s: must be 1ms to 5s, the probe interval"},
		{"a negative one", func(c *Config) { c.ProbeTimeout = -1 }, "redundancy: probe timeout -1ns"},
		{"a negative health interval", func(c *Config) { c.HealthInterval = -1 }, "redundancy: health interval -1ns: must be 1ms to 30s"},
		{"health interval of 30 s", func(c *Config) { c.HealthInterval = 30 * time.Second }, ""},
		{"and more", func(c *Config) { c.HealthInterval = 30*time.Second + 1 }, "redundancy: health interval 30.000000001s: must be 1ms to 30s, the age at which a snapshot is stale"},
		{"republish interval of 15 s", func(c *Config) { c.RepublishInterval = 15 * time.Second }, ""},
		{"and more", func(c *Config) { c.RepublishInterval = 15*time.Second + 1 }, "redundancy: republish interval 15.000000001s: must be 1ms to 15s, half the age at which a snapshot is stale"},
		{"a negative one", func(c *Config) { c.RepublishInterval = -1 }, "redundancy: republish interval -1ns"},
		{"debounce of the republish interval", func(c *Config) { c.Debounce = 10 * time.Second }, ""},
		{"and more", func(c *Config) { c.Debounce = 10*time.Second + 1 }, "redundancy: debounce 10.000000001s: must be 1ms to 10s, the republish interval"},
		{"a negative one", func(c *Config) { c.Debounce = -1 }, "redundancy: debounce -1ns"},
	} {
		c := Config{Source: script, Bus: NewLocalBus(), Role: driver}
		test.change(&c)
		n, err := New(c)
		switch {
		case test.want == "" && err != nil:
			t.Errorf("%s: %v", test.name, err)
		case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%s: %v, want %s", test.name, err, test.want)
		case (err == nil) != (n != nil):
			t.Errorf("%s: %v and %v", test.name, n, err)
		}
	}
}

// TestConfigDefaults: what is not set, and what follows from what is.
func TestConfigDefaults(t *testing.T) {
	times := func(c Config) []time.Duration {
		t.Helper()
		n, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		c = n.config
		return []time.Duration{
			c.DatabaseInterval, c.DatabaseTimeout, c.ProbeInterval, c.ProbeTimeout,
			c.HealthInterval, c.Debounce, c.RepublishInterval,
		}
	}
	const s, ms = time.Second, time.Millisecond
	if diff := cmp.Diff([]time.Duration{5 * s, 2 * s, 5 * s, 2 * s, 5 * s, 250 * ms, 10 * s}, times(Config{})); diff != "" {
		t.Errorf("nothing set (-want +got):\n%s", diff)
	}
	short := Config{DatabaseInterval: s, ProbeInterval: s, RepublishInterval: 100 * ms}
	if diff := cmp.Diff([]time.Duration{s, s, s, s, 5 * s, 100 * ms, 100 * ms}, times(short)); diff != "" {
		t.Errorf("short intervals (-want +got):\n%s", diff)
	}
}

// TestConfigIsCopied: what the caller does with it afterwards changes nothing.
func TestConfigIsCopied(t *testing.T) {
	c := Config{Sites: []string{"historian"}, Peers: []string{"urn:b"}}
	n, err := New(c, nil, WithLogger(nil), WithClock(nil))
	if err != nil {
		t.Fatal(err)
	}
	c.Sites[0], c.Peers[0] = "x", "x"
	if n.Site("historian") == nil || n.Servers()[0] != "urn:b" {
		t.Errorf("site %v, servers %v", n.Site("historian"), n.Servers())
	}
	if n.Site("nobody's") != nil {
		t.Error("a site that was not configured")
	}
}

// TestServers is S4.39: self and peers, none twice.
func TestServers(t *testing.T) {
	script := clustertest.NewScript(nodeA)
	for _, test := range []struct {
		name string
		c    Config
		want []string
	}{
		{"nothing", Config{}, nil},
		{"peers only", Config{Peers: []string{"urn:b"}}, []string{"urn:b"}},
		{"the address", Config{Source: script, Bus: NewLocalBus()}, []string{nodeA}},
		{"a name", Config{Source: script, Bus: NewLocalBus(), Advertise: "urn:a", Peers: []string{"urn:b"}}, []string{"urn:a", "urn:b"}},
		{"itself among the peers", Config{Advertise: "urn:a", Peers: []string{"urn:b", "urn:a", "urn:b", "urn:c"}}, []string{"urn:a", "urn:b", "urn:c"}},
	} {
		n, err := New(test.c)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, n.Servers()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
	var none *Node
	if got := none.Servers(); got != nil {
		t.Errorf("nil: %v", got)
	}
}

// TestNoNode: nil and zero Nodes are down, deny and tell nothing.
func TestNoNode(t *testing.T) {
	for name, n := range map[string]*Node{"nil": nil, "zero": new(Node)} {
		if n.ServiceLevel() != 0 || n.Role() != RoleUnknown || n.Site(SiteWrite) != nil || n.Servers() != nil {
			t.Errorf("%s: level %d, role %v, servers %v", name, n.ServiceLevel(), n.Role(), n.Servers())
		}
		if err := n.Site(SiteWrite).Allow(); err == nil {
			t.Errorf("%s: serves", name)
		}
		if diff := cmp.Diff(State{}, n.State()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		n.Bind(&screen{})
		n.Check(context.Background())
		n.Database().Check(context.Background())
	}
}
