package headtest

// accepted are right in every way, however unusual.
var accepted = []Row{
	{Name: "GET", Raw: "GET /ready HTTP/1.1\r\n" + h + "\r\n", Code: 200},
	{Name: "GET first path", Raw: "GET /startup HTTP/1.1\r\n" + h + "\r\n", Code: 200},
	{Name: "GET last path", Raw: "GET /live HTTP/1.1\r\n" + h + "\r\n", Code: 200},
	{Name: "HEAD", Raw: "HEAD /ready HTTP/1.1\r\n" + h + "\r\n", Code: 200},
	{Name: "HTTP/1.0 with Host", Raw: "GET /ready HTTP/1.0\r\n" + h + "\r\n", Code: 200},
	{Name: "HEAD in HTTP/1.0", Raw: "HEAD /live HTTP/1.0\r\n" + h + "\r\n", Code: 200},
	{Name: "name in lower case", Raw: "GET /ready HTTP/1.1\r\nhost: {host}\r\n\r\n", Code: 200},
	{Name: "name in upper case", Raw: "GET /ready HTTP/1.1\r\nHOST: {host}\r\n\r\n", Code: 200},
	{Name: "no space after colon", Raw: "GET /ready HTTP/1.1\r\nHost:{host}\r\n\r\n", Code: 200},
	{Name: "spaces and tabs around value", Raw: "GET /ready HTTP/1.1\r\nHost: \t {host} \t\r\n\r\n", Code: 200},
	{Name: "Host last", Raw: "GET /ready HTTP/1.1\r\nAccept: */*\r\n" + h + "\r\n", Code: 200},
	{Name: "empty value", Raw: "GET /ready HTTP/1.1\r\n" + h + "X:\r\n\r\n", Code: 200},
	{Name: "bytes above 0x7f in a value", Raw: "GET /ready HTTP/1.1\r\n" + h + "X: \xff\xc3\xa9\r\n\r\n", Code: 200},
	{Name: "every token character in a name", Raw: "GET /ready HTTP/1.1\r\n" + h + "!#$%&'*+-.^_`|~09azAZ: y\r\n\r\n", Code: 200},
	{Name: "a field twice", Raw: "GET /ready HTTP/1.1\r\n" + h + "Accept: a\r\nAccept: b\r\n\r\n", Code: 200},
	{Name: "16 fields", Raw: "GET /ready HTTP/1.1\r\n" + h + many(15) + "\r\n", Code: 200},
	{Name: "4096 bytes", Raw: "GET /ready HTTP/1.1\r\n" + h + "X: {full}\r\n\r\n", Code: 200},
	{Name: "Connection: keep-alive", Raw: "GET /ready HTTP/1.1\r\n" + h + "Connection: keep-alive\r\n\r\n", Code: 200},
	{Name: "Connection of another option", Raw: "GET /ready HTTP/1.1\r\n" + h + "Connection: upgrades, x-upgrade,\r\n\r\n", Code: 200},
	{Name: "TE is not Transfer-Encoding", Raw: "GET /ready HTTP/1.1\r\n" + h + "TE: trailers\r\n\r\n", Code: 200},
	{Name: "forwarded fields", Raw: "GET /ready HTTP/1.1\r\n" + h + "X-Forwarded-For: 203.0.113.9\r\nX-Forwarded-Host: evil.example\r\nForwarded: host=evil.example\r\n\r\n", Code: 200},
	{Name: "method override", Raw: "GET /ready HTTP/1.1\r\n" + h + "X-HTTP-Method-Override: DELETE\r\nX-Original-URL: /admin\r\n\r\n", Code: 200},
	{Name: "range and condition", Raw: "GET /ready HTTP/1.1\r\n" + h + "Range: bytes=0-1\r\nIf-None-Match: *\r\n\r\n", Code: 200},
	{Name: "credentials and origin", Raw: "GET /ready HTTP/1.1\r\n" + h + "Authorization: Bearer x\r\nCookie: a=b\r\nOrigin: null\r\n\r\n", Code: 200},
	{Name: "names beside those refused", Raw: "GET /ready HTTP/1.1\r\n" + h + "Content_Length: 5\r\nX-Transfer-Encoding: chunked\r\nUpgrades: h2c\r\n\r\n", Code: 200},
}

