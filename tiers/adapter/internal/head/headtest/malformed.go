package headtest

import "strings"

// lines have a first line that is none.
var lines = []Row{
	{Name: "no version", Raw: "GET /ready\r\n\r\n", Code: 400},
	{Name: "two-digit version", Raw: "GET /ready HTTP/1.10\r\n" + h + "\r\n", Code: 400},
	{Name: "short version", Raw: "GET /ready HTTP/1\r\n" + h + "\r\n", Code: 400},
	{Name: "version without digits", Raw: "GET /ready HTTP/a.b\r\n" + h + "\r\n", Code: 400},
	{Name: "version with a comma", Raw: "GET /ready HTTP/1,1\r\n" + h + "\r\n", Code: 400},
	{Name: "version in lower case", Raw: "GET /ready http/1.1\r\n" + h + "\r\n", Code: 400},
	{Name: "another protocol", Raw: "GET /ready ICAP/1.0\r\n" + h + "\r\n", Code: 400},
	{Name: "space after version", Raw: "GET /ready HTTP/1.1 \r\n" + h + "\r\n", Code: 400},
	{Name: "space before method", Raw: " GET /ready HTTP/1.1\r\n" + h + "\r\n", Code: 400},
	{Name: "two spaces before target", Raw: "GET  /ready HTTP/1.1\r\n" + h + "\r\n", Code: 400},
	{Name: "two spaces before version", Raw: "GET /ready  HTTP/1.1\r\n" + h + "\r\n", Code: 400},
	{Name: "space in target", Raw: "GET /rea dy HTTP/1.1\r\n" + h + "\r\n", Code: 400},
	{Name: "tabs for spaces", Raw: "GET\t/ready\tHTTP/1.1\r\n" + h + "\r\n", Code: 400},
	{Name: "tab in target", Raw: "GET /ready\t HTTP/1.1\r\n" + h + "\r\n", Code: 400},
	{Name: "method only", Raw: "GET\r\n\r\n", Code: 400},
	{Name: "no method", Raw: "/ready HTTP/1.1\r\n" + h + "\r\n", Code: 400},
	{Name: "method that is no token", Raw: "G(T /ready HTTP/1.1\r\n" + h + "\r\n", Code: 400},
	{Name: "method above 0x7f", Raw: "G\xc3\x89T /ready HTTP/1.1\r\n" + h + "\r\n", Code: 400},
	{Name: "target above 0x7f", Raw: "GET /r\xc3\xa9ady HTTP/1.1\r\n" + h + "\r\n", Code: 400},
	{Name: "empty line first", Raw: "\r\nGET /ready HTTP/1.1\r\n" + h + "\r\n", Code: 400},
	{Name: "LF first", Raw: "\nGET /ready HTTP/1.1\r\n" + h + "\r\n", Code: 400},
	{Name: "LF alone after the first line", Raw: "GET /ready HTTP/1.1\n" + h + "\r\n", Code: 400},
	{Name: "LF alone everywhere", Raw: "GET /ready HTTP/1.1\nHost: {host}\n\n", Code: 400},
	{Name: "CR alone after the first line", Raw: "GET /ready HTTP/1.1\r" + h + "\r\n", Code: 400},
	{Name: "CR CR LF", Raw: "GET /ready HTTP/1.1\r\r\n" + h + "\r\n", Code: 400},
	{Name: "CR in target", Raw: "GET /rea\rdy HTTP/1.1\r\n" + h + "\r\n", Code: 400},
	{Name: "NUL in method", Raw: "GE\x00T /ready HTTP/1.1\r\n" + h + "\r\n", Code: 400},
	{Name: "NUL after target", Raw: "GET /ready\x00 HTTP/1.1\r\n" + h + "\r\n", Code: 400},
	{Name: "DEL in target", Raw: "GET /ready\x7f HTTP/1.1\r\n" + h + "\r\n", Code: 400},
	{Name: "HEAD and nothing else right", Raw: "HEAD /ready\r\n\r\n", Code: 400},
}

