package edge

import (
	"bytes"
	"crypto/rand"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"uncial/internal/contract"
)

// libraryErrors is a listener whose connections rewrite the errors that net/http sends by itself, before any handler sees the
// request, into the form of all other errors. net/http sends such an answer in one write, the last on its connection.
type libraryErrors struct{ net.Listener }

// Accept returns connections that replace the errors of net/http by those of the contract.
func (l libraryErrors) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	if tcp, ok := c.(*net.TCPConn); ok {
		return libraryErrorConn{tcp}, nil
	}
	return c, nil
}

// libraryErrorConn embeds the TCP connection, whose other methods, such as SetLinger, its users need.
type libraryErrorConn struct{ *net.TCPConn }

// Write sends b, or the error in the form of the contract that b stands for.
func (c libraryErrorConn) Write(b []byte) (int, error) {
	e := libraryError(b)
	if e == nil {
		return c.TCPConn.Write(b)
	}
	answer := &answerBuffer{header: http.Header{"Date": {time.Now().UTC().Format(http.TimeFormat)}}}
	newExchange(answer, rand.Text()).fail(e)
	res := http.Response{StatusCode: answer.status, ProtoMajor: 1, ProtoMinor: 1, Header: answer.header, Close: true, ContentLength: int64(answer.body.Len()), Body: io.NopCloser(&answer.body)}
	if err := res.Write(c.TCPConn); err != nil {
		return 0, err
	}
	return len(b), nil
}

// libraryProblems are the answers of net/http: how they begin, and what is wrong with the request, by header.
var libraryProblems = []struct{ begin, header, reason string }{
	{"HTTP/1.1 417 ", "Expect", "must be 100-continue or absent"},
	{"HTTP/1.0 417 ", "Expect", "must be 100-continue or absent"},
	{"HTTP/1.1 501 ", "Transfer-Encoding", "must be chunked or absent"},
	{"HTTP/1.1 400 Bad Request: missing required Host", "Host", "is required"},
	{"HTTP/1.1 400 Bad Request: malformed Host", "Host", "must be a host with an optional port"},
	{"HTTP/1.1 431 ", "headers", "must not exceed 64 KiB"},
	{"HTTP/1.1 505 ", "headers", mustFollowHTTP},
	{"HTTP/1.1 400 Bad Request", "headers", mustFollowHTTP},
}

const mustFollowHTTP = "must follow HTTP/1.1 (RFC 9112)"

// headersOfLibraryErrors follow the status line in the errors of net/http, and endOfExpect is the end of a 417.
var (
	headersOfLibraryErrors = []byte("Content-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n")
	endOfExpect            = []byte("\r\nContent-Length: 0\r\n\r\n")
)

// libraryError returns the error that an answer of net/http stands for, or nil if b is something else.
func libraryError(b []byte) *contract.Error {
	if !bytes.HasPrefix(b, []byte("HTTP/1.")) {
		return nil
	}
	_, behind, _ := bytes.Cut(b, []byte("\r\n"))
	hasHeaders := bytes.HasPrefix(behind, headersOfLibraryErrors)
	for _, f := range libraryProblems {
		isOwn := hasHeaders || f.header == "Expect" && bytes.HasSuffix(b, endOfExpect)
		if !bytes.HasPrefix(b, []byte(f.begin)) || !isOwn {
			continue
		}
		status, _ := strconv.Atoi(f.begin[len("HTTP/1.1 "):][:3]) // three digits
		return invalidHTTP(status, f.header, f.reason)
	}
	return nil
}

// isHTTP2Preface reports whether r begins a connection of a client that expects HTTP/2 without asking for it (RFC 9113, section
// 3.4). It is the only request of another major version that net/http passes on.
func isHTTP2Preface(r *http.Request) bool { return r.Method == "PRI" && r.ProtoMajor != 1 }

// invalidHTTP is the error for a header, or for all of them, with a status other than that of invalid fields.
func invalidHTTP(status int, header, reason string) *contract.Error {
	e := contract.Invalid(map[string]string{header: reason})
	e.Status = status
	return e
}

// answerBuffer keeps an answer.
type answerBuffer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *answerBuffer) Header() http.Header         { return w.header }
func (w *answerBuffer) WriteHeader(status int)      { w.status = status }
func (w *answerBuffer) Write(b []byte) (int, error) { return w.body.Write(b) }
