package cluster_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopvitals/loopvitals/check/cluster"
)

func TestParseAddress(t *testing.T) {
	longest := strings.Repeat("a", 253)
	for s, want := range map[string]string{
		"10.0.0.1:4053":                 "10.0.0.1:4053",
		"127.0.0.1:1":                   "127.0.0.1:1",
		"10.0.0.1:65535":                "10.0.0.1:65535",
		"10.0.0.1:0080":                 "10.0.0.1:80",
		"[::1]:4053":                    "[::1]:4053",
		"[2001:DB8:0:0::1]:4053":        "[2001:db8::1]:4053",
		"[::ffff:10.0.0.1]:4053":        "10.0.0.1:4053",
		"[10.0.0.1]:4053":               "10.0.0.1:4053",
		"localhost:4053":                "localhost:4053",
		"Node-1.Example.COM:4053":       "node-1.example.com:4053",
		"node-1.example.com.:4053":      "node-1.example.com:4053",
		"orders_1:4053":                 "orders_1:4053",
		"10.0.0.1.example:4053":         "10.0.0.1.example:4053",
		longest + ":4053":               longest + ":4053",
		"xn--bcher-kva.example.com:443": "xn--bcher-kva.example.com:443",
	} {
		if got, err := cluster.ParseAddress(s); got != want || err != nil {
			t.Errorf("ParseAddress(%q) = %q, %v, want %q", s, got, err, want)
		}
	}
}

func TestParseAddressRefuses(t *testing.T) {
	for s, bound := range map[string]string{
		"":                                "must be host:port",
		"10.0.0.1":                        "must be host:port",
		"::1:4053":                        "must be host:port",
		"[::1]":                           "must be host:port",
		"10.0.0.1:4053:1":                 "must be host:port",
		"http://10.0.0.1:4053":            "must be host:port",
		"10.0.0.1:":                       "the port must be",
		"10.0.0.1:0":                      "the port must be",
		"10.0.0.1:65536":                  "the port must be",
		"10.0.0.1:-1":                     "the port must be",
		"10.0.0.1:+1":                     "the port must be",
		"10.0.0.1:http":                   "the port must be",
		"10.0.0.1:4053 ":                  "the port must be",
		":4053":                           "the host must have",
		".:4053":                          "the host must have",
		strings.Repeat("a", 254) + ":1":   "the host must have",
		" 10.0.0.1:4053":                  "the host must be an IP address",
		"node 1:4053":                     "the host must be an IP address",
		"node\n1:4053":                    "the host must be an IP address",
		"node\x00:4053":                   "the host must be an IP address",
		"node..example:4053":              "the host must be an IP address",
		".example:4053":                   "the host must be an IP address",
		"bücher.example:4053":             "the host must be an IP address",
		"a/b:4053":                        "the host must be an IP address",
		"10.0.0.010:4053":                 "the host must be a whole IP address",
		"10.0.1:4053":                     "the host must be a whole IP address",
		"10.0.0.256:4053":                 "the host must be a whole IP address",
		"0.0.0.0:4053":                    "not the unspecified one",
		"[::]:4053":                       "not the unspecified one",
		"[::ffff:0.0.0.0]:4053":           "not the unspecified one",
		"[fe80::1%eth0]:4053":             "must not have a zone",
		"[::1%25]:4053":                   "must not have a zone",
		"\xff\xfe:4053":                   "the host must be an IP address",
		"\u00a010.0.0.1:4053":             "the host must be an IP address",
		"xn--caf-dma.example\u202e:4053":  "the host must be an IP address",
		strings.Repeat("a.", 127) + ":80": "", // 127 labels and a dot at the end
	} {
		got, err := cluster.ParseAddress(s)
		if bound == "" {
			if err != nil {
				t.Errorf("ParseAddress(%q): %v", s, err)
			}
			continue
		}
		if got != "" || err == nil || !strings.Contains(err.Error(), bound) || !strings.HasPrefix(err.Error(), "cluster: address ") {
			t.Errorf("ParseAddress(%q) = %q, %v, want an error with %q", s, got, err, bound)
		}
		if err != nil && strings.ContainsAny(err.Error(), "\n\x00") {
			t.Errorf("the error shows control characters: %q", err)
		}
	}
}

// TestParseAddressIsCanonical: what it returns is its own canonical form.
func TestParseAddressIsCanonical(t *testing.T) {
	part := rapid.SampledFrom([]string{"a", "B", "1", "0", ".", ":", "-", "[", "]", "::", "%", "ffff", "10.0.0.1", "_"})
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(part, 0, 6).Draw(t, "host"), "") + ":" + rapid.StringMatching(`[0-9]{1,6}`).Draw(t, "port")
		once, err := cluster.ParseAddress(s)
		if err != nil {
			return
		}
		if twice, err := cluster.ParseAddress(once); twice != once || err != nil {
			t.Errorf("%q becomes %q and then %q, %v", s, once, twice, err)
		}
	})
}
