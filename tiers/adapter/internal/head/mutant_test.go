package head_test

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/tiers/adapter/internal/head"
	"github.com/loopvitals/loopvitals/tiers/adapter/internal/head/headtest"
)

// pieces are what mutants are made of beside themselves.
var pieces = []string{
	"\r", "\n", "\r\n", "\r\n\r\n", "\x00", "\t", " ", ":", ",", "%", "/", "\x7f", "\x80", "\xff", "?", "#", ";", "@",
	"GET", "HEAD", "POST", "get", "/ready", "/live", "*", "HTTP/1.0", "HTTP/1.1", "HTTP/2.0", "HTTP/1.", host, "X", "upgrade",
	"Host: " + host + "\r\n", "host:" + host + "\r\n", "Host: x\r\n", "X: y\r\n", " folded\r\n", "X : y\r\n", ": y\r\n", "X\r\n",
	"Content-Length: 0\r\n", "Transfer-Encoding: chunked\r\n", "Expect: 100-continue\r\n", "Upgrade: h2c\r\n",
	"Connection: upgrade\r\n", "Connection: close\r\n", "Connection: a, Upgrade\r\n",
	"GET /ready HTTP/1.1\r\nHost: " + host + "\r\n\r\n",
}

// mutate changes data in one way that a broken or hostile client might. It may
// reuse data, and returns what it made of it.
func mutate(data []byte, r *rand.Rand) []byte {
	if len(data) == 0 {
		return append(data, pieces[r.IntN(len(pieces))]...)
	}
	at := r.IntN(len(data))
	switch r.IntN(10) {
	case 0: // another byte
		data[at] = byte(r.Uint32())
	case 1: // the other case, or another byte nearby
		data[at] ^= 1 << r.IntN(8)
	case 2: // some bytes fewer
		end := min(len(data), at+1+r.IntN(4))
		data = append(data[:at], data[end:]...)
	case 3: // the end is missing
		data = data[:at]
	case 4: // something more, anywhere
		data = insert(data, at, pieces[r.IntN(len(pieces))])
	case 5: // something more, at the start of a line
		data = insert(data, lineAt(data, at), pieces[r.IntN(len(pieces))])
	case 6: // a line is missing
		start := lineAt(data, at)
		if end := bytes.IndexByte(data[start:], '\n'); end >= 0 {
			data = append(data[:start], data[start+end+1:]...)
		}
	case 7: // a line again, once or more often
		start := lineAt(data, at)
		if end := bytes.IndexByte(data[start:], '\n'); end >= 0 {
			line := string(data[start : start+end+1])
			for range 1 + r.IntN(17)*r.IntN(2) {
				data = insert(data, start, line)
			}
		}
	case 8: // something in the place of something else
		from, to := pieces[r.IntN(len(pieces))], pieces[r.IntN(len(pieces))]
		data = bytes.Replace(data, []byte(from), []byte(to), 1+r.IntN(2))
	case 9: // about as long as may be
		if r.IntN(8) == 0 {
			padding := bytes.Repeat([]byte("a"), max(0, head.MaxBytes-2+r.IntN(5)-len(data)))
			data = insert(data, at, string(padding))
		}
	}
	return data
}

func insert(data []byte, at int, piece string) []byte {
	tail := string(data[at:])
	return append(append(data[:at], piece...), tail...)
}

// lineAt is where the line of the byte at at starts.
func lineAt(data []byte, at int) int { return bytes.LastIndexByte(data[:at], '\n') + 1 }

// TestMutantsAgree makes mutants of every row and compares the verdicts on them,
// and on their parts.
func TestMutantsAgree(t *testing.T) {
	count := 200_000
	switch {
	case soak:
		count = 10_000_000
	case raced:
		count = 20_000
	}
	workers := runtime.GOMAXPROCS(0)
	tallies := make([]map[head.Status]int, workers)
	start := time.Now()
	var group sync.WaitGroup
	for w := range workers {
		tallies[w] = make(map[head.Status]int)
		group.Go(func() { tryMutants(t, count/workers, uint64(w), tallies[w]) })
	}
	group.Wait()
	total, by := 0, make(map[head.Status]int)
	for _, tally := range tallies {
		for status, n := range tally {
			total += n
			by[status] += n
		}
	}
	t.Logf("%d mutants, %.0f a second; verdicts: %v", total, float64(total)/time.Since(start).Seconds(), by)
	for _, status := range []head.Status{
		head.More, head.OK, head.Malformed, head.NotFound, head.NotAllowed, head.Misdirected, head.TooLarge, head.BadVersion,
	} {
		if by[status] < total/1000 {
			t.Errorf("verdict %d on %d of %d mutants only: the mutators do not reach it", status, by[status], total)
		}
	}
}

// tryMutants is one worker's share. Its mutants are the same in every run.
func tryMutants(t *testing.T, count int, seed uint64, tally map[head.Status]int) {
	r := rand.New(rand.NewPCG(seed, 1))
	rows := headtest.Rows(host)
	data := make([]byte, 0, 64<<10)
	for n := range count {
		row := rows[r.IntN(len(rows))]
		if len(row.Raw) > 1000 && n%50 != 0 {
			row = rows[r.IntN(20)] // a short one: the long ones take long
		}
		data = append(data[:0], row.Raw...)
		for range r.IntN(4) {
			data = mutate(data, r)
		}
		req, status := rules.Parse(data)
		tally[status]++
		if problem := disagreement(data); problem != "" {
			t.Errorf("%s: %q", problem, data)
			return
		}
		partReq, part := rules.Parse(data[:r.IntN(len(data)+1)])
		if part != head.More && part != status && (status != head.Malformed || !complete(part)) {
			t.Errorf("%d on a part, %d on the whole: %q", part, status, data)
			return
		}
		if part == status && part != head.More && partReq != req {
			t.Errorf("%+v on a part, %+v on the whole: %q", partReq, req, data)
			return
		}
	}
}

// complete tells whether a verdict is one on a complete head, after which any
// byte is one too many.
func complete(status head.Status) bool {
	return status != head.More && status != head.Malformed && status != head.TooLarge
}

// FuzzParse lets the fuzzer look for disagreement.
func FuzzParse(f *testing.F) {
	for _, row := range headtest.Rows(host) {
		f.Add([]byte(row.Raw))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if problem := disagreement(data); problem != "" {
			t.Errorf("%s: %q", problem, data)
		}
	})
}
