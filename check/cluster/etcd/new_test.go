package etcd

import (
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/loopvitals/loopvitals/check/cluster/casmember"
)

var _ casmember.KV = (*KV)(nil)

func TestNewRefuses(t *testing.T) {
	client := &clientv3.Client{} // New asks nobody
	for name, test := range map[string]struct {
		client *clientv3.Client
		prefix string
		want   string
	}{
		"nil":        {nil, "members", "etcd: client nil: must not be nil"},
		"no prefix":  {client, "", `etcd: prefix "": must not be empty`},
		"only slash": {client, "//", `etcd: prefix "//": must not be empty`},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := New(test.client, test.prefix); err == nil || err.Error() != test.want {
				t.Errorf("error %v, want %s", err, test.want)
			}
		})
	}
}

// Two clusters must not see each other, also when one's prefix begins like the
// other's, and a slash at the end is no other prefix.
func TestPrefixes(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	client := connect(t, clientv3.Config{}, s.address())
	at := func(prefix string) *KV {
		kv, err := New(client, prefix)
		if err != nil {
			t.Fatal(err)
		}
		return kv
	}
	for _, prefix := range []string{"orders", "orders2", "orders/2"} {
		if _, err := at(prefix).Create(t.Context(), "a.1", []byte(prefix)); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := listed(t, at("orders2/")), "a.1=orders2 "; got != want {
		t.Errorf("list %q, want %q", got, want)
	}
	if got, want := listed(t, at("orders")), "2/a.1=orders/2 a.1=orders "; got != want {
		t.Errorf("list %q, want %q", got, want)
	}
	stored, err := client.Get(t.Context(), "orders/a.1")
	if err != nil || len(stored.Kvs) != 1 {
		t.Errorf("%d records and error %v at orders/a.1, want one", len(stored.Kvs), err)
	}
}
