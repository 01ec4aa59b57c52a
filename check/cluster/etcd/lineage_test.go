package etcd

import (
	"context"
	"errors"
	"strings"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/loopvitals/loopvitals/check/cluster/casmember"
)

func TestLineage(t *testing.T) {
	type answer struct {
		cluster           uint64
		revision, atLeast int64
	}
	for name, test := range map[string]struct {
		answers []answer
		want    string // of the last
	}{
		"grows":                     {[]answer{{7, 1, 0}, {7, 5, 1}}, ""},
		"stands still":              {[]answer{{7, 5, 0}, {7, 5, 5}}, ""},
		"an old answer comes late":  {[]answer{{7, 5, 0}, {7, 4, 3}}, ""},
		"went back":                 {[]answer{{7, 5, 0}, {7, 4, 5}}, "revision 4: was 5 before"},
		"another cluster":           {[]answer{{7, 5, 0}, {8, 9, 5}}, "cluster 8: was 7 before"},
		"what is broken stays so":   {[]answer{{7, 5, 0}, {8, 9, 5}, {7, 10, 5}}, "cluster 8: was 7 before"},
		"newest is what was larger": {[]answer{{7, 5, 0}, {7, 4, 0}, {7, 4, -1}}, "revision 4: was 5 before"},
	} {
		t.Run(name, func(t *testing.T) {
			var l lineage
			var err error
			for _, a := range test.answers {
				if a.atLeast < 0 {
					a.atLeast = l.newest()
				}
				err = l.observe(a.cluster, a.revision, a.atLeast)
			}
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("error %v, want %q", err, test.want)
			}
			if !errors.Is(l.err(), err) {
				t.Errorf("error %v afterwards, want %v", l.err(), err)
			}
		})
	}
}

// A store that lost what it had counts anew, so a process that has seen the old
// one must not join it.
func TestStoreThatLostItsRecords(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	kv := newKV(t, s.address())
	var revision uint64
	for _, key := range []string{"a.1", "b.1", "c.1"} {
		var err error
		if revision, err = kv.Create(t.Context(), key, []byte("one")); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := listed(t, kv), "a.1=one b.1=one c.1=one "; got != want {
		t.Fatalf("list %q, want %q", got, want)
	}
	kv.client.SetEndpoints("127.0.0.1:1") // hangs up, which makes the stop fast
	s.stop(t)
	s.folder = t.TempDir()
	s.start(t)
	kv.client.SetEndpoints(s.address())

	refused := func(what string, err error) {
		t.Helper()
		if err == nil || errors.Is(err, casmember.ErrGone) || errors.Is(err, casmember.ErrConflict) ||
			!strings.Contains(err.Error(), "restart this process") {
			t.Errorf("%s: error %v, want one that says what to do", what, err)
		}
	}
	refused("watch", kv.Watch(t.Context(), func(e casmember.Event) { t.Errorf("told %v", e) }))
	_, err := kv.Update(t.Context(), "c.1", []byte("two"), revision)
	refused("update", err)
	_, err = kv.Update(t.Context(), "c.1", []byte("two"), 0)
	refused("update at 0", err)
	_, err = kv.Get(t.Context(), "c.1")
	refused("get", err)
	_, err = kv.Create(t.Context(), "d.1", []byte("one"))
	refused("create", err)
	refused("delete", kv.Delete(t.Context(), "c.1", revision))

	fresh, err := New(connect(t, clientv3.Config{}, s.address()), prefixOfTests)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fresh.Create(t.Context(), "a.1", []byte("one")); err != nil {
		t.Errorf("a new process: error %v, want none", err)
	}
}

// listed is what one watch tells first, in its order.
func listed(t testing.TB, kv *KV) string {
	t.Helper()
	var list strings.Builder
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := kv.Watch(ctx, func(e casmember.Event) {
		switch e.Kind {
		case casmember.Put:
			list.WriteString(e.Key + "=" + string(e.Value) + " ")
		case casmember.Synced:
			cancel()
		}
	})
	if ctx.Err() == nil {
		t.Fatal(err)
	}
	return list.String()
}
