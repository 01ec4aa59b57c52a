package engine

import (
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/loopvitals/loopvitals/check/cluster/casmember"
	"github.com/loopvitals/loopvitals/check/cluster/etcd"
	"github.com/loopvitals/loopvitals/check/cluster/natskv"
)

// Open returns the store at the endpoints, each HOST:PORT, and what closes the
// connection. It does not wait for an answer: a node starts before its engine,
// and waits as a member that is starting.
func Open(kind Kind, endpoints []string) (casmember.KV, func(), error) {
	if kind == Etcd {
		client, err := DialEtcd(endpoints)
		if err != nil {
			return nil, nil, err
		}
		kv, err := etcd.New(client, Space)
		return kv, func() { _ = client.Close() }, err
	}
	conn, js, err := DialNATS(endpoints)
	if err != nil {
		return nil, nil, err
	}
	kv, err := natskv.New(js, Space)
	return kv, conn.Close, err
}

// DialEtcd returns a client. It finds out soon when the wire has gone silent, so
// that it is back soon after: with the defaults of TCP that takes many minutes.
func DialEtcd(endpoints []string) (*clientv3.Client, error) {
	client, err := clientv3.New(clientv3.Config{
		Endpoints:            endpoints,
		DialKeepAliveTime:    10 * time.Second, // gRPC takes no less
		DialKeepAliveTimeout: 2 * time.Second,
		Logger:               zap.NewNop(),
	})
	if err != nil {
		return nil, fmt.Errorf("etcd: %w", err)
	}
	return client, nil
}

// DialNATS returns a connection that goes on trying for ever, from the start.
func DialNATS(endpoints []string) (*nats.Conn, jetstream.JetStream, error) {
	conn, err := dial(endpoints)
	if err != nil {
		return nil, nil, err
	}
	js, err := jetstream.New(conn)
	if err != nil {
		conn.Close()
		return nil, nil, fmt.Errorf("nats: %w", err)
	}
	return conn, js, nil
}

// DialBus returns a connection for what nodes say of each other. It goes on trying as
// well, and sends nothing late: what could not be sent is said again soon, and by
// then it may not be true any more.
func DialBus(endpoints []string) (*nats.Conn, error) {
	return dial(endpoints, nats.ReconnectBufSize(-1), nats.FlusherTimeout(2*time.Second))
}

func dial(endpoints []string, more ...nats.Option) (*nats.Conn, error) {
	conn, err := nats.Connect("nats://"+strings.Join(endpoints, ",nats://"), append([]nats.Option{
		nats.RetryOnFailedConnect(true),
		nats.MaxReconnects(-1),
		nats.ReconnectWait(100 * time.Millisecond),
		nats.PingInterval(time.Second),
		nats.MaxPingsOutstanding(2),
	}, more...)...)
	if err != nil {
		return nil, fmt.Errorf("nats: %w", err)
	}
	return conn, nil
}
