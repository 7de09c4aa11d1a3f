// Package reach explains to people why a client got no answer from an HTTP server, and what to check, and says when to try
// again. Package impl/fetch explains the same about image hosts, to callers of the API.
package reach

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Error is a request without an answer. Its text names the server, and says what is wrong and what to check.
type Error struct {
	Text  string
	Cause error
}

func (e *Error) Error() string { return e.Text }
func (e *Error) Unwrap() error { return e.Cause }

// Explain returns an *Error for an error of http.Client.Do, or err itself if it is nil or the request was cancelled. server is
// the URL of the request.
func Explain(server *url.URL, err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return &Error{Text: explain(server, err), Cause: err}
}

// IsHungUp reports whether err of an HTTP request means that the server closed the connection without a whole answer.
func IsHungUp(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) ||
		err != nil && strings.Contains(err.Error(), idleClosed)
}

// idleClosed is the error of net/http if the server closes a new connection before the request is written.
const idleClosed = "http: server closed idle connection"

// malformed begins the errors of net/http about answers in another protocol than HTTP. tlsAlert is such an answer: a server
// that expects TLS gets plain HTTP. tooEarly is the error if the other protocol's server speaks before the request is written.
const (
	malformed = "malformed HTTP response"
	tlsAlert  = malformed + ` "\x15\x03`
	tooEarly  = "readLoopPeekFailLocked: %!w(<nil>)"
)

func explain(server *url.URL, err error) string {
	host := net.JoinHostPort(server.Hostname(), cmp.Or(server.Port(), map[string]string{"http": "80", "https": "443"}[server.Scheme]))
	cause := err
	if request, ok := errors.AsType[*url.Error](err); ok {
		cause = request.Err // without the method and the URL
	}
	op, _ := errors.AsType[*net.OpError](err)
	_, isLookup := errors.AsType[*net.DNSError](err)
	certificate, isCertificate := errors.AsType[*tls.CertificateVerificationError](err)
	late, isNet := errors.AsType[net.Error](err)
	switch {
	case op != nil && op.Op == "proxyconnect":
		return fmt.Sprintf("the proxy gave no connection to %s: %v; check HTTP_PROXY, HTTPS_PROXY and NO_PROXY", host, op.Err)
	case isLookup:
		return fmt.Sprintf("the host name %s cannot be resolved; check its spelling and the name server of this machine", server.Hostname())
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Sprintf("nothing listens on %s (connection refused); check the address, and that the server runs", host)
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH):
		return fmt.Sprintf("this machine has no route to %s; check the address and the network", host)
	case isNet && late.Timeout(), errors.Is(err, context.DeadlineExceeded):
		return fmt.Sprintf("no answer from %s in time; check the address, firewalls between here and there, and whether the server is overloaded", host)
	case errors.Is(err, http.ErrSchemeMismatch):
		return fmt.Sprintf("%s speaks http, not https; use an address that begins with http://", host)
	case strings.Contains(cause.Error(), tlsAlert):
		return fmt.Sprintf("%s speaks https, not http; use an address that begins with https://", host)
	case strings.Contains(cause.Error(), malformed), strings.Contains(cause.Error(), tooEarly):
		return fmt.Sprintf("%s answered, but not in HTTP; check the port, and whether the address begins with http:// or https://", host)
	case isCertificate:
		return fmt.Sprintf("the certificate of %s is not accepted: %v", host, certificate.Err)
	case IsHungUp(err):
		return fmt.Sprintf("%s closed the connection without an answer; check that it is an HTTP server", host)
	}
	return fmt.Sprintf("no answer from %s: %v", host, cause)
}

// RetryAfter parses the header Retry-After (RFC 9110, section 10.2.3): seconds, or a date, which may be past. It returns false
// if the header is missing or invalid.
func RetryAfter(header string, now time.Time) (wait time.Duration, ok bool) {
	if seconds, err := strconv.ParseUint(header, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second, true
	}
	at, err := http.ParseTime(header)
	if err != nil {
		return 0, false
	}
	return max(0, at.Sub(now)), true
}
