package etcdbus

import (
	"testing"

	"go.uber.org/goleak"
)

// A server that was killed in TestServersWithoutALeader lives on in this process,
// and never answers a peer that asks for its version.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("go.etcd.io/etcd/server/v3/etcdserver/api/etcdhttp.newPeerHandler.versionHandler.func1"))
}
