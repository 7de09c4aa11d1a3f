package fetch

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"syscall"

	"uncial/impl/ocr"
)

// incompleteError is a failure while the body was read, after a response with status 200.
type incompleteError struct{ error }

func (e *incompleteError) Unwrap() error { return e.error }

// explain turns network errors into an *ocr.ImageError, whose text the client sees: it contains no internal address and no
// text of a library. Faults of this machine, such as too many open files, stay internal errors. The order of the cases
// matters: net.OpError wraps most of the others.
func explain(err error) error {
	var (
		image   *ocr.ImageError
		status  *statusError
		lookup  *net.DNSError
		dialled *net.OpError
		broken  *incompleteError
	)
	switch {
	case errors.As(err, &image):
		return image
	case errors.As(err, &status):
		return imageError("%s", status.Error())
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE), errors.Is(err, syscall.ENOMEM):
		return fmt.Errorf("fetch the image: %w", err)
	case errors.As(err, &lookup) && lookup.IsNotFound:
		return imageError("the host name does not exist")
	case errors.As(err, &lookup):
		return imageError("the host name could not be resolved")
	case errors.As(err, &broken):
		return imageError("the connection was lost before the image was complete")
	case isTLS(err):
		return explainTLS(err)
	case errors.Is(err, syscall.ECONNREFUSED):
		return imageError("the server refused the connection")
	case errors.As(err, &dialled) && dialled.Op == "dial":
		return imageError("the server could not be reached")
	case errors.Is(err, http.ErrSchemeMismatch):
		return imageError("the server supports http only, not https")
	}
	return imageError("the server sent no valid HTTP response")
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

// explainTLS names the usual faults of certificates, so that the client can report them to the operator of the image
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
		return imageError("the server's certificate is signed by an unknown authority")
	case errors.As(err, &host):
		return imageError("the server's certificate is for another host")
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return imageError("the server's certificate has expired or is not valid yet")
	case errors.As(err, &record):
		return imageError("the server does not support TLS on this port")
	}
	return imageError("the TLS connection to the server failed")
}
