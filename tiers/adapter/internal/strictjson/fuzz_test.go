package strictjson

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzDecode wants that what is accepted reads the same by encoding/json, which
// accepts much more, and that what is refused has a short error. Package
// observation compares what is refused, too.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"name":"a\ud83d\ude00","live":true,"count":-1,"small":-0,"parts":[{"key":"k"}],"words":["x"],"maybe":""}`))
	f.Add([]byte(`{"name":"","live":false,"count":9223372036854775807,"small":127,"parts":[]} `))
	f.Add([]byte(`{"name":"\ud800"}`))
	f.Add([]byte(`{"parts":[{"key":"","key":""}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var got, want sample
		if err := Decode(data, limits, &got); err != nil {
			wantShort(t, err)
			return
		}
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatalf("encoding/json refuses what was accepted: %v", err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}
