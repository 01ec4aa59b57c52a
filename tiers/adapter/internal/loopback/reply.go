package loopback

import (
	"fmt"
	"net/http"
	"time"

	"github.com/loopvitals/loopvitals/tiers/adapter/internal/head"
)

// maxReply is more than any reply has, in bytes. So little fits into the send
// buffer of every new connection, which is why one write is enough (A5).
const maxReply = 300

// codes are all that a reply can have.
var codes = [...]int{200, 503, 400, 404, 405, 421, 431, 505}

// replies are written at the start, so that a reply costs no memory. The second
// of a pair is the one to HEAD.
type replies [len(codes)][2][]byte

func newReplies() *replies {
	var r replies
	for i, code := range codes {
		fields, body := compose(code)
		r[i] = [2][]byte{[]byte(fields + body), []byte(fields)}
	}
	return &r
}

// compose returns the fields of a reply and its body.
func compose(code int) (fields, body string) {
	allow := ""
	if code == int(head.NotAllowed) {
		allow = "Allow: GET, HEAD\r\n"
	}
	body = `{"status":"` + statusOf(code) + `"}`
	return fmt.Sprintf("HTTP/1.1 %d %s\r\n"+
		"Content-Type: application/json\r\n"+
		"Content-Length: %d\r\n"+
		"Cache-Control: no-store\r\n"+
		"X-Content-Type-Options: nosniff\r\n"+
		"%sConnection: close\r\n\r\n",
		code, http.StatusText(code), len(body), allow), body
}

func statusOf(code int) string {
	switch code {
	case 200:
		return "Healthy"
	case 503:
		return "Unhealthy"
	}
	return "Refused"
}

// service is what both servers share: what is asked, and what is said.
type service struct {
	config   Config
	rules    head.Rules
	replies  *replies
	patience time.Duration // with a head, and again with a client that has its reply
	tally    tally
}

// reply returns the bytes for a request on which there is a verdict, and counts
// it.
func (s *service) reply(req head.Request, status head.Status) []byte {
	code := int(status)
	if status == head.OK && (s.config.OK == nil || !s.config.OK(req.Path)) {
		code = 503
	}
	i := indexOf(code)
	s.tally.answered[i].Add(1)
	if req.Head {
		return s.replies[i][1]
	}
	return s.replies[i][0]
}

func indexOf(code int) int {
	for i, c := range codes {
		if c == code {
			return i
		}
	}
	return indexOf(503)
}
