package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// report is what a health endpoint answered, as a client sees it.
type report struct {
	Code    int    `json:"-"`
	Body    []byte `json:"-"`
	Status  string
	Entries map[string]struct {
		Status      string
		Description string
		Data        struct{ Processors []processor }
	}
}

// processor is one element of data.processors.
type processor struct {
	ID, State, Reason, Status, Worker string

	AgeMs, BusyMs, Lag, Faults float64
}

func (r report) processor(id string) (processor, bool) {
	for _, p := range r.Entries["processors"].Data.Processors {
		if p.ID == id {
			return p, true
		}
	}
	return processor{}, false
}

// probe asks once, as a load balancer or a kubelet does.
func probe(ctx context.Context, client *http.Client, url string) (r report, err error) {
	r.Code, r.Body, err = request(ctx, client, http.MethodGet, url)
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(r.Body, &r)
}

func request(ctx context.Context, client *http.Client, method, url string) (code int, body []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, method, url, nil)
	if err != nil {
		return 0, nil, err
	}
	res, err := client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	body, err = io.ReadAll(res.Body)
	return res.StatusCode, body, err
}

// pretty lays JSON out for people: what fits on a line of the given width stays
// on one line. Nothing but white space is changed.
func pretty(body []byte, indent string, width int) string {
	var flat bytes.Buffer
	if json.Compact(&flat, body) != nil {
		return indent + string(body)
	}
	var out strings.Builder
	out.WriteString(indent)
	layOut(&out, flat.Bytes(), indent, width)
	return out.String()
}

// layOut writes one value; the line is indented already.
func layOut(out *strings.Builder, value []byte, indent string, width int) {
	line := spaced(value)
	if len(indent)+len(line) <= width || value[0] != '{' && value[0] != '[' {
		out.WriteString(line)
		return
	}
	deeper := indent + "  "
	fmt.Fprintf(out, "%c\n", value[0])
	for i, member := range members(value) {
		if i > 0 {
			out.WriteString(",\n")
		}
		out.WriteString(deeper)
		if value[0] == '{' {
			key, rest := cutKey(member)
			fmt.Fprintf(out, "%s: ", key)
			member = rest
		}
		layOut(out, member, deeper, width)
	}
	fmt.Fprintf(out, "\n%s%c", indent, value[len(value)-1])
}

// members splits a compact object or array at its own commas.
func members(value []byte) (parts [][]byte) {
	start := 1
	depth := 0
	scan(value, func(i int, c byte) {
		switch c {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if end := depth == 0; (end || depth == 1 && c == ',') && i > start {
			parts = append(parts, value[start:i])
			start = i + 1
		}
	})
	return parts
}

func cutKey(member []byte) (key, value []byte) {
	colon := -1
	scan(member, func(i int, c byte) {
		if c == ':' && colon < 0 {
			colon = i
		}
	})
	return member[:colon], member[colon+1:]
}

// spaced puts a blank after every comma and colon.
func spaced(value []byte) string {
	var out strings.Builder
	last := 0
	scan(value, func(i int, c byte) {
		if c == ',' || c == ':' {
			out.Write(value[last : i+1])
			out.WriteByte(' ')
			last = i + 1
		}
	})
	out.Write(value[last:])
	return out.String()
}

// scan calls visit for every byte outside strings.
func scan(value []byte, visit func(i int, c byte)) {
	quoted := false
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted:
			visit(i, c)
		}
	}
}
