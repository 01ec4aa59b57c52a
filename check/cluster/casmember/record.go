package casmember

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// record is what a node writes of itself.
type record struct {
	key    cluster.Key
	status cluster.Status
	roles  []string
	age    uint64 // 0 in the first record that is Up: its revision is the age
	ttl    time.Duration
	meta   map[string]string
}

// wire is a record as the engine stores it. A later version may add fields, and
// keeps the meaning of these: a member that an older version could not read would
// be one that it does not wait for.
type wire struct {
	Version     int               `json:"v"`
	Address     string            `json:"address"`
	Incarnation string            `json:"incarnation"`
	Status      string            `json:"status"`
	Roles       []string          `json:"roles,omitempty"`
	Age         uint64            `json:"age,omitempty"`
	TTL         int64             `json:"ttlMs"`
	Meta        map[string]string `json:"meta,omitempty"`
}

const wireVersion = 1

// statuses are what a record can say; a node writes nothing else of itself.
var statuses = map[string]cluster.Status{
	cluster.Joining.String(): cluster.Joining,
	cluster.Up.String():      cluster.Up,
	cluster.Leaving.String(): cluster.Leaving,
	cluster.Exiting.String(): cluster.Exiting,
}

// encode returns the value to write.
func (r record) encode() ([]byte, error) {
	return json.Marshal(wire{
		Version: wireVersion,
		Address: r.key.Address, Incarnation: r.key.Incarnation,
		Status: r.status.String(), Roles: r.roles, Age: r.age,
		TTL: r.ttl.Milliseconds(), Meta: r.meta,
	})
}

// decode reads the record that is stored under the name.
func decode(name string, value []byte) (record, error) {
	var w wire
	if err := json.Unmarshal(value, &w); err != nil {
		return record{}, errors.New("it is no record of a member")
	}
	if w.Version < wireVersion {
		return record{}, fmt.Errorf("version %d: must be at least %d", w.Version, wireVersion)
	}
	r := record{
		key:    cluster.Key{Address: w.Address, Incarnation: w.Incarnation},
		status: statuses[w.Status], // Unknown where it says something else
		roles:  w.Roles, age: w.Age,
		ttl:  min(max(time.Duration(w.TTL)*time.Millisecond, shortestTTL), longestTTL),
		meta: w.Meta,
	}
	if r.name() != name {
		return record{}, fmt.Errorf("it belongs to %s", r.name())
	}
	return r, nil
}

// name is the key of the record in the engine. Addresses have characters that
// engines refuse in keys; what is lost by replacing them the incarnation makes
// up for.
func (r record) name() string {
	return strings.Map(plain, r.key.Address) + "." + r.key.Incarnation
}

// plain replaces what not every engine takes in a key.
func plain(c rune) rune {
	switch {
	case c >= '0' && c <= '9', c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z', c == '-':
		return c
	}
	return '_'
}
