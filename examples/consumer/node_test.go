package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/tiers/adapter/node"
	"github.com/loopvitals/loopvitals/tiers/adapter/observation"
)

// nodeTest is a node under test.
type nodeTest struct {
	*testing.T
	*app
	client *http.Client
	door   string // its URL
}

func nodeSettingsOf(folder string) nodeSettings {
	return nodeSettings{
		name: "consumer-1", ingress: "127.0.0.1:0",
		socket: filepath.Join(folder, "observe.sock"), token: filepath.Join(folder, "token"), state: filepath.Join(folder, "clock"),
	}
}

// startNodeTest starts a node and stops it at the end of the test.
func startNodeTest(t *testing.T) *nodeTest {
	t.Helper()
	folder := t.TempDir()
	must(t, os.WriteFile(filepath.Join(folder, "token"), []byte("0123456789abcdef\n"), 0o600))
	s := quick()
	s.node = nodeSettingsOf(folder)
	a, err := startApp(t.Context(), s, new(tape).logger())
	must(t, err)
	client := &http.Client{Transport: &http.Transport{}, Timeout: 5 * time.Second}
	t.Cleanup(func() {
		client.CloseIdleConnections()
		must(t, a.stop())
	})
	n := &nodeTest{T: t, app: a, client: client}
	n.door = "http://" + n.observe().Inventory.Listeners[0].Address
	return n
}

// observe asks as the command does.
func (n *nodeTest) observe() observation.Document {
	n.Helper()
	text, err := node.Observe(n.Context(), n.settings.node.socket, n.settings.node.token)
	must(n.T, err)
	d, err := observation.Decode(text)
	must(n.T, err)
	return d
}

// sees waits until the document has it.
func (n *nodeTest) sees(what string, ok func(observation.Document) bool) {
	n.Helper()
	eventually(n.T, what, func() bool { return ok(n.observe()) })
}

func good(d observation.Document) bool {
	return d.Result == observation.Succeeded && d.Pressure.Available && d.Inventory.Live() && d.Native.Healthy && d.Native.Owner
}

// place posts an order.
func (n *nodeTest) place(body string) (code int, text string) {
	n.Helper()
	r, err := http.NewRequestWithContext(n.Context(), http.MethodPost, n.door+"/orders", strings.NewReader(body))
	must(n.T, err)
	res, err := n.client.Do(r)
	must(n.T, err)
	defer res.Body.Close()
	all, err := io.ReadAll(res.Body)
	must(n.T, err)
	return res.StatusCode, string(all)
}

// crowd has customers come to the door, who say no more than this until they leave.
func (n *nodeTest) crowd(size int, say string) (leave func()) {
	n.Helper()
	guests := make([]net.Conn, size)
	for i := range guests {
		c, err := net.Dial("tcp", strings.TrimPrefix(n.door, "http://"))
		must(n.T, err)
		n.Cleanup(func() { _ = c.Close() })
		_, err = io.WriteString(c, say)
		must(n.T, err)
		guests[i] = c
	}
	return func() {
		for _, c := range guests {
			_ = c.Close()
		}
	}
}

const anOrder = `{"customer":"customer-1","cents":250}`

// TestNodeTellsAboutItself walks through what a supervisor must be told.
func TestNodeTellsAboutItself(t *testing.T) {
	n := startNodeTest(t)
	n.sees("good and ready", func(d observation.Document) bool { return good(d) && d.Activation.Ready && d.Capacity.Spare() })
	d := n.observe()
	if d.Identity.Node != "consumer-1" || d.Identity.Instance == "" {
		t.Errorf("%+v", d.Identity)
	}

	// A dependency that is away takes readiness only: no restart brings it back.
	must(t, n.db.goAway())
	n.sees("live and not ready", func(d observation.Document) bool { return good(d) && !d.Activation.Ready })
	must(t, n.db.comeBack())
	n.sees("ready again", func(d observation.Document) bool { return good(d) && d.Activation.Ready })

	// A damaged file takes everything, and orders with it.
	state := n.settings.node.state
	whole, err := os.ReadFile(state)
	must(t, err)
	must(t, os.WriteFile(state, bytes.Replace(whole, []byte("0"), []byte("1"), 1), 0o600))
	n.sees("not healthy", func(d observation.Document) bool { return !d.Native.Healthy && d.Result == observation.Succeeded })
	if code, text := n.place(anOrder); code != http.StatusServiceUnavailable {
		t.Errorf("an order without a clock: %d %s", code, text)
	}
	must(t, os.WriteFile(state, whole, 0o600))
	n.sees("healthy again", good)

	// Another lock in the place of its own, and another owner may come.
	must(t, os.Rename(state+".lock", state+".away"))
	n.sees("not the owner", func(d observation.Document) bool { return !d.Native.Owner && d.Native.Healthy })
	must(t, os.Rename(state+".away", state+".lock"))
	n.sees("the owner again", good)
}

