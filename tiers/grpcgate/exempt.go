package grpcgate

import "strings"

// healthService passes always.
const healthService = "grpc.health.v1.Health"

// Option changes an interceptor.
type Option interface{ apply(*settings) }

type optionFunc func(*settings)

func (f optionFunc) apply(s *settings) { f(s) }

// WithExempt lets methods pass whatever the gate says, beside those of
// /grpc.health.v1.Health. A method is written "/payments.v1.Payments/Get", and
// "/payments.v1.Payments/*" is all of a service; the slash in front may be left
// out. A name that is no method's exempts nothing.
func WithExempt(methods ...string) Option {
	return optionFunc(func(s *settings) {
		for _, m := range methods {
			s.exempt[strings.TrimPrefix(m, "/")] = true
		}
	})
}

type settings struct {
	exempt map[string]bool // "service/method" or "service/*"
}

func newSettings(opts []Option) *settings {
	s := &settings{exempt: map[string]bool{healthService + "/*": true}}
	for _, o := range opts {
		if o != nil {
			o.apply(s)
		}
	}
	return s
}

// exempts tells whether the method, as gRPC writes it, passes always.
func (s *settings) exempts(fullMethod string) bool {
	method := strings.TrimPrefix(fullMethod, "/")
	service, _, _ := strings.Cut(method, "/")
	return s.exempt[method] || s.exempt[service+"/*"]
}
