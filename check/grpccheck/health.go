package grpccheck

import (
	"context"
	"fmt"

	"google.golang.org/grpc/codes"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"github.com/loopvitals/loopvitals/check"
)

// WithHealth asks the server's grpc.health.v1 service about a service by its
// full name, or about the server as a whole with "". Only SERVING is Healthy.
// It connects where that is needed.
func WithHealth(service string) Option {
	return optionFunc(func(s *settings) {
		client := healthpb.NewHealthClient(s.conn)
		s.choose("health", func(ctx context.Context) check.Result {
			answer, err := client.Check(ctx, &healthpb.HealthCheckRequest{Service: service})
			return judge(answer.GetStatus(), err)
		})
	})
}

// judge turns an answer of the health service into a Result. Its texts tell
// apart what an operator would do next.
func judge(serving healthpb.HealthCheckResponse_ServingStatus, err error) check.Result {
	switch status.Code(err) {
	case codes.OK:
	case codes.NotFound:
		return check.Result{Status: check.Unhealthy, Description: "service unknown", Err: err}
	case codes.Unimplemented:
		return check.Result{Status: check.Unhealthy, Description: "no health service", Err: err}
	default:
		return reached(err)
	}
	if serving == healthpb.HealthCheckResponse_SERVING {
		return check.Result{Status: check.Healthy, Description: "serving"}
	}
	return check.Result{
		Status:      check.Unhealthy,
		Description: "not serving",
		Err:         fmt.Errorf("grpccheck: the server says %v", serving),
	}
}
