package natskv

import (
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/loopvitals/loopvitals/check/cluster/casmember"
)

var _ casmember.KV = (*KV)(nil)

func TestNewRefuses(t *testing.T) {
	conn := &nats.Conn{} // New asks nobody
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		js     jetstream.JetStream
		bucket string
		opts   []Option
		want   string
	}{
		"nil":                 {nil, "members", nil, "natskv: js nil: must not be nil"},
		"no bucket":           {js, "", nil, `natskv: bucket "": must be letters, digits, - and _`},
		"dot":                 {js, "a.b", nil, `natskv: bucket "a.b": must be letters, digits, - and _`},
		"wildcard":            {js, "*", nil, `natskv: bucket "*": must be letters, digits, - and _`},
		"line feed":           {js, "members\n", nil, `natskv: bucket "members\n": must be letters, digits, - and _`},
		"no replicas":         {js, "members", []Option{WithReplicas(0)}, "natskv: replicas 0: must be 1 to 5"},
		"too many replicas":   {js, "members", []Option{WithReplicas(6)}, "natskv: replicas 6: must be 1 to 5"},
		"one of many options": {js, "members", []Option{nil, WithReplicas(3), WithReplicas(-1)}, "natskv: replicas -1: must be 1 to 5"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := New(test.js, test.bucket, test.opts...); err == nil || err.Error() != test.want {
				t.Errorf("error %v, want %s", err, test.want)
			}
		})
	}
	if _, err := New(js, "Members_of-1", nil, WithReplicas(5)); err != nil {
		t.Errorf("error %v, want none", err)
	}
}

// What is made must not forget by itself.
func TestBucketIsMade(t *testing.T) {
	s := startServer(t)
	kv := newKV(t, s.address())
	if _, err := kv.Create(t.Context(), "a.1", []byte("one")); err != nil {
		t.Fatal(err)
	}
	stream, err := connect(t, s.address()).Stream(t.Context(), "KV_"+bucketOfTests)
	if err != nil {
		t.Fatal(err)
	}
	c := stream.CachedInfo().Config
	if c.MaxAge != 0 || c.SubjectDeleteMarkerTTL != 0 || c.MaxMsgsPerSubject != 8 || c.Replicas != 1 || c.Storage != jetstream.FileStorage {
		t.Errorf("max age %v, marker TTL %v, history %d, replicas %d, storage %v: want none, none, 8, 1, file",
			c.MaxAge, c.SubjectDeleteMarkerTTL, c.MaxMsgsPerSubject, c.Replicas, c.Storage)
	}
}

func TestBucketsThatDoNotSuit(t *testing.T) {
	s := startServer(t)
	js := connect(t, s.address())
	origin := jetstream.StreamConfig{Name: "KV_origin", Subjects: []string{"$KV.origin.>"}, MaxMsgsPerSubject: 1}
	if _, err := js.CreateStream(t.Context(), origin); err != nil {
		t.Fatal(err)
	}
	for bucket, test := range map[string]struct {
		change func(*jetstream.StreamConfig)
		want   string
	}{
		"ttl":      {func(c *jetstream.StreamConfig) { c.MaxAge = 1e9 }, "TTL 1s: must be none"},
		"messages": {func(c *jetstream.StreamConfig) { c.MaxMsgs = 10 }, "maximum of messages 10: must be none"},
		"bytes":    {func(c *jetstream.StreamConfig) { c.MaxBytes = 1e6 }, "maximum of bytes 1000000 that discards old messages"},
		"mirror": {func(c *jetstream.StreamConfig) {
			c.Subjects, c.Mirror = nil, &jetstream.StreamSource{Name: "KV_origin"}
		}, "must be the original"},
		"sources": {func(c *jetstream.StreamConfig) { c.Sources = []*jetstream.StreamSource{{Name: "KV_origin"}} }, "must be the original"},
	} {
		t.Run(bucket, func(t *testing.T) {
			c := jetstream.StreamConfig{Name: "KV_" + bucket, Subjects: []string{"$KV." + bucket + ".>"}, MaxMsgsPerSubject: 1}
			test.change(&c)
			if _, err := js.CreateStream(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			kv, err := New(js, bucket)
			if err != nil {
				t.Fatal(err)
			}
			_, err = kv.Create(t.Context(), "a.1", []byte("one"))
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "natskv: create: bucket "+bucket+": ") {
				t.Errorf("error %v, want one with the bucket and %q", err, test.want)
			}
			if err := kv.Watch(t.Context(), func(casmember.Event) { t.Error("told an event") }); err == nil {
				t.Error("no error of Watch, want the same")
			}
		})
	}
	// One that discards new messages when it is full loses nothing.
	kv, err := New(js, "full")
	if err != nil {
		t.Fatal(err)
	}
	c := jetstream.KeyValueConfig{Bucket: "full", MaxBytes: 1e6, History: 5}
	if _, err := js.CreateKeyValue(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if _, err := kv.Create(t.Context(), "a.1", []byte("one")); err != nil {
		t.Errorf("error %v, want none", err)
	}
}
