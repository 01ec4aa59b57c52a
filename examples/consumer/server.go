package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// The names of what the shop keeps in JetStream.
const (
	streamName  = "SHOP"
	subject     = "orders.placed"
	leaseBucket = "leases"
)

// broker is a real NATS server with JetStream inside this process, and one
// client connection to it over loopback TCP. An application has the server
// elsewhere and keeps only the connection.
type broker struct {
	server *server.Server
	conn   *nats.Conn
	js     jetstream.JetStream
	stream jetstream.Stream
	leases jetstream.KeyValue
}

// startBroker keeps its files under dir. leaseTTL is how long a lease outlives
// its last renewal.
func startBroker(ctx context.Context, dir string, leaseTTL time.Duration) (*broker, error) {
	srv, err := server.NewServer(&server.Options{
		ServerName: "shop",
		Host:       "127.0.0.1",
		Port:       server.RANDOM_PORT,
		JetStream:  true,
		StoreDir:   dir,
		NoSigs:     true, // signals belong to main
		NoLog:      true,
	})
	if err != nil {
		return nil, fmt.Errorf("nats server: %w", err)
	}
	b := &broker{server: srv}
	srv.Start()
	if err := b.open(ctx, leaseTTL); err != nil {
		b.close()
		return nil, fmt.Errorf("nats: %w", err)
	}
	return b, nil
}

func (b *broker) open(ctx context.Context, leaseTTL time.Duration) (err error) {
	if !b.server.ReadyForConnections(10 * time.Second) {
		return errors.New("server not ready after 10s")
	}
	// Reconnecting for ever is what a long-running consumer wants: the health
	// check says that the server is away, the loops simply go on trying.
	if b.conn, err = nats.Connect(b.server.ClientURL(), nats.Name("consumer"), nats.MaxReconnects(-1)); err != nil {
		return err
	}
	if b.js, err = jetstream.New(b.conn); err != nil {
		return err
	}
	if b.stream, err = b.js.CreateStream(ctx, jetstream.StreamConfig{
		Name:     streamName,
		Subjects: []string{subject},
		Storage:  jetstream.FileStorage,
	}); err != nil {
		return err
	}
	// The bucket forgets a key that was not written for leaseTTL: a holder
	// that dies stops renewing, and the lease is free again by itself.
	b.leases, err = b.js.CreateKeyValue(ctx, jetstream.KeyValueConfig{
		Bucket:  leaseBucket,
		TTL:     leaseTTL,
		Storage: jetstream.MemoryStorage,
	})
	return err
}

// consumer creates a durable pull consumer: a cursor into the stream, kept by
// the server, that any number of replicas and workers may share.
func (b *broker) consumer(ctx context.Context, name string) (jetstream.Consumer, error) {
	return b.stream.CreateConsumer(ctx, jetstream.ConsumerConfig{
		Durable:   name,
		AckPolicy: jetstream.AckExplicitPolicy,
	})
}

// close stops the client before the server, and waits for both.
func (b *broker) close() {
	if b.conn != nil {
		b.conn.Close()
	}
	b.server.Shutdown()
	b.server.WaitForShutdown()
}
