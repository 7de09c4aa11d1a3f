package fetch

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"syscall"
	"time"

	"uncial/internal/contract"
	"uncial/internal/reach"
)

// incompleteError is a failure while the body was read, after a response with status 200.
type incompleteError struct{ error }

func (e *incompleteError) Unwrap() error { return e.error }

// Error means that the image cannot be fetched. The client sees all of it: it contains no internal address and no text of a
// library.
type Error struct {
	Reason     contract.FetchReason
	Text       string        // what is wrong and what is expected
	RetryAfter time.Duration // how long the image's server asked clients to wait; 0 if it did not
}

func (e *Error) Error() string { return e.Text }

// failed returns an *Error. The text must say what is wrong and, if the caller can do something, what is expected.
func failed(reason contract.FetchReason, format string, args ...any) error {
	return &Error{Reason: reason, Text: fmt.Sprintf(format, args...)}
}

// explain turns network errors into an *Error, whose text the client sees: it contains no internal address and no
// text of a library. Failures of this machine, such as too many open files, stay internal errors. The order of the cases
// matters: net.OpError wraps most of the others.
func explain(err error) error {
	var (
		known   *Error
		status  *statusError
		lookup  *net.DNSError
		dialled *net.OpError
		broken  *incompleteError
	)
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &status):
		return status.explain()
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE), errors.Is(err, syscall.ENOMEM):
		return fmt.Errorf("fetch the image: %w", err)
	case errors.As(err, &lookup) && lookup.IsNotFound:
		return failed(contract.FetchNoAddress, "the host name does not exist")
	case errors.As(err, &lookup):
		return failed(contract.FetchUnreachable, "the host name could not be resolved")
	case errors.As(err, &broken):
		return failed(contract.FetchIncomplete, "the connection was lost before the image was complete")
	case isTLS(err):
		return explainTLS(err)
	case errors.Is(err, os.ErrDeadlineExceeded), isTimeout(err):
		return failed(contract.FetchTimeout, "the server did not answer in time")
	case errors.Is(err, syscall.ECONNREFUSED):
		return failed(contract.FetchUnreachable, "the server refused the connection")
	case errors.Is(err, syscall.ENETUNREACH):
		return failed(contract.FetchNoAddress, "the host has no address that this service can reach")
	case reach.IsHungUp(err):
		return failed(contract.FetchIncomplete, "the server closed the connection without an answer")
	case errors.As(err, &dialled) && dialled.Op == "dial":
		return failed(contract.FetchUnreachable, "the server could not be reached")
	case errors.Is(err, http.ErrSchemeMismatch):
		return failed(contract.FetchTLS, "the server supports http only, not https")
	}
	return failed(contract.FetchBadAnswer, "the server sent no valid HTTP response")
}

// isTimeout reports whether a step had a time limit of its own, such as the TLS handshake, and exceeded it.
func isTimeout(err error) bool {
	timeout, ok := errors.AsType[net.Error](err)
	return ok && timeout.Timeout()
}

// isTLS reports whether err comes from TLS: a certificate, an alert or a malformed record. Alerts arrive as a net.OpError
// with one of two operations.
func isTLS(err error) bool {
	var (
		record      tls.RecordHeaderError
		certificate *tls.CertificateVerificationError
		alert       tls.AlertError
		op          *net.OpError
	)
	return errors.As(err, &record) || errors.As(err, &certificate) || errors.As(err, &alert) ||
		errors.As(err, &op) && (op.Op == "remote error" || op.Op == "local error")
}

// explainTLS names the usual defects of certificates, so that the client can report them to the operator of the image
// server. The service never skips verification.
func explainTLS(err error) error {
	var (
		authority x509.UnknownAuthorityError
		host      x509.HostnameError
		invalid   x509.CertificateInvalidError
		record    tls.RecordHeaderError
	)
	switch {
	case errors.As(err, &authority):
		return failed(contract.FetchTLS, "the server's certificate is signed by an unknown authority")
	case errors.As(err, &host):
		return failed(contract.FetchTLS, "the server's certificate is for another host")
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return failed(contract.FetchTLS, "the server's certificate has expired or is not valid yet")
	case errors.As(err, &record):
		return failed(contract.FetchTLS, "the server does not support TLS on this port")
	}
	return failed(contract.FetchTLS, "the TLS connection to the server failed")
}
