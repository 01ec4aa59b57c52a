package main

import (
	"context"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/loopvitals/loopvitals/examples/pair/engine"
)

// TestMain is also the main of the children, which are this same program.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && slices.Contains([]string{"engine", "device", "node", "proxy"}, os.Args[1]) {
		main()
		return
	}
	goleak.VerifyTestMain(m)
}

func TestPlay(t *testing.T) {
	var out strings.Builder
	if err := perform(t.Context(), &out, options{engine: engine.NATS, ttl: 2 * time.Second}); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	for _, line := range []string{
		`process \d+  is active`,
		`200 OK`,
		`503 Service Unavailable`,
		`127.0.0.12:\d+ is active, \d\.\d s later|127.0.0.13:\d+ is active, \d\.\d s later`,
		`127.0.0.11:\d+ is back, at the lowest address and as the youngest, so it stands by`,
		`leaves, and hands over`,
		`127.0.0.11:\d+  token \d+ +\d+ writes accepted`,
		`pair: ok`,
	} {
		if !regexp.MustCompile(line).MatchString(out.String()) {
			t.Errorf("no line that matches %q in\n%s", line, &out)
		}
	}
}

func TestPlayThatCannotBegin(t *testing.T) {
	var out strings.Builder
	err := perform(t.Context(), &out, options{engine: engine.NATS, ttl: time.Second})
	if err == nil || !strings.Contains(err.Error(), "TTL") && !strings.Contains(err.Error(), "ttl") {
		t.Errorf("got %v, want what the node has said of its TTL", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := perform(ctx, &out, options{engine: engine.NATS, ttl: 2 * time.Second}); err == nil || err.Error() != "interrupted" {
		t.Errorf("got %v, want that it was interrupted", err)
	}
}

func TestFlags(t *testing.T) {
	for _, c := range []struct {
		args string
		want string // the error
	}{
		{"other", `verb "other": must be engine, device, node, proxy, warm, field, sensors or none`},
		{"device", "device: needs -address"},
		{"engine -address 127.0.0.1:0", "engine: needs -folder"},
		{"node -address 127.0.0.1:0 -device 127.0.0.1:1", "node: needs -endpoints and -device"},
		{"proxy -address 127.0.0.1:0", "proxy: needs -nodes"},
		{"field", "field: needs -address"},
		{"sensors", "sensors: needs -engine, and -every above 0"},
		{"warm -address 127.0.0.1:4053", "warm: needs -address, -engine, -device and -database"},
		{"-stay more", `argument "more": not known`},
	} {
		if err := command(t.Context(), strings.Fields(c.args)); err == nil || err.Error() != c.want {
			t.Errorf("pair %s: got %v, want %s", c.args, err, c.want)
		}
	}
	o, err := parse("node", strings.Fields("-address a:1 -engine etcd -endpoints b:1,c:2 -device d:3 -ttl 4s"))
	if err != nil || o.engine != engine.Etcd || !slices.Equal(o.endpoints, []string{"b:1", "c:2"}) || o.ttl != 4*time.Second {
		t.Errorf("got %+v, %v", o, err)
	}
}
