package node

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopvitals/loopvitals/tiers/adapter/observation"
)

func ingressOf(t *testing.T, l Limits, names ...string) *Ingress {
	t.Helper()
	in, err := NewIngress(l, names...)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func TestIngressRefusals(t *testing.T) {
	for want, tt := range map[string]struct {
		limits Limits
		names  []string
	}{
		"node: limits: connections -1: must not be negative": {Limits{Connections: -1}, []string{"a"}},
		"node: limits: exchanges -1: must not be negative":   {Limits{Exchanges: -1}, []string{"a"}},
		"node: limits: buffers -1: must not be negative":     {Limits{Buffers: -1}, []string{"a"}},
		"node: ingress of 0 names: must be 1 to 64":          {Limits{}, nil},
		"node: ingress of 65 names: must be 1 to 64":         {Limits{}, make([]string, 65)},
		`node: ingress: name "": must be`:                    {Limits{}, []string{""}},
		`node: ingress: name "a": must not be given twice`:   {Limits{}, []string{"a", "b", "a"}},
	} {
		if _, err := NewIngress(tt.limits, tt.names...); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("want %s, got %v", want, err)
		}
	}

	in, pipe := ingressOf(t, Limits{}, "a"), newPipe()
	if _, err := in.Listener("a", "api", pipe); err != nil {
		t.Error(err)
	}
	for want, try := range map[string]func() (net.Listener, error){
		`listener "b": must be one of ["a"]`:      func() (net.Listener, error) { return in.Listener("b", "api", pipe) },
		`listener "a": must not be opened twice`:  func() (net.Listener, error) { return in.Listener("a", "api", pipe) },
		`listener "a": must not be nil`:           func() (net.Listener, error) { return in.Listener("a", "api", nil) },
		`listener "a": owner "": must be a name`:  func() (net.Listener, error) { return in.Listener("a", "", pipe) },
		`node: ingress: listener "a": must not b`: func() (net.Listener, error) { return (*Ingress)(nil).Listener("a", "api", pipe) },
		`node: ingress: listener "a": must be on`: func() (net.Listener, error) { return new(Ingress).Listener("a", "api", pipe) },
	} {
		if _, err := try(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %s, got %v", want, err)
		}
	}
}

// TestIngressOfNothing: no Ingress, and one that nobody made, let nothing in.
func TestIngressOfNothing(t *testing.T) {
	for _, in := range []*Ingress{nil, {}} {
		if list, complete := in.Listeners(); complete || list != nil {
			t.Error("complete")
		}
		if _, available := in.Capacity(); available {
			t.Error("available")
		}
		release, ok := in.Hold(0)
		if release(); ok {
			t.Error("it held")
		}
		answer := httptest.NewRecorder()
		in.Handler(http.NotFoundHandler()).ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/", nil))
		if answer.Code != http.StatusServiceUnavailable {
			t.Errorf("status %d", answer.Code)
		}
	}
	answer := httptest.NewRecorder()
	ingressOf(t, Limits{}, "a").Handler(nil).ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/", nil))
	if answer.Code != http.StatusServiceUnavailable {
		t.Errorf("status %d without a handler", answer.Code)
	}
}

func TestDefaultLimits(t *testing.T) {
	got, available := ingressOf(t, Limits{}, "a").Capacity()
	want := observation.Capacity{
		Connections: observation.Use{Limit: DefaultConnections},
		Exchanges:   observation.Use{Limit: DefaultExchanges},
		Buffers:     observation.Use{Limit: DefaultConnections},
	}
	if diff := cmp.Diff(want, got); diff != "" || !available {
		t.Error(diff)
	}
}

// TestConnections fills an ingress of two listeners: the limit is for both, what
// is over it waits and is served later, and each connection gives back one place.
func TestConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := ingressOf(t, Limits{Connections: 2}, "a", "b")
		pipes := map[string]*pipeListener{"a": newPipe(), "b": newPipe()}
		accepted := make(chan net.Conn, 10)
		for name, p := range pipes {
			l, err := in.Listener(name, "api", p)
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				for {
					conn, err := l.Accept()
					if err != nil {
						return
					}
					accepted <- conn
				}
			}()
			defer l.Close()
		}
		wantUse := func(inUse int64) {
			t.Helper()
			synctest.Wait()
			got, _ := in.Capacity()
			want := observation.Use{InUse: inUse, Limit: 2}
			if got.Connections != want || got.Buffers != want {
				t.Errorf("connections %+v, buffers %+v, want %+v", got.Connections, got.Buffers, want)
			}
		}
		wantUse(0)
		first := pipes["a"].dial()
		wantUse(1)
		second := pipes["b"].dial()
		wantUse(2)
		third := pipes["a"].dial() // accepted, and not handed out
		wantUse(2)
		if len(accepted) != 2 {
			t.Errorf("%d connections, want 2", len(accepted))
		}
		if list, complete := in.Listeners(); !complete || !list[0].Live || !list[1].Live {
			t.Error("a full listener is not live")
		}
		conn := <-accepted
		_ = conn.Close()
		_ = conn.Close() // gives back nothing more
		wantUse(2)
		if len(accepted) != 2 {
			t.Error("the third was not served")
		}
		for range 2 {
			_ = (<-accepted).Close()
		}
		wantUse(0)
		for _, c := range []net.Conn{first, second, third} {
			_ = c.Close()
		}
	})
}

