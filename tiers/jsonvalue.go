package tiers

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// maxDepth is how deep data may nest. It stops a value that contains itself,
// and stays far below what a goroutine's stack bears.
const maxDepth = 64

// jsonAppender is a value that writes itself into the body. What it wrote is
// taken as it is when it is sound JSON, and left out when not.
type jsonAppender interface {
	AppendJSON(dst []byte) ([]byte, error)
}

// dataEncoder writes one data object. It gives up for good once it has written
// more than a body holds, so that a value that contains itself twice costs a
// body's worth of work and not two to the power of maxDepth.
type dataEncoder struct {
	room int // the length of dst past which there is no use in going on
	over bool
}

// appendValue appends one value of a data object; ok is false, and dst as it
// was, for a value that cannot be encoded. The kinds that checks use most are
// written here; for all others encoding/json is asked. Two kinds differ from
// it on purpose: a duration is its text, since a bare number of nanoseconds
// misleads (X11), and an error is left out, since its text and its fields may
// hold what only the log may see (F51). So is a value of any kind that holds
// an error, at any depth that encoding/json would reach.
func (enc *dataEncoder) appendValue(dst []byte, value any, depth int) (_ []byte, ok bool) {
	enc.over = enc.over || len(dst) > enc.room
	if enc.over || depth > maxDepth {
		return dst, false
	}
	switch v := value.(type) {
	case nil:
		return append(dst, "null"...), true
	case error: // also one that encodes itself
		return dst, false
	case jsonAppender:
		return appendForeign(dst, v.AppendJSON)
	case string:
		if enc.cannotHold(dst, len(v)) {
			return dst, false
		}
		return appendString(dst, v), true
	case bool:
		return strconv.AppendBool(dst, v), true
	case int:
		return strconv.AppendInt(dst, int64(v), 10), true
	case int32:
		return strconv.AppendInt(dst, int64(v), 10), true
	case int64:
		return strconv.AppendInt(dst, v, 10), true
	case uint:
		return strconv.AppendUint(dst, uint64(v), 10), true
	case uint32:
		return strconv.AppendUint(dst, uint64(v), 10), true
	case uint64:
		return strconv.AppendUint(dst, v, 10), true
	case float64:
		return appendFloat(dst, v, 64), true
	case float32:
		return appendFloat(dst, float64(v), 32), true
	case time.Duration:
		return appendString(dst, v.String()), true
	case map[string]any:
		return enc.appendMap(dst, v, depth)
	case []any:
		return appendList(enc, dst, v, depth)
	case []string:
		return appendList(enc, dst, v, depth)
	case []int:
		return appendList(enc, dst, v, depth)
	case []float64:
		return appendList(enc, dst, v, depth)
	}
	s := survey{room: enc.room - len(dst)}
	switch s.walk(reflect.ValueOf(value), 0); {
	case s.refused:
		return dst, false
	case s.room < 0:
		enc.over = true
		return dst, false
	}
	return appendForeign(dst, func([]byte) ([]byte, error) { return json.Marshal(value) })
}

// cannotHold tells that n bytes more are too many, and then gives up before
// they are written.
func (enc *dataEncoder) cannotHold(dst []byte, n int) bool {
	enc.over = enc.over || n > enc.room-len(dst)
	return enc.over
}

// appendMap appends a map inside of data. It is kept when it is empty or when
// nothing in it could be encoded: that it was there is news, too.
func (enc *dataEncoder) appendMap(dst []byte, m map[string]any, depth int) ([]byte, bool) {
	if m == nil {
		return append(dst, "null"...), true
	}
	dst, some := enc.appendData(dst, m, depth)
	if enc.over {
		return dst, false
	}
	if !some {
		dst = append(dst, "{}"...)
	}
	return dst, true
}

// appendList appends a list; an element that cannot be encoded is null, so
// that the others keep their places.
func appendList[T any](enc *dataEncoder, dst []byte, list []T, depth int) ([]byte, bool) {
	if list == nil {
		return append(dst, "null"...), true
	}
	dst = append(dst, '[')
	for i, element := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		var ok bool
		if dst, ok = enc.appendValue(dst, element, depth+1); enc.over {
			return dst, false
		} else if !ok {
			dst = append(dst, "null"...)
		}
	}
	return append(dst, ']'), true
}

// leastPair is the length of the shortest pair of an object but its empty key.
const leastPair = len(`"k":0,`)

// appendData appends an object with sorted keys, none repeated. A value that
// cannot be encoded is left out with its key, so that one bad value never
// costs the reader the rest (CASE-112). When nothing is left, some is false
// and dst as it was.
func (enc *dataEncoder) appendData(dst []byte, data map[string]any, depth int) (_ []byte, some bool) {
	if enc.cannotHold(dst, leastPair*(len(data)-1)) {
		return dst, false
	}
	var space [16]string
	keys := space[:0]
	for key := range data {
		if !utf8.ValidString(key) {
			return enc.appendData(dst, withValidKeys(data), depth)
		}
		keys = append(keys, key)
	}
	slices.Sort(keys)

	start := len(dst)
	dst = append(dst, '{')
	for _, key := range keys {
		if enc.cannotHold(dst, len(key)) {
			return dst[:start], false
		}
		mark := len(dst)
		if some {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, key), ':')
		var ok bool
		if dst, ok = enc.appendValue(dst, data[key], depth+1); enc.over {
			return dst[:start], false
		} else if !ok {
			dst = dst[:mark]
			continue
		}
		some = true
	}
	if !some {
		return dst[:start], false
	}
	return append(dst, '}'), true
}

// withValidKeys returns data with keys of valid UTF-8. Keys that become one
// would be one key twice in the body: the first in byte order stays.
func withValidKeys(data map[string]any) map[string]any {
	keys := make([]string, 0, len(data))
	for key := range data {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	valid := make(map[string]any, len(data))
	for _, key := range keys {
		shown := strings.ToValidUTF8(key, "\ufffd")
		if _, taken := valid[shown]; !taken {
			valid[shown] = data[key]
		}
	}
	return valid
}
