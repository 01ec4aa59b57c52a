package engine

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
)

func serveEtcd(ctx context.Context, address, dir string, ready func()) error {
	c := embed.NewConfig()
	c.Name = "pair"
	c.Dir = dir
	c.LogLevel = "error"
	// A single server has no peers to talk to, and needs an address for them
	// all the same.
	peers := url.URL{Scheme: "http", Host: "127.0.0.1:0"}
	c.ListenPeerUrls, c.AdvertisePeerUrls = []url.URL{peers}, []url.URL{peers}
	clients := url.URL{Scheme: "http", Host: address}
	c.ListenClientUrls, c.AdvertiseClientUrls = []url.URL{clients}, []url.URL{clients}
	c.InitialCluster = c.InitialClusterFromName(c.Name)
	// What the kernel has been given outlives the process, if not the machine,
	// and no other process on a busy disk makes the server wait. Not for use
	// outside of examples.
	c.UnsafeNoFsync = true

	srv, err := embed.StartEtcd(c)
	if err != nil {
		return fmt.Errorf("etcd server: %w", err)
	}
	defer srv.Close()
	select {
	case <-srv.Server.ReadyNotify():
	case <-time.After(startLimit):
		return fmt.Errorf("etcd server: not ready after %v", startLimit)
	case err := <-srv.Err():
		return fmt.Errorf("etcd server: %w", err)
	case <-ctx.Done():
		return nil
	}
	ready()
	select {
	case err := <-srv.Err():
		return fmt.Errorf("etcd server: %w", err)
	case <-ctx.Done():
		return nil
	}
}