// TestCloseFreesWhoWaits: an Accept that waits for room ends with its listener.
func TestCloseFreesWhoWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, p := ingressOf(t, Limits{Connections: 1}, "a"), newPipe()
		l, err := in.Listener("a", "api", p)
		must(t, err)
		one := p.dial()
		held, err := l.Accept()
		must(t, err)
		other := p.dial()
		ended := make(chan error)
		go func() { _, err := l.Accept(); ended <- err }()
		synctest.Wait()
		must(t, l.Close())
		if err := <-ended; err != net.ErrClosed { //nolint:errorlint // net/http compares with errors.Is, others do not
			t.Error(err)
		}
		if _, err := other.Read(make([]byte, 1)); err != io.EOF { //nolint:errorlint // as above
			t.Errorf("the one that waited: %v", err)
		}
		must(t, l.Close())
		_ = held.Close()
		_ = one.Close()
		if use, _ := in.Capacity(); use.Connections.InUse != 0 {
			t.Errorf("%+v", use)
		}
		again, err := in.Listener("a", "api", newPipe())
		must(t, err) // a closed one may be replaced
		_ = again.Close()
	})
}

// TestExchanges fills the exchanges: those over the limit are refused at once, and
// one that panics gives its place back.
func TestExchanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := ingressOf(t, Limits{Exchanges: 2}, "a")
		release := make(chan struct{})
		h := in.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/panic" {
				panic("application")
			}
			<-release
		}))
		ask := func(path string) *httptest.ResponseRecorder {
			answer := httptest.NewRecorder()
			defer func() { _ = recover() }()
			h.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, nil))
			return answer
		}
		for range 3 {
			ask("/panic")
		}
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				if got := ask("/"); got.Code != http.StatusOK {
					t.Errorf("status %d", got.Code)
				}
			})
		}
		synctest.Wait()
		got := ask("/")
		if got.Code != http.StatusServiceUnavailable || got.Header().Get("Retry-After") != "1" || got.Body.Len() > 0 {
			t.Errorf("over the limit: %d %v %q", got.Code, got.Header(), got.Body)
		}
		if use, _ := in.Capacity(); use.Exchanges != (observation.Use{InUse: 2, Limit: 2}) || use.Spare() {
			t.Errorf("%+v", use)
		}
		close(release)
		all.Wait()
		if use, _ := in.Capacity(); use.Exchanges.InUse != 0 || !use.Spare() {
			t.Errorf("%+v", use)
		}
	})
}

func TestHold(t *testing.T) {
	in := ingressOf(t, Limits{Buffers: 100}, "a")
	inUse := func() int64 { c, _ := in.Capacity(); return c.Buffers.InUse }
	for _, refused := range []int64{-1, 101, 1<<63 - 1, -1 << 63} {
		if _, ok := in.Hold(refused); ok || inUse() != 0 {
			t.Errorf("it held %d", refused)
		}
	}
	release, ok := in.Hold(99)
	if !ok || inUse() != 99 {
		t.Error("it did not hold 99 of 100")
	}
	if _, ok := in.Hold(2); ok {
		t.Error("it held 101 of 100")
	}
	last, ok := in.Hold(1)
	if c, _ := in.Capacity(); !ok || c.Spare() {
		t.Errorf("%+v", c)
	}
	release()
	release()
	last()
	if inUse() != 0 {
		t.Errorf("%d left", inUse())
	}
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			for range 200 {
				if release, ok := in.Hold(3); ok {
					if inUse() > 100 {
						t.Error("over the limit")
					}
					release()
				}
			}
		})
	}
	all.Wait()
	if inUse() != 0 {
		t.Errorf("%d left", inUse())
	}
	uncounted := ingressOf(t, Limits{}, "a")
	if _, ok := uncounted.Hold(1 << 40); !ok {
		t.Error("refused without a limit")
	}
}

// TestRealIngress serves over TCP: a file is sent by the connection itself, and the
// last request of a kept connection still counts as one.
func TestRealIngress(t *testing.T) {
	in := ingressOf(t, Limits{}, "public")
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	l, err := in.Listener("public", "api", tcp)
	must(t, err)
	var seen observation.Capacity
	server := &http.Server{Handler: in.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen, _ = in.Capacity()
		http.ServeFile(w, r, "ingress.go")
	}))}
	ended := make(chan struct{})
	go func() { defer close(ended); _ = server.Serve(l) }()
	transport := &http.Transport{}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+l.Addr().String(), nil)
	must(t, err)
	response, err := transport.RoundTrip(request)
	must(t, err)
	body, err := io.ReadAll(response.Body)
	if err != nil || !strings.HasPrefix(string(body), "package node") {
		t.Errorf("%v, %d bytes", err, len(body))
	}
	_ = response.Body.Close()
	if seen.Connections.InUse != 1 || seen.Exchanges.InUse != 1 {
		t.Errorf("%+v", seen)
	}
	transport.CloseIdleConnections()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	must(t, server.Shutdown(ctx))
	<-ended
	if use, _ := in.Capacity(); use.Connections.InUse != 0 {
		t.Errorf("%+v", use)
	}
}

// TestCloseWrite ends one side only, where the connection can.
func TestCloseWrite(t *testing.T) {
	if err := (&counted{Conn: nil}).CloseWrite(); err == nil {
		t.Error("closed the sending side of nothing")
	}
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	l := newLimited(tcp, make(slots, 1))
	defer l.Close()
	client, err := net.Dial("tcp", l.Addr().String())
	must(t, err)
	defer client.Close()
	conn, err := l.Accept()
	must(t, err)
	defer conn.Close()
	must(t, conn.(*counted).CloseWrite())
	if _, err := client.Read(make([]byte, 1)); err != io.EOF { //nolint:errorlint // Read's contract
		t.Error(err)
	}
}
