package etcdbus

import (
	"strings"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/loopvitals/loopvitals/check/redundancy"
)

var _ redundancy.Bus = (*Bus)(nil)

func TestNewRefuses(t *testing.T) {
	const rule = ": must be 1 to 256 bytes beside slashes at the end"
	client := &clientv3.Client{} // New asks nobody
	for name, test := range map[string]struct {
		client *clientv3.Client
		prefix string
		want   string
	}{
		"nil":        {nil, "warm", "etcdbus: client nil: must not be nil"},
		"no prefix":  {client, "", `etcdbus: prefix ""` + rule},
		"only slash": {client, "//", `etcdbus: prefix "//"` + rule},
		"too long":   {client, strings.Repeat("p", 257), `etcdbus: prefix "` + strings.Repeat("p", 257) + `"` + rule},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := New(test.client, test.prefix); err == nil || err.Error() != test.want {
				t.Errorf("error %v, want %s", err, test.want)
			}
		})
	}
	for _, prefix := range []string{"w", "/orders/warm/", strings.Repeat("p", 256) + "/"} {
		if _, err := New(client, prefix); err != nil {
			t.Errorf("prefix %q: error %v, want none", prefix, err)
		}
	}
}

func TestWithoutABus(t *testing.T) {
	for name, bus := range map[string]*Bus{"nil": nil, "zero": {}} {
		if err := bus.Publish(t.Context(), "test", nil); err == nil {
			t.Errorf("%s: no error of Publish, want one", name)
		}
		if err := bus.Subscribe(t.Context(), func([]byte) {}); err == nil {
			t.Errorf("%s: no error of Subscribe, want one", name)
		}
	}
}