// fields have a field that is none.
var fields = []Row{
	{Name: "LF alone after a field", Raw: "GET /ready HTTP/1.1\r\nHost: {host}\n\r\n", Code: 400},
	{Name: "LF alone at the end", Raw: "GET /ready HTTP/1.1\r\n" + h + "\n", Code: 400},
	{Name: "CR alone at the end", Raw: "GET /ready HTTP/1.1\r\n" + h + "\rX", Code: 400},
	{Name: "CR in a value", Raw: "GET /ready HTTP/1.1\r\n" + h + "X: a\rb\r\n\r\n", Code: 400},
	{Name: "NUL in a value", Raw: "GET /ready HTTP/1.1\r\n" + h + "X: a\x00b\r\n\r\n", Code: 400},
	{Name: "NUL in Host", Raw: "GET /ready HTTP/1.1\r\nHost: {host}\x00\r\n\r\n", Code: 400},
	{Name: "NUL in a name", Raw: "GET /ready HTTP/1.1\r\n" + h + "X\x00: y\r\n\r\n", Code: 400},
	{Name: "ESC in a value", Raw: "GET /ready HTTP/1.1\r\n" + h + "X: \x1b[2J\r\n\r\n", Code: 400},
	{Name: "DEL in a value", Raw: "GET /ready HTTP/1.1\r\n" + h + "X: \x7f\r\n\r\n", Code: 400},
	{Name: "folded by a space", Raw: "GET /ready HTTP/1.1\r\n" + h + "X: a\r\n b\r\n\r\n", Code: 400},
	{Name: "folded by a tab", Raw: "GET /ready HTTP/1.1\r\n" + h + "X: a\r\n\tb\r\n\r\n", Code: 400},
	{Name: "folded Host", Raw: "GET /ready HTTP/1.1\r\nHost:\r\n {host}\r\n\r\n", Code: 400},
	{Name: "space before the first field", Raw: "GET /ready HTTP/1.1\r\n " + h + "\r\n", Code: 400},
	{Name: "line of spaces", Raw: "GET /ready HTTP/1.1\r\n" + h + "  \r\n\r\n", Code: 400},
	{Name: "space before colon", Raw: "GET /ready HTTP/1.1\r\nHost : {host}\r\n\r\n", Code: 400},
	{Name: "tab before colon", Raw: "GET /ready HTTP/1.1\r\nHost\t: {host}\r\n\r\n", Code: 400},
	{Name: "space in a name", Raw: "GET /ready HTTP/1.1\r\n" + h + "X Y: z\r\n\r\n", Code: 400},
	{Name: "empty name", Raw: "GET /ready HTTP/1.1\r\n" + h + ": y\r\n\r\n", Code: 400},
	{Name: "no colon", Raw: "GET /ready HTTP/1.1\r\n" + h + "X\r\n\r\n", Code: 400},
	{Name: "name that is no token", Raw: "GET /ready HTTP/1.1\r\n" + h + "X(Y): z\r\n\r\n", Code: 400},
	{Name: "name above 0x7f", Raw: "GET /ready HTTP/1.1\r\n" + h + "\xc3\xa9: z\r\n\r\n", Code: 400},
	{Name: "name of a slash", Raw: "GET /ready HTTP/1.1\r\n" + h + "a/b: z\r\n\r\n", Code: 400},
}

