package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"time"

	"github.com/loopvitals/loopvitals/bench/rival"
	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/tiers"
)

// jsonGates hold the body of a health answer against encoding/json.
func jsonGates() []Gate {
	return []Gate{
		{ID: "P21", Name: "encoding/json of a map/WriteJSON, 1k", Bound: 8, Min: true, Measure: healthJSON},
	}
}

// response is a client's end that keeps nothing: both sides write to one.
type response struct {
	header http.Header
	body   *bytes.Buffer // nil: thrown away
}

func (r *response) Header() http.Header { return r.header }
func (r *response) WriteHeader(int)     {}

func (r *response) Write(p []byte) (int, error) {
	if r.body != nil {
		return r.body.Write(p)
	}
	return len(p), nil
}

// healthJSON measures from the finished report, or the finished map, to the
// body written to the client.
func healthJSON(s Settings) (Figure, error) {
	report, tree := answers(1000)
	if err := sameJSON(report, tree); err != nil {
		return Figure{}, err
	}
	w := &response{header: http.Header{}}
	return Compare(s, func(n int) {
		for range n {
			body, err := tree.Encode()
			if err == nil {
				_, _ = w.Write(body) // Never fails.
			}
		}
	}, func(n int) {
		for range n {
			tiers.WriteJSON(w, nil, report)
		}
	}), nil
}

// answers returns the same answer in either form. Its names and descriptions
// are so short that a thousand entries stay below the length at which the
// canonical writer leaves entries out.
func answers(entries int) (tiers.Report, rival.Tree) {
	const status = check.Healthy
	report := tiers.Report{Tier: tiers.Ready, Status: status, Total: 12 * time.Millisecond}
	tree := rival.NewTree(status.String(), report.Total.Milliseconds())
	for i := range entries {
		name, took := fmt.Sprintf("c%03d", i), time.Duration(i%9)*time.Millisecond
		report.Entries = append(report.Entries, tiers.Entry{Name: name, Status: status, Description: "up", Duration: took})
		tree.Add(name, status.String(), "up", float64(took)/float64(time.Millisecond))
	}
	return report, tree
}

// sameJSON makes sure that the two sides do the same work.
func sameJSON(report tiers.Report, tree rival.Tree) error {
	w := &response{header: http.Header{}, body: &bytes.Buffer{}}
	tiers.WriteJSON(w, nil, report)
	theirs, err := tree.Encode()
	if err != nil {
		return fmt.Errorf("bench: encode the map: %w", err)
	}
	var a, b any
	if err := json.Unmarshal(w.body.Bytes(), &a); err != nil {
		return fmt.Errorf("bench: decode the report: %w", err)
	}
	if err := json.Unmarshal(theirs, &b); err != nil {
		return fmt.Errorf("bench: decode the map: %w", err)
	}
	if !reflect.DeepEqual(a, b) {
		return fmt.Errorf("bench: report of %d bytes and map of %d bytes are not the same JSON", w.body.Len(), len(theirs))
	}
	return nil
}
