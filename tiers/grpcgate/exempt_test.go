package grpcgate_test

import (
	"testing"

	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	"github.com/loopvitals/loopvitals/tiers/grpcgate"
)

// TestHealthPasses: a standby answers whoever asks after its health, at once and
// for as long as they watch.
func TestHealthPasses(t *testing.T) {
	for name, opts := range map[string][]grpcgate.Option{
		"by default": nil, "with others": {grpcgate.WithExempt("/grpc.testing.TestService/UnaryCall"), nil},
	} {
		probe := healthpb.NewHealthClient(serve(t, &service{}, nil, opts).conn)
		answer, err := probe.Check(within(t), &healthpb.HealthCheckRequest{})
		if err != nil || answer.GetStatus() != healthpb.HealthCheckResponse_SERVING {
			t.Errorf("%s: %v, %v", name, answer, err)
		}
		watch, err := probe.Watch(within(t), &healthpb.HealthCheckRequest{})
		if err != nil {
			t.Fatal(err)
		}
		if answer, err = watch.Recv(); err != nil || answer.GetStatus() != healthpb.HealthCheckResponse_SERVING {
			t.Errorf("%s: watching: %v, %v", name, answer, err)
		}
	}
}

// TestExempt is the table of names: those that are no method's exempt nothing.
func TestExempt(t *testing.T) {
	const unary, duplex = "unary", "duplex"
	for name, c := range map[string]struct {
		methods []string
		pass    []string
	}{
		"none":                  {nil, nil},
		"a method":              {[]string{"/grpc.testing.TestService/UnaryCall"}, []string{unary}},
		"a stream":              {[]string{"/grpc.testing.TestService/FullDuplexCall"}, []string{duplex}},
		"no slash in front":     {[]string{"grpc.testing.TestService/UnaryCall"}, []string{unary}},
		"two":                   {[]string{"/grpc.testing.TestService/UnaryCall", "/grpc.testing.TestService/FullDuplexCall"}, []string{unary, duplex}},
		"a service":             {[]string{"/grpc.testing.TestService/*"}, []string{unary, "upload", "download", duplex}},
		"a service by its name": {[]string{"/grpc.testing.TestService"}, nil},
		"another service":       {[]string{"/grpc.testing.Test/*"}, nil},
		"a package":             {[]string{"/grpc.testing.*"}, nil},
		"everything":            {[]string{"*", "/*", "/*/*", ""}, nil},
		"another case":          {[]string{"/grpc.testing.testservice/unarycall"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			client := serve(t, &service{}, nil, []grpcgate.Option{grpcgate.WithExempt(c.methods...)})
			passes := map[string]bool{}
			for _, kind := range c.pass {
				passes[kind] = true
			}
			for kind, call := range calls {
				if err := call(within(t), client); (err == nil) != passes[kind] {
					t.Errorf("%s: %v", kind, err)
				}
			}
		})
	}
}