// TestFullDoor fills each of the limits in turn.
func TestFullDoor(t *testing.T) {
	n := startNodeTest(t)
	n.sees("ready", func(d observation.Document) bool { return good(d) && d.Activation.Ready })

	// Connections, by customers that say nothing.
	leave := n.crowd(limits.Connections, "")
	n.sees("no connection to spare, and nothing else wrong", func(d observation.Document) bool {
		return good(d) && d.Activation.Ready && !d.Capacity.Connections.Spare() && d.Capacity.Exchanges.Spare()
	})
	leave()
	n.sees("room again", func(d observation.Document) bool { return good(d) && d.Capacity.Spare() })

	// Exchanges and buffers, by orders that never come to their end.
	leave = n.crowd(limits.Exchanges, "POST /orders HTTP/1.1\r\nHost: door\r\nContent-Length: 100\r\n\r\n{")
	n.sees("no exchange to spare, and nothing else wrong", func(d observation.Document) bool {
		return good(d) && d.Activation.Ready && !d.Capacity.Exchanges.Spare() && d.Capacity.Connections.Spare() &&
			d.Capacity.Buffers.InUse == int64(limits.Exchanges)*largestOrder
	})
	if code, _ := n.place(anOrder); code != http.StatusServiceUnavailable {
		t.Errorf("one exchange too many: %d", code)
	}
	leave()
	n.sees("room again", func(d observation.Document) bool {
		return good(d) && d.Capacity.Exchanges.InUse == 0 && d.Capacity.Buffers.InUse == 0
	})
	if code, text := n.place(anOrder); code != http.StatusCreated {
		t.Errorf("%d %s", code, text)
	}
}

// TestOrdersAtTheDoor get numbers, and are stored and billed as all others are.
func TestOrdersAtTheDoor(t *testing.T) {
	n := startNodeTest(t)
	n.publisher.stop()
	before := n.publisher.placed.Load()
	for i := range uint64(3) {
		code, text := n.place(anOrder)
		var r receipt
		if err := json.Unmarshal([]byte(text), &r); code != http.StatusCreated || err != nil || r.Number != i+1 {
			t.Errorf("order %d: %d %s", i, code, text)
		}
	}
	for _, body := range []string{"", "{}", `{"customer":"c"}`, `{"cents":1}`, `{"customer":"c","cents":-1}`, "null", strings.Repeat(" ", largestOrder) + anOrder} {
		if code, _ := n.place(body); code != http.StatusBadRequest {
			t.Errorf("%.40q: %d", body, code)
		}
	}
	eventually(t, "all orders are stored and billed", func() bool {
		rec := httptest.NewRecorder()
		n.countOrders(rec, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/orders", http.NoBody))
		var c orderCounts
		must(t, json.Unmarshal(rec.Body.Bytes(), &c))
		return c == orderCounts{before + 3, before + 3, int(before) + 3}
	})
}

// TestNodeThatCannotStart says which flag is to blame, and leaves nothing open.
func TestNodeThatCannotStart(t *testing.T) {
	folder := t.TempDir()
	must(t, os.WriteFile(filepath.Join(folder, "token"), []byte("0123456789abcdef"), 0o600))
	must(t, os.WriteFile(filepath.Join(folder, "open"), []byte("0123456789abcdef"), 0o644))
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer taken.Close()
	owner := openTest(t, filepath.Join(folder, "owned"))
	defer owner.close()
	for want, change := range map[string]func(*nodeSettings){
		"another process has it": func(s *nodeSettings) { s.state = filepath.Join(folder, "owned") },
		"address already in use": func(s *nodeSettings) { s.ingress = taken.Addr().String() },
		"token":                  func(s *nodeSettings) { s.token = filepath.Join(folder, "open") },
		"socket":                 func(s *nodeSettings) { s.socket = "relative.sock" },
		"without control":        func(s *nodeSettings) { s.name = "line\nfeed" },
	} {
		s := quick()
		s.node = nodeSettingsOf(folder)
		change(&s.node)
		if _, err := startApp(t.Context(), s, new(tape).logger()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	s := quick()
	s.node = nodeSettingsOf(folder)
	a, err := startApp(t.Context(), s, new(tape).logger())
	must(t, err)
	must(t, a.stop())
	if _, err := os.Stat(s.node.socket); !os.IsNotExist(err) {
		t.Errorf("the socket is still there: %v", err)
	}
}

// TestNodeFlagsBelongTogether leaves out one after the other.
func TestNodeFlagsBelongTogether(t *testing.T) {
	all := []string{"-serve=127.0.0.1:0", "-node=n", "-ingress=127.0.0.1:0", "-observe=/s", "-token-file=/t", "-state=/c"}
	if _, address, s, ok := parse(all, io.Discard); !ok || address != "127.0.0.1:0" || s.node != (nodeSettings{"n", "127.0.0.1:0", "/s", "/t", "/c"}) {
		t.Errorf("%v %s %+v", ok, address, s.node)
	}
	for i := range all {
		some := append(append([]string{}, all[:i]...), all[i+1:]...)
		var said bytes.Buffer
		if _, _, _, ok := parse(some, &said); ok || said.Len() == 0 {
			t.Errorf("%q: %v %s", some, ok, said.String())
		}
	}
	if _, _, _, ok := parse(append([]string{"-demo"}, all[1:]...), io.Discard); ok {
		t.Error("a demo that is a node")
	}
}

// TestManifestsStartTheConsumer takes the flags out of the files beside the adapter.
func TestManifestsStartTheConsumer(t *testing.T) {
	flag := regexp.MustCompile(`-(serve|ingress|node|observe|token-file|state)=[^\s",]+`)
	for file, count := range map[string]int{"pod.yaml": 6, "pod-hostnetwork.yaml": 6, "consumer.service": 6, "Dockerfile": 1} {
		text, err := os.ReadFile("../adapter/" + file)
		must(t, err)
		args := flag.FindAllString(string(text), -1)
		var said bytes.Buffer
		if _, _, _, ok := parse(args, &said); !ok || len(args) != count {
			t.Errorf("%s: %q: %s", file, args, said.String())
		}
	}
}