// bodies ask for a body, a pause before one, or another protocol.
var bodies = []Row{
	{Name: "Content-Length of nothing", Raw: "GET /ready HTTP/1.1\r\n" + h + "Content-Length: 0\r\n\r\n", Code: 400},
	{Name: "Content-Length in upper case", Raw: "GET /ready HTTP/1.1\r\n" + h + "CONTENT-LENGTH: 5\r\n\r\n", Code: 400},
	{Name: "Content-Length below 0", Raw: "GET /ready HTTP/1.1\r\n" + h + "Content-Length: -1\r\n\r\n", Code: 400},
	{Name: "Content-Length twice", Raw: "GET /ready HTTP/1.1\r\n" + h + "Content-Length: 0\r\nContent-Length: 5\r\n\r\n", Code: 400},
	{Name: "chunked", Raw: "GET /ready HTTP/1.1\r\n" + h + "Transfer-Encoding: chunked\r\n\r\n", Code: 400},
	{Name: "nearly chunked", Raw: "GET /ready HTTP/1.1\r\n" + h + "transfer-encoding:\tidentity\r\n\r\n", Code: 400},
	{Name: "Expect", Raw: "GET /ready HTTP/1.1\r\n" + h + "Expect: 100-continue\r\n\r\n", Code: 400},
	{Name: "Upgrade", Raw: "GET /ready HTTP/1.1\r\n" + h + "Upgrade: h2c\r\n\r\n", Code: 400},
	{Name: "Connection: upgrade", Raw: "GET /ready HTTP/1.1\r\n" + h + "Connection: upgrade\r\n\r\n", Code: 400},
	{Name: "Connection: keep-alive, Upgrade", Raw: "GET /ready HTTP/1.1\r\n" + h + "Connection: keep-alive,\tUpgrade \r\n\r\n", Code: 400},
	{Name: "upgrade in a second Connection", Raw: "GET /ready HTTP/1.1\r\n" + h + "Connection: close\r\nconnection: ,UPGRADE,\r\n\r\n", Code: 400},
	{Name: "WebSocket", Raw: "GET /ready HTTP/1.1\r\n" + h + "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n", Code: 400},
	{Name: "HEAD with Content-Length", Raw: "HEAD /ready HTTP/1.1\r\n" + h + "Content-Length: 0\r\n\r\n", Code: 400},
}

// following have bytes after a head.
var following = []Row{
	{Name: "one byte after", Raw: "GET /ready HTTP/1.1\r\n" + h + "\r\nX", Code: 400, Early: 200},
	{Name: "NUL after", Raw: "GET /ready HTTP/1.1\r\n" + h + "\r\n\x00", Code: 400, Early: 200},
	{Name: "line end after", Raw: "GET /ready HTTP/1.1\r\n" + h + "\r\n\r\n", Code: 400, Early: 200},
	{Name: "second request", Raw: "GET /ready HTTP/1.1\r\n" + h + "\r\nGET /live HTTP/1.1\r\n" + h + "\r\n", Code: 400, Early: 200},
	{Name: "second request after HEAD", Raw: "HEAD /ready HTTP/1.1\r\n" + h + "\r\nGET /live HTTP/1.1\r\n" + h + "\r\n", Code: 400, Early: 200},
	{Name: "body without length", Raw: "POST /ready HTTP/1.1\r\n" + h + "\r\nbody", Code: 400, Early: 405},
	{Name: "body of Content-Length", Raw: "GET /ready HTTP/1.1\r\n" + h + "Content-Length: 4\r\n\r\nbody", Code: 400},
	{Name: "request in a body", Raw: "GET /ready HTTP/1.1\r\n" + h + "Content-Length: 34\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /live HTTP/1.1\r\n" + h + "\r\n", Code: 400},
	{Name: "byte after 4096 bytes", Raw: "GET /ready HTTP/1.1\r\n" + h + "X: {full}\r\n\r\nX", Code: 400, Early: 200},
	{Name: "request after 4096 bytes", Raw: "GET /ready HTTP/1.1\r\n" + h + "X: {full}\r\n\r\nGET /live HTTP/1.1\r\n" + h + "\r\n", Code: 400, Early: 200},
}

// tooLarge have a field or a byte too many.
var tooLarge = []Row{
	{Name: "17 fields", Raw: "GET /ready HTTP/1.1\r\n" + h + many(16) + "\r\n", Code: 431},
	{Name: "300 fields", Raw: "GET /ready HTTP/1.1\r\n" + h + many(299) + "\r\n", Code: 431},
	{Name: "17 Hosts", Raw: "GET /ready HTTP/1.1\r\n" + strings.Repeat(h, 17) + "\r\n", Code: 431},
	{Name: "4097 bytes", Raw: "GET /ready HTTP/1.1\r\n" + h + "X: {over}\r\n\r\n", Code: 431},
	{Name: "10000 bytes in a value", Raw: "GET /ready HTTP/1.1\r\n" + h + "X: " + strings.Repeat("a", 10000) + "\r\n\r\n", Code: 431},
	{Name: "10000 bytes in a name", Raw: "GET /ready HTTP/1.1\r\n" + h + strings.Repeat("a", 10000) + ": y\r\n\r\n", Code: 431},
	{Name: "10000 bytes in the target", Raw: "GET /" + strings.Repeat("a", 10000) + " HTTP/1.1\r\n" + h + "\r\n", Code: 431},
	{Name: "10000 bytes in the method", Raw: strings.Repeat("A", 10000) + " /ready HTTP/1.1\r\n" + h + "\r\n", Code: 431},
	{Name: "10000 bytes without a line", Raw: strings.Repeat("A", 10000), Code: 431},
	{Name: "HEAD of 10000 bytes", Raw: "HEAD /ready HTTP/1.1\r\n" + h + "X: " + strings.Repeat("a", 10000) + "\r\n\r\n", Code: 431},
	{Name: "field line that is none, and does not end", Raw: "GET /ready HTTP/1.1\r\n" + strings.Repeat(" ", 10000), Code: 431},
}

