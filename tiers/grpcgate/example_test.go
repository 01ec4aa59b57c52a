package grpcgate_test

import (
	"context"
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/loopvitals/loopvitals/tiers"
	"github.com/loopvitals/loopvitals/tiers/grpcgate"
)

// standby is a closed gate that knows who is active, as that of check/cluster.
type standby struct{}

func (standby) IsActive() bool { return false }

func (standby) ActiveNode() (address string, known bool) { return "10.0.0.2:4053", true }

// Both interceptors stand in front of every service but that of health. Server
// reflection is let through as well.
func Example() {
	var gate tiers.Gate = standby{}
	open := grpcgate.WithExempt("/grpc.reflection.v1.ServerReflection/*")
	server := grpc.NewServer(
		grpc.ChainUnaryInterceptor(grpcgate.UnaryServerInterceptor(gate, open)),
		grpc.ChainStreamInterceptor(grpcgate.StreamServerInterceptor(gate, open)),
	)
	server.Stop()
}

// A client that is refused by a standby can go where it is told to.
func ExampleNotActive() {
	call := func() error { // instead of a call over the network
		_, err := grpcgate.UnaryServerInterceptor(standby{})(context.Background(), nil, &grpc.UnaryServerInfo{}, nil)
		return err
	}
	for _, err := range []error{call(), status.Error(codes.Unavailable, "connection refused")} {
		if node, ok := grpcgate.NotActive(err); ok {
			fmt.Println("ask", node, "instead")
		} else {
			fmt.Println(err)
		}
	}
	// Output:
	// ask 10.0.0.2:4053 instead
	// rpc error: code = Unavailable desc = connection refused
}