// unknown ask for what does not exist.
var unknown = []Row{
	{Name: "root", Raw: "GET / HTTP/1.1\r\n" + h + "\r\n", Code: 404},
	{Name: "HEAD of unknown path", Raw: "HEAD /health HTTP/1.1\r\n" + h + "\r\n", Code: 404},
	{Name: "prefix of a path", Raw: "GET /read HTTP/1.1\r\n" + h + "\r\n", Code: 404},
	{Name: "longer than a path", Raw: "GET /readyz HTTP/1.1\r\n" + h + "\r\n", Code: 404},
	{Name: "trailing slash", Raw: "GET /ready/ HTTP/1.1\r\n" + h + "\r\n", Code: 404},
	{Name: "upper case", Raw: "GET /READY HTTP/1.1\r\n" + h + "\r\n", Code: 404},
	{Name: "query", Raw: "GET /ready?verbose=1 HTTP/1.1\r\n" + h + "\r\n", Code: 404},
	{Name: "empty query", Raw: "GET /ready? HTTP/1.1\r\n" + h + "\r\n", Code: 404},
	{Name: "fragment", Raw: "GET /ready#x HTTP/1.1\r\n" + h + "\r\n", Code: 404},
	{Name: "parameter", Raw: "GET /ready;a=b HTTP/1.1\r\n" + h + "\r\n", Code: 404},
	{Name: "escaped letter", Raw: "GET /%72eady HTTP/1.1\r\n" + h + "\r\n", Code: 404},
	{Name: "escaped NUL", Raw: "GET /ready%00 HTTP/1.1\r\n" + h + "\r\n", Code: 404},
	{Name: "escaped line end", Raw: "GET /ready%0d%0aX:y HTTP/1.1\r\n" + h + "\r\n", Code: 404},
	{Name: "broken escape", Raw: "GET /ready%zz HTTP/1.1\r\n" + h + "\r\n", Code: 404},
	{Name: "two slashes", Raw: "GET //ready HTTP/1.1\r\n" + h + "\r\n", Code: 404},
	{Name: "dot", Raw: "GET /./ready HTTP/1.1\r\n" + h + "\r\n", Code: 404},
	{Name: "dot dot", Raw: "GET /x/../ready HTTP/1.1\r\n" + h + "\r\n", Code: 404},
	{Name: "backslash", Raw: "GET \\ready HTTP/1.1\r\n" + h + "\r\n", Code: 404},
	{Name: "no slash", Raw: "GET ready HTTP/1.1\r\n" + h + "\r\n", Code: 404},
	{Name: "absolute form", Raw: "GET http://{host}/ready HTTP/1.1\r\n" + h + "\r\n", Code: 404},
	{Name: "absolute form of another scheme", Raw: "GET file:///ready HTTP/1.1\r\n" + h + "\r\n", Code: 404},
	{Name: "authority form", Raw: "GET {host} HTTP/1.1\r\n" + h + "\r\n", Code: 404},
	{Name: "asterisk form", Raw: "GET * HTTP/1.1\r\n" + h + "\r\n", Code: 404},
	{Name: "long target", Raw: "GET /ready{full} HTTP/1.1\r\n" + h + "\r\n", Code: 404},
}

// methods are not GET or HEAD.
var methods = []Row{
	{Name: "POST", Raw: "POST /ready HTTP/1.1\r\n" + h + "\r\n", Code: 405},
	{Name: "PUT", Raw: "PUT /ready HTTP/1.1\r\n" + h + "\r\n", Code: 405},
	{Name: "DELETE", Raw: "DELETE /ready HTTP/1.1\r\n" + h + "\r\n", Code: 405},
	{Name: "PATCH", Raw: "PATCH /ready HTTP/1.1\r\n" + h + "\r\n", Code: 405},
	{Name: "TRACE", Raw: "TRACE /ready HTTP/1.1\r\n" + h + "X: secret\r\n\r\n", Code: 405},
	{Name: "OPTIONS", Raw: "OPTIONS /ready HTTP/1.1\r\n" + h + "\r\n", Code: 405},
	{Name: "OPTIONS of the server", Raw: "OPTIONS * HTTP/1.1\r\n" + h + "\r\n", Code: 405},
	{Name: "CONNECT", Raw: "CONNECT {host} HTTP/1.1\r\n" + h + "\r\n", Code: 405},
	{Name: "get in lower case", Raw: "get /ready HTTP/1.1\r\n" + h + "\r\n", Code: 405},
	{Name: "longer than GET", Raw: "GETS /ready HTTP/1.1\r\n" + h + "\r\n", Code: 405},
	{Name: "shorter than HEAD", Raw: "HEA /ready HTTP/1.1\r\n" + h + "\r\n", Code: 405},
	{Name: "any token", Raw: "!#$%&'*+-.^_`|~ /ready HTTP/1.1\r\n" + h + "\r\n", Code: 405},
}

