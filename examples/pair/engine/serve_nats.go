package engine

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// startLimit is how long a server may take until it answers.
const startLimit = 20 * time.Second

func serveNATS(ctx context.Context, address, dir string, ready func()) error {
	host, number, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	port, err := strconv.Atoi(number)
	if err != nil {
		return fmt.Errorf("engine port %q: must be a number", number)
	}
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
		return errors.New("nats server: not ready after 20s")
	}
	ready()
	<-ctx.Done()
	return nil
}
