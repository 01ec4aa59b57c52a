package warm

import (
	"flag"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
)

func parse(args string, roles string) (Options, error) {
	flags := flag.NewFlagSet("warm", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	environment := func(name string) string {
		if name == RolesVariable {
			return roles
		}
		return ""
	}
	return ParseOptions(strings.Fields(args), environment, flags)
}

const enough = " -engine e:1 -device d:1 -database postgres://x"

func TestIdentity(t *testing.T) {
	for _, c := range []struct {
		args, roles string
		want        Identity
		err         string
	}{
		{
			args: "-address 10.0.0.1:4053",
			want: Identity{Address: "10.0.0.1:4053", Listen: "10.0.0.1:4053", Roles: []string{"admin", "driver"}},
		},
		{ // several spellings, one identity
			args: "-address [::ffff:10.0.0.1]:04053 -listen 0.0.0.0:4053",
			want: Identity{Address: "10.0.0.1:4053", Listen: "0.0.0.0:4053", Roles: []string{"admin", "driver"}},
		},
		{
			args: "-address Node-A.LAN.:4053 -advertise urn:a -peers urn:b,urn:c", roles: "driver",
			want: Identity{
				Address: "node-a.lan:4053", Listen: "Node-A.LAN.:4053", Roles: []string{"driver"},
				Advertise: "urn:a", Peers: []string{"urn:b", "urn:c"},
			},
		},
		{ // a flag goes before the environment
			args: "-address a:1 -roles admin", roles: "driver",
			want: Identity{Address: "a:1", Listen: "a:1", Roles: []string{"admin"}},
		},
		{args: "-address node-a", err: "address"},
		{args: "-address 0.0.0.0:4053", err: "address"},
		{args: "", err: "address"},
		{args: "-address a:1", roles: "driver,driver", err: "role"},
		{args: "-address a:1 more", err: `argument "more": not known`},
	} {
		o, err := parse(c.args+enough, c.roles)
		if strings.HasSuffix(c.args, "more") {
			o, err = parse("-address a:1"+enough+" more", c.roles)
		}
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: got %v, want an error about %s", c.args, err, c.err)
			}
			continue
		}
		got := o.Identity
		if err != nil || got.Address != c.want.Address || got.Listen != c.want.Listen || got.Advertise != c.want.Advertise ||
			!slices.Equal(got.Peers, c.want.Peers) || !slices.Equal(got.Roles, c.want.Roles) {
			t.Errorf("%s: got %+v, %v, want %+v", c.args, got, err, c.want)
		}
	}
}

func TestOptions(t *testing.T) {
	o, err := parse("-address a:1 -bus f:1,g:1 -ttl 4s -health-interval 1s -database-interval 2s -probe-interval 3s -republish-interval 5s -stale-after 6s"+enough, "")
	want := Times{TTL: 4 * time.Second, Health: time.Second, Database: 2 * time.Second, Probe: 3 * time.Second, Republish: 5 * time.Second, StaleAfter: 6 * time.Second}
	if err != nil || o.Times != want || !slices.Equal(o.Bus, []string{"f:1", "g:1"}) || !slices.Equal(o.Engine, []string{"e:1"}) || o.Device != "d:1" || o.Database != "postgres://x" {
		t.Errorf("got %+v, %v", o, err)
	}
	for _, args := range []string{"-address a:1", "-address a:1 -engine e:1", "-address a:1 -engine e:1 -device d:1"} {
		if _, err := parse(args, ""); err == nil || !strings.Contains(err.Error(), "needs") {
			t.Errorf("%s: got %v", args, err)
		}
	}
}
