package engine

import (
	"context"
	"fmt"

	"github.com/nats-io/nats-server/v2/server"
)

func serveNATS(ctx context.Context, host string, port int, dir string, ready func()) error {
	srv, err := server.NewServer(&server.Options{
		ServerName: "pair",
		Host:       host,
		Port:       port,
		JetStream:  true,
		StoreDir:   dir,
		NoSigs:     true, // signals belong to main
		NoLog:      true,
	})
	if err != nil {
		return fmt.Errorf("nats server: %w", err)
	}
	srv.Start()
	defer func() {
		srv.Shutdown()
		srv.WaitForShutdown()
	}()
	if !srv.ReadyForConnections(startLimit) {
		return fmt.Errorf("nats server: not ready after %v", startLimit)
	}
	ready()
	<-ctx.Done()
	return nil
}