// foreign are not HTTP/1, or end too early.
var foreign = []Row{
	{Name: "TLS", Raw: "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", Code: 400},
	{Name: "HTTP/2 preface", Raw: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", Code: 400, Early: 505},
	{Name: "SSH", Raw: "SSH-2.0-OpenSSH_9.9\r\n", Code: 400},
	{Name: "PROXY protocol", Raw: "PROXY TCP4 127.0.0.1 127.0.0.1 1 2\r\nGET /ready HTTP/1.1\r\n" + h + "\r\n", Code: 400},
	{Name: "shell", Raw: "quit\n", Code: 400},
	{Name: "one letter", Raw: "G", Code: 400, Cut: true},
	{Name: "half a line", Raw: "GET /ready HT", Code: 400, Cut: true},
	{Name: "no fields", Raw: "GET /ready HTTP/1.1\r\n", Code: 400, Cut: true},
	{Name: "no end", Raw: "GET /ready HTTP/1.1\r\n" + h, Code: 400, Cut: true},
	{Name: "half an end", Raw: "HEAD /ready HTTP/1.1\r\n" + h + "\r", Code: 400, Cut: true},
}

// precedence are wrong in more ways than one.
var precedence = []Row{
	{Name: "400 before 431 in order", Raw: "GET /ready\r\n" + many(17) + "\r\n", Code: 400},
	{Name: "431 before 400 in order", Raw: "GET /ready HTTP/1.1\r\n" + h + many(16) + "bad line\r\n\r\n", Code: 431},
	{Name: "400 of a control byte in a line too long", Raw: "GET /ready HTTP/1.1\r\n" + h + "X: \x00" + strings.Repeat("a", 10000), Code: 400},
	{Name: "431 before a control byte past the limit", Raw: "GET /ready HTTP/1.1\r\n" + h + "X: " + strings.Repeat("a", 10000) + "\x00", Code: 431},
	{Name: "431 by a folded line too many", Raw: "GET /ready HTTP/1.1\r\n" + h + many(15) + " y\r\n\r\n", Code: 431},
	{Name: "400 before 505", Raw: "GET /ready HTTP/2.0\r\n" + h + "X Y: z\r\n\r\n", Code: 400},
	{Name: "431 before 505", Raw: "GET /ready HTTP/2.0\r\n" + h + many(16) + "\r\n", Code: 431},
	{Name: "400 before 421", Raw: "GET /ready HTTP/1.1\r\nContent-Length: 0\r\n\r\n", Code: 400},
	{Name: "400 before 404 and 405", Raw: "POST /health HTTP/1.1\r\n" + h + "Content-Length: 4\r\n\r\n", Code: 400},
	{Name: "505 before 421", Raw: "GET /ready HTTP/2.0\r\n\r\n", Code: 505},
	{Name: "505 before 404 and 405", Raw: "POST /health HTTP/1.9\r\n" + h + "\r\n", Code: 505},
	{Name: "421 before 405", Raw: "POST /ready HTTP/1.1\r\nHost: evil.example\r\n\r\n", Code: 421},
	{Name: "421 before 404", Raw: "GET /health HTTP/1.1\r\nHost: evil.example\r\n\r\n", Code: 421},
	{Name: "405 before 404", Raw: "POST /health HTTP/1.1\r\n" + h + "\r\n", Code: 405},
}
