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

// brokenOff is a fault in the middle of a body.
type brokenOff struct{ error }

func (b *brokenOff) Unwrap() error { return b.error }

// explain turns what went wrong on the way into words for the caller, without addresses or texts of ours. Faults of
// this machine stay what they are.
func explain(err error) error {
	var (
		blamed  *ocr.ImageError
		status  *statusError
		lookup  *net.DNSError
		dialled *net.OpError
		broken  *brokenOff
	)
	switch {
	case errors.As(err, &blamed):
		return blamed
	case errors.As(err, &status):
		return blame("%s", status.Error())
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE), errors.Is(err, syscall.ENOMEM):
		return fmt.Errorf("fetch the image: %w", err)
	case errors.As(err, &lookup) && lookup.IsNotFound:
		return blame("the host name does not exist")
	case errors.As(err, &lookup):
		return blame("the host name could not be looked up")
	case errors.As(err, &broken):
		return blame("the connection broke before the whole image had arrived")
	case isTLS(err):
		return explainTLS(err)
	case errors.Is(err, syscall.ECONNREFUSED):
		return blame("the server refused the connection")
	case errors.As(err, &dialled) && dialled.Op == "dial":
		return blame("the server could not be reached")
	case errors.Is(err, http.ErrSchemeMismatch):
		return blame("the server speaks http, not https")
	}
	return blame("the server gave no valid HTTP answer")
}

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

func explainTLS(err error) error {
	var (
		authority x509.UnknownAuthorityError
		host      x509.HostnameError
		invalid   x509.CertificateInvalidError
		record    tls.RecordHeaderError
	)
	switch {
	case errors.As(err, &authority):
		return blame("the server's certificate is signed by an unknown authority")
	case errors.As(err, &host):
		return blame("the server's certificate is for another host")
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return blame("the server's certificate has expired or is not valid yet")
	case errors.As(err, &record):
		return blame("the server does not speak TLS on this port")
	}
	return blame("no TLS connection to the server could be made")
}
