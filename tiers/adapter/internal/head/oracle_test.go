package head_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/loopvitals/loopvitals/tiers/adapter/internal/head"
	"github.com/loopvitals/loopvitals/tiers/adapter/internal/head/headtest"
)

// disagreement says what is wrong with the verdict on data, or nothing. There are
// two other opinions: net/http, which must accept as the same request whatever is
// accepted here, and a slow parser written by regular expressions, which must
// have the same verdict on every head that is complete.
func disagreement(data []byte) string {
	req, status := rules.Parse(data)
	if want := reference(data); status != want {
		return fmt.Sprintf("%d, the reference says %d", status, want)
	}
	if status == head.OK {
		return refusedByHTTP(data, req)
	}
	return ""
}

// refusedByHTTP compares an accepted head with what net/http reads.
func refusedByHTTP(data []byte, got head.Request) string {
	rest := bufio.NewReaderSize(bytes.NewReader(data), 2*head.MaxBytes)
	req, err := http.ReadRequest(rest)
	if err != nil {
		return "net/http refuses it: " + err.Error()
	}
	body, err := io.ReadAll(req.Body)
	switch {
	case err != nil || len(body) > 0 || rest.Buffered() > 0:
		return "net/http sees bytes after the head"
	case req.Method != "GET" && req.Method != "HEAD", (req.Method == "HEAD") != got.Head:
		return "net/http sees method " + req.Method
	case req.RequestURI != headtest.Paths[got.Path], req.URL.Path != req.RequestURI:
		return "net/http sees target " + req.RequestURI
	case req.Host != host:
		return "net/http sees host " + req.Host
	case req.ContentLength != 0 || len(req.TransferEncoding) > 0:
		return "net/http sees a body"
	case req.ProtoMajor != 1:
		return "net/http sees version " + req.Proto
	}
	return ""
}

// The grammar, once more.
var (
	lineGrammar  = regexp.MustCompile(`^([!#$%&'*+\-.^_\x60|~0-9A-Za-z]+) ([\x21-\x7e]+) HTTP/(\d\.\d)$`)
	fieldGrammar = regexp.MustCompile(`(?s)^([!#$%&'*+\-.^_\x60|~0-9A-Za-z]+):[ \t]*(.*?)[ \t]*$`)
	bodyFields   = []string{"content-length", "transfer-encoding", "expect", "upgrade"}
)

// reference is the verdict of a parser that has the whole of what will ever
// arrive, and takes its time.
func reference(data []byte) head.Status {
	text := string(data[:min(len(data), head.MaxBytes)])
	unfinished := head.More
	if len(data) >= head.MaxBytes {
		unfinished = head.TooLarge
	}
	var version, method, target string
	var hosts []string
	for n := 0; ; n++ {
		if n == head.MaxFields+1 && len(text) > 0 && text[0] != '\r' {
			return head.TooLarge
		}
		bad := strings.IndexFunc(text, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
		switch {
		case bad < 0, bad == len(text)-1 && text[bad] == '\r':
			return unfinished
		case !strings.HasPrefix(text[bad:], "\r\n"):
			return head.Malformed
		}
		line := text[:bad]
		text = text[bad+2:]
		if n == 0 {
			m := lineGrammar.FindStringSubmatch(line)
			if m == nil {
				return head.Malformed
			}
			method, target, version = m[1], m[2], m[3]
			continue
		}
		if line == "" {
			break
		}
		m := fieldGrammar.FindStringSubmatch(line)
		if m == nil {
			return head.Malformed
		}
		switch name := strings.ToLower(m[1]); {
		case slices.Contains(bodyFields, name):
			return head.Malformed
		case name == "connection" && slices.ContainsFunc(strings.Split(m[2], ","), func(option string) bool {
			return strings.EqualFold(strings.Trim(option, " \t"), "upgrade")
		}):
			return head.Malformed
		case name == "host":
			hosts = append(hosts, m[2])
		}
	}
	switch {
	case text != "" || len(data) > head.MaxBytes:
		return head.Malformed
	case version != "1.0" && version != "1.1":
		return head.BadVersion
	case !slices.Equal(hosts, []string{host}):
		return head.Misdirected
	case method != "GET" && method != "HEAD":
		return head.NotAllowed
	case !slices.Contains(headtest.Paths, target):
		return head.NotFound
	}
	return head.OK
}
