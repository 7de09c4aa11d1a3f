package liar

import (
	"bytes"
	"context"
	"io"
	"net"
	"regexp"
	"strings"
)

// wire changes what passes between client and server on a connection, before HTTP libraries see it: requests on their way, or
// answers. A nil answer breaks the connection. A request of the suite that needs it comes in one piece, and so does its answer.
type wire struct{ request, answer func(b []byte) []byte }

// overWire is a defect of connections.
func overWire(does, caughtBy string, w wire) Defect {
	return Defect{"connections", does, caughtBy, func(honest server) server { return honest }, &w}
}

// connectionDefects are about requests that are not HTTP, or that HTTP itself refuses. HTTP libraries answer them without a
// handler.
func connectionDefects() []Defect {
	requests := func(does, caughtBy, pattern, replacement string) Defect {
		p := regexp.MustCompile(pattern)
		return overWire(does, caughtBy, wire{request: func(b []byte) []byte { return p.ReplaceAll(b, []byte(replacement)) }})
	}
	answers := func(does, caughtBy, begin, instead string) Defect {
		return overWire(does, caughtBy, wire{answer: func(b []byte) []byte {
			if bytes.HasPrefix(b, []byte(begin)) {
				return []byte(instead)
			}
			return b
		}})
	}
	transferCoding := regexp.MustCompile(`Transfer-Encoding: [^\r]*, chunked`)
	const (
		expectation = "elsewhere/417/unknown-expectation"
		coding      = "elsewhere/501/unknown-transfer-coding"
		version     = "elsewhere/505/other-versions"
		waysToSend  = "status/200/ways-to-write-it"
		plain       = "\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n"
	)
	return []Defect{
		requests("ignores an unknown Expect", expectation, `(?i)\r\nExpect: [^1\r][^\r]*`, ""),
		requests("ignores an unknown Expect without a body", expectation, `(?s)^(GET .*)\r\nExpect: [^\r]*`, "$1"),
		requests("ignores an unknown Expect on other paths", expectation, `(?s)^(\w+ \S+/nowhere .*)\r\nExpect: [^\r]*`, "$1"),
		requests("looks only at the last transfer coding", coding, `Transfer-Encoding: \S+, chunked`, "Transfer-Encoding: chunked"),
		requests("ignores an unknown Transfer-Encoding of requests without a body", coding, `\r\nTransfer-Encoding: (?:gzip|foo|xchunked)\r`, "\r"),
		overWire("transfer-coding-after-the-key", coding, wire{request: func(b []byte) []byte {
			if bytes.Contains(b, []byte("\r\nAuthorization:")) && bytes.HasPrefix(b, []byte("POST /api/v1/extract ")) {
				return b
			}
			return transferCoding.ReplaceAll(b, []byte("Transfer-Encoding: chunked"))
		}}),
		requests("answers any version of HTTP as 1.1", version, `^(\w+ \S+) HTTP/[235]\.\d`, "$1 HTTP/1.1"),
		requests("takes HTTP/1.9 for another major version", waysToSend, `^(GET \S+) HTTP/1\.9`, "$1 HTTP/2.0"),
		requests("knows the names of headers in one letter case only", waysToSend, `\r\n(?:AUTHORIZATION|authorization):[^\r]*`, ""),
		requests("knows chunked in lower case only", waysToSend, `Transfer-Encoding: Chunked`, "Transfer-Encoding: xchunked"),
		requests("keeps the blanks behind values", waysToSend, `(\r\naUTHORIZATION:[^\r]*?) \t\r`, "$1=\r"),
		requests("does not know addresses with a host", waysToSend, `^GET http://[^/]*`, "GET /http:/"),
		requests("accepts a version of HTTP in lower case", "elsewhere/400/not-http", `^(\w+ \S+) http/1\.1`, "$1 HTTP/1.1"),
		requests("takes the first of two Hosts", "elsewhere/400/not-http", `\r\nHost: another\.invalid`, ""),
		answers("answers an unknown Expect in plain text", expectation, "HTTP/1.1 417", "HTTP/1.1 417 Expectation Failed"+plain),
		answers("answers an unknown Transfer-Encoding in plain text", coding, "HTTP/1.1 501", "HTTP/1.1 501 Not Implemented"+plain+"Unsupported transfer encoding"),
		answers("answers 400 to another version of HTTP", version, "HTTP/1.1 505", "HTTP/1.1 400 Bad Request"+plain),
		overWire("breaks the connection when headers are too long", "elsewhere/431/long-headers", wire{answer: func(b []byte) []byte {
			if bytes.HasPrefix(b, []byte("HTTP/1.1 431")) {
				return nil
			}
			return b
		}}),
	}
}

// Connect returns the address at which a server has the defect, until ctx ends: its own, unless the defect is one of
// connections.
func (d Defect) Connect(ctx context.Context, address string) (string, error) {
	if d.wire == nil {
		return address, nil
	}
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	context.AfterFunc(ctx, func() { _ = ln.Close() })
	go func() {
		for {
			client, err := ln.Accept()
			if err != nil {
				return
			}
			go d.wire.join(ctx, client, strings.TrimPrefix(address, "http://"))
		}
	}()
	return "http://" + ln.Addr().String(), nil
}

// join passes on what a client and the server at an address send each other, until one of them closes the connection.
func (w *wire) join(ctx context.Context, client net.Conn, address string) {
	defer func() { _ = client.Close() }()
	behind, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		return
	}
	defer func() { _ = behind.Close() }()
	go func() {
		pass(behind, client, w.request)
		if tcp, ok := behind.(*net.TCPConn); ok {
			_ = tcp.CloseWrite()
		}
	}()
	pass(client, behind, w.answer)
}

// pass copies until the end of a connection, piece by piece, with a change unless it is nil.
func pass(to io.Writer, from io.Reader, change func(b []byte) []byte) {
	piece := make([]byte, 64<<10)
	for {
		n, err := from.Read(piece)
		if err != nil {
			return
		}
		b := piece[:n]
		if change != nil {
			b = change(b)
		}
		if _, err := to.Write(b); err != nil || b == nil {
			return
		}
	}
}
