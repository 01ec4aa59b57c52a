package head

// What a head may measure (S2.15).
const (
	MaxBytes  = 4096 // with the empty line that ends it
	MaxFields = 16
)

// Status is the verdict on a head: the code to answer with, or More.
type Status int

// The verdicts. OK leaves it to the caller whether the answer is 200 or 503.
const (
	More        Status = 0 // nothing wrong so far, and not complete
	OK          Status = 200
	Malformed   Status = 400
	NotFound    Status = 404
	NotAllowed  Status = 405
	Misdirected Status = 421
	TooLarge    Status = 431
	BadVersion  Status = 505
)

// Rules say what a head must ask for. The zero value refuses every head.
type Rules struct {
	// Host is what the Host field must be, byte by byte: "127.0.0.1:9000" (S2.8).
	Host string
	// Paths are the targets that exist, compared byte by byte (S2.7).
	Paths []string
}

// Request is what a head asks for.
type Request struct {
	Path int  // which of Rules.Paths, and -1 unless the verdict is OK
	Head bool // the method is HEAD: the answer has no body, whatever its code
}

// Parse reads a head from the front of data, as far as it has arrived. It is a
// pure function, does not allocate, and reads at most MaxBytes. Called again with
// more bytes it gives the same verdict once it has given one, unless the new
// bytes are behind the head's end.
func (r Rules) Parse(data []byte) (Request, Status) {
	req := Request{Path: -1, Head: hasPrefix(data, "HEAD ")}
	s := scanner{data: data}
	line, status := s.line()
	if status != OK {
		return req, status
	}
	ask, ok := parseRequestLine(line)
	if !ok {
		return req, Malformed
	}
	hosts, sameHost := 0, false
	for fields := 0; ; fields++ {
		if fields == MaxFields && s.another() {
			return req, TooLarge
		}
		line, status := s.line()
		if status != OK {
			return req, status
		}
		if len(line) == 0 {
			break
		}
		name, value, ok := parseField(line)
		if !ok || refused(name, value) {
			return req, Malformed
		}
		if sameName(name, "host") {
			hosts++
			sameHost = string(value) == r.Host && r.Host != ""
		}
	}
	if s.at < len(data) {
		return req, Malformed
	}
	switch {
	case ask.version != "1.0" && ask.version != "1.1":
		return req, BadVersion
	case hosts != 1 || !sameHost:
		return req, Misdirected
	case string(ask.method) != "GET" && !req.Head:
		return req, NotAllowed
	}
	for i, path := range r.Paths {
		if string(ask.target) == path {
			req.Path = i
			return req, OK
		}
	}
	return req, NotFound
}

func hasPrefix(data []byte, prefix string) bool {
	return len(data) >= len(prefix) && string(data[:len(prefix)]) == prefix
}
