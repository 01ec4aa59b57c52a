package link

import (
	"bufio"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// echo answers every line with the same line.
func echo(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				_, _ = io.Copy(c, c)
			}()
		}
	}()
	t.Cleanup(func() {
		listener.Close()
		<-done
	})
	return listener.Addr().String()
}

func open(t *testing.T) (*Link, net.Conn, *bufio.Reader) {
	t.Helper()
	l, err := Listen("127.0.0.1:0", echo(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	c, err := net.Dial("tcp", l.Address())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return l, c, bufio.NewReader(c)
}

func say(t *testing.T, c net.Conn, line string) {
	t.Helper()
	if _, err := io.WriteString(c, line+"\n"); err != nil {
		t.Fatal(err)
	}
}

func hear(t *testing.T, c net.Conn, r *bufio.Reader, want string) {
	t.Helper()
	_ = c.SetReadDeadline(time.Now().Add(20 * time.Second))
	if got, err := r.ReadString('\n'); err != nil || got != want+"\n" {
		t.Fatalf("got %q, %v; want %q", got, err, want)
	}
}

// silence fails when anything arrives. It cannot wait for nothing, so it gives a
// wrong answer some time to come.
func silence(t *testing.T, c net.Conn, r *bufio.Reader) {
	t.Helper()
	_ = c.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
	if got, err := r.ReadString('\n'); !os.IsTimeout(err) {
		t.Fatalf("got %q, %v; want nothing and an open connection", got, err)
	}
}

func TestSilentWireKeepsConnectionsAndBytes(t *testing.T) {
	for _, c := range []struct {
		name string
		d    Direction
	}{{"requests", Requests}, {"answers", Answers}, {"both", Both}} {
		t.Run(c.name, func(t *testing.T) {
			l, conn, r := open(t)
			say(t, conn, "before")
			hear(t, conn, r, "before")
			l.Silence(c.d)
			say(t, conn, "during")
			silence(t, conn, r)
			l.Mend()
			hear(t, conn, r, "during")
		})
	}
}

func TestNewConnectionOverASilentWire(t *testing.T) {
	l, _, _ := open(t)
	l.Silence(Both)
	c, err := net.Dial("tcp", l.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	r := bufio.NewReader(c)
	say(t, c, "hello")
	silence(t, c, r)
	l.Mend()
	hear(t, c, r, "hello")
}

func TestNobodyAtTheOtherEnd(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := listener.Addr().String()
	listener.Close()
	l, err := Listen("127.0.0.1:0", nobody)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := net.Dial("tcp", l.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetReadDeadline(time.Now().Add(20 * time.Second))
	if _, err := c.Read(make([]byte, 1)); err == nil || os.IsTimeout(err) {
		t.Fatalf("got %v, want a closed connection", err)
	}
}

func TestCloseEndsWhatIsSilent(t *testing.T) {
	l, conn, r := open(t)
	say(t, conn, "before")
	hear(t, conn, r, "before")
	l.Silence(Both)
	say(t, conn, "during")
	l.Close()
	_ = conn.SetReadDeadline(time.Now().Add(20 * time.Second))
	if _, err := conn.Read(make([]byte, 1)); err == nil || os.IsTimeout(err) {
		t.Fatalf("got %v, want a closed connection", err)
	}
}
