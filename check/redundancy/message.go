package redundancy

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// messageVersion is the form of the messages. A later one may add fields, which this
// one does not look at, and is another version once it changes what these mean.
const messageVersion = 1

const (
	kindSnapshot = "snapshot"
	kindProbe    = "probe"
)

var (
	// errGarbage is a message that cannot be read, or that nobody would send.
	errGarbage = errors.New("redundancy: no message")
	// errVersion is a message in a form that this version does not know.
	errVersion = errors.New("redundancy: a message of another version")
)

// message is what was read from a bus: one of the two.
type message struct {
	snapshot *snapshot
	probe    *probeResult
}

// wireSnapshot and wireProbe are the messages as they travel.
type wireSnapshot struct {
	Version  int        `json:"v"`
	Kind     string     `json:"kind"`
	Token    uint64     `json:"token"`
	Sequence uint64     `json:"sequence"`
	Revision uint64     `json:"revision"`
	Role     string     `json:"role"`
	Builder  string     `json:"builder"`
	BuiltAt  time.Time  `json:"builtAt"`
	Nodes    []wireNode `json:"nodes"`
}

type wireNode struct {
	Node string `json:"node"`
	Role string `json:"role"`
}

type wireProbe struct {
	Version  int       `json:"v"`
	Kind     string    `json:"kind"`
	Prober   wireKey   `json:"prober"`
	Probed   wireKey   `json:"probed"`
	Sequence uint64    `json:"sequence"`
	OK       bool      `json:"ok"`
	ProbedAt time.Time `json:"probedAt"`
}

type wireKey struct {
	Address     string `json:"address"`
	Incarnation string `json:"incarnation"`
}

// encodeSnapshot returns the message. It refuses what decode would: nobody could read
// it.
func encodeSnapshot(s *snapshot) ([]byte, error) {
	w := wireSnapshot{
		Version: messageVersion, Kind: kindSnapshot,
		Token: s.Token, Sequence: s.Sequence, Revision: s.Revision,
		Role: s.Role, Builder: s.Builder, BuiltAt: s.BuiltAt.UTC(),
		Nodes: make([]wireNode, len(s.Nodes)),
	}
	for i, n := range s.Nodes {
		w.Nodes[i] = wireNode{n.Node, n.Role.String()}
	}
	return encode(w)
}

// encodeProbe returns the message, see encodeSnapshot.
func encodeProbe(r probeResult) ([]byte, error) {
	return encode(wireProbe{
		Version: messageVersion, Kind: kindProbe,
		Prober: wireKey(r.prober), Probed: wireKey(r.probed),
		Sequence: r.sequence, OK: r.ok, ProbedAt: r.at.UTC(),
	})
}

func encode(w any) ([]byte, error) {
	b, err := json.Marshal(w)
	if err != nil {
		return nil, fmt.Errorf("redundancy: message: %w", err)
	}
	if _, err := decode(b); err != nil {
		return nil, fmt.Errorf("redundancy: message of %d bytes: must be readable: %w", len(b), err)
	}
	return b, nil
}

// decode reads a message. The error is errGarbage or errVersion. It keeps no hold of
// the bytes.
func decode(b []byte) (message, error) {
	if len(b) > MaxMessage {
		return message{}, errGarbage
	}
	var version struct {
		Version *int `json:"v"`
	}
	if json.Unmarshal(b, &version) != nil || version.Version == nil {
		return message{}, errGarbage
	}
	if *version.Version != messageVersion { // the rest may be anything
		return message{}, errVersion
	}
	var kind struct {
		Kind string `json:"kind"`
	}
	if json.Unmarshal(b, &kind) != nil {
		return message{}, errGarbage
	}
	switch kind.Kind {
	case kindSnapshot:
		s, err := decodeSnapshot(b)
		return message{snapshot: s}, err
	case kindProbe:
		r, err := decodeProbe(b)
		return message{probe: r}, err
	default:
		return message{}, errGarbage
	}
}

func decodeSnapshot(b []byte) (*snapshot, error) {
	var w wireSnapshot
	if json.Unmarshal(b, &w) != nil || w.Token == 0 || w.Sequence == 0 ||
		!canonical(w.Builder) || !writable(w.BuiltAt) || validateRole(w.Role) != nil {
		return nil, errGarbage
	}
	s := &snapshot{
		Token: w.Token, Sequence: w.Sequence, Revision: w.Revision,
		Role: w.Role, Builder: w.Builder, BuiltAt: w.BuiltAt.UTC(),
		Nodes: make([]nodeRole, len(w.Nodes)),
	}
	primaries := 0
	for i, n := range w.Nodes {
		role, known := roleNamed(n.Role)
		if !known || !canonical(n.Node) {
			return nil, errGarbage
		}
		s.Nodes[i] = nodeRole{n.Node, role}
		if role == Primary {
			primaries++
		}
	}
	if primaries > 1 || !ascending(s.Nodes) {
		return nil, errGarbage
	}
	return s, nil
}

func decodeProbe(b []byte) (*probeResult, error) {
	var w wireProbe
	if json.Unmarshal(b, &w) != nil || w.Sequence == 0 || !writable(w.ProbedAt) ||
		!canonical(w.Prober.Address) || !canonical(w.Probed.Address) || w.Prober == w.Probed {
		return nil, errGarbage
	}
	return &probeResult{
		prober: cluster.Key(w.Prober), probed: cluster.Key(w.Probed),
		sequence: w.Sequence, ok: w.OK, at: w.ProbedAt.UTC(),
	}, nil
}

// canonical tells whether an address is spelled as it is everywhere (S4.5, X20).
func canonical(address string) bool {
	parsed, err := cluster.ParseAddress(address)
	return err == nil && parsed == address
}

// writable tells whether a time can be written in UTC, where it may be in another year
// than it was read.
func writable(t time.Time) bool {
	year := t.UTC().Year()
	return year >= 0 && year <= 9999
}

// ascending tells whether the nodes are in order, none of them twice.
func ascending(nodes []nodeRole) bool {
	for i := range nodes {
		if i > 0 && nodes[i].Node <= nodes[i-1].Node {
			return false
		}
	}
	return true
}

// roleNamed is the role that a word in a message stands for. A snapshot says of
// nobody that its role is unknown; it omits it.
func roleNamed(word string) (Role, bool) {
	for r := RoleUnknown + 1; int(r) < roleCount; r++ {
		if roleNames[r] == word {
			return r, true
		}
	}
	return RoleUnknown, false
}