// hosts have not exactly one right Host.
var hosts = []Row{
	{Name: "no Host in HTTP/1.1", Raw: "GET /ready HTTP/1.1\r\n\r\n", Code: 421},
	{Name: "no Host in HTTP/1.0", Raw: "GET /ready HTTP/1.0\r\n\r\n", Code: 421},
	{Name: "two Hosts, both right", Raw: "GET /ready HTTP/1.1\r\n" + h + h + "\r\n", Code: 421},
	{Name: "two Hosts, the first right", Raw: "GET /ready HTTP/1.1\r\n" + h + "Host: evil.example\r\n\r\n", Code: 421},
	{Name: "two Hosts, the last right", Raw: "GET /ready HTTP/1.1\r\nhost: evil.example\r\n" + h + "\r\n", Code: 421},
	{Name: "empty Host", Raw: "GET /ready HTTP/1.1\r\nHost:\r\n\r\n", Code: 421},
	{Name: "rebound name", Raw: "GET /ready HTTP/1.1\r\nHost: evil.example\r\n\r\n", Code: 421},
	{Name: "localhost", Raw: "GET /ready HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n", Code: 421},
	{Name: "another port", Raw: "GET /ready HTTP/1.1\r\nHost: {host}0\r\n\r\n", Code: 421},
	{Name: "no port", Raw: "GET /ready HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", Code: 421},
	{Name: "user before Host", Raw: "GET /ready HTTP/1.1\r\nHost: me@{host}\r\n\r\n", Code: 421},
	{Name: "two hosts in one field", Raw: "GET /ready HTTP/1.1\r\nHost: {host}, {host}\r\n\r\n", Code: 421},
	{Name: "quoted Host", Raw: "GET /ready HTTP/1.1\r\nHost: \"{host}\"\r\n\r\n", Code: 421},
	{Name: "IPv4 in IPv6", Raw: "GET /ready HTTP/1.1\r\nHost: [::ffff:127.0.0.1]:{port}\r\n\r\n", Code: 421},
	{Name: "short address", Raw: "GET /ready HTTP/1.1\r\nHost: 127.1:{port}\r\n\r\n", Code: 421},
	{Name: "forwarded Host is right", Raw: "GET /ready HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: {host}\r\nForwarded: host={host}\r\n\r\n", Code: 421},
	{Name: "absolute form is right", Raw: "GET http://{host}/ready HTTP/1.1\r\nHost: evil.example\r\n\r\n", Code: 421},
	{Name: "HEAD with a wrong Host", Raw: "HEAD /ready HTTP/1.1\r\nHost: evil.example\r\n\r\n", Code: 421},
}

// versions are well-formed, and not those that are spoken here.
var versions = []Row{
	{Name: "HTTP/2.0", Raw: "GET /ready HTTP/2.0\r\n" + h + "\r\n", Code: 505},
	{Name: "HTTP/1.2", Raw: "GET /ready HTTP/1.2\r\n" + h + "\r\n", Code: 505},
	{Name: "HTTP/0.9", Raw: "GET /ready HTTP/0.9\r\n" + h + "\r\n", Code: 505},
	{Name: "HTTP/0.1", Raw: "GET /ready HTTP/0.1\r\n" + h + "\r\n", Code: 505},
	{Name: "HEAD in HTTP/3.0", Raw: "HEAD /ready HTTP/3.0\r\n" + h + "\r\n", Code: 505},
}
