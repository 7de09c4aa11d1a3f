package store

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Location returns the address of the database, for people: sqlite:PATH with the absolute path, or a URL of Postgres without
// password and parameters.
func (s *Store) Location() string {
	if s.server != nil {
		return (&url.URL{Scheme: "postgres", User: url.User(s.server.User), Host: address(s.server), Path: "/" + s.server.Database}).String()
	}
	path, _ := sqlitePath(s.url)
	if whole, err := filepath.Abs(path); err == nil && path != memory {
		path = whole
	}
	return "sqlite:" + path
}

// address returns host and port, or the folder of a Unix socket.
func address(c *pgx.ConnConfig) string {
	if strings.HasPrefix(c.Host, "/") {
		return c.Host
	}
	return net.JoinHostPort(c.Host, fmt.Sprint(c.Port))
}

// requireTables returns an error if the database has no tables of this program.
func (s *Store) requireTables(ctx context.Context) error {
	var rows int
	err := s.Reader().Get(ctx, `SELECT count(*) FROM goose_db_version`, nil, &rows)
	undefined := !s.postgres // SQLite has no error code of its own for a missing table
	if e := (*pgconn.PgError)(nil); errors.As(err, &e) {
		undefined = e.Code == "42P01" // undefined_table
	}
	if err != nil && !undefined {
		return err
	}
	if err != nil {
		return &Error{reason: "the database has no tables yet; check its name, or create them: start the service, or run `uncial migrate`", cause: err}
	}
	return nil
}

// configError explains why the driver refused the URL. It never repeats the driver's text, which contains parts of the URL.
func configError(err error) error {
	path := (*fs.PathError)(nil)
	switch {
	case errors.As(err, &path):
		return &Error{reason: fmt.Sprintf("cannot read the file %s named in the URL: %v", path.Path, path.Err), cause: err}
	case strings.Contains(err.Error(), "sslmode is invalid"):
		return &Error{reason: "invalid sslmode in the URL; use disable, require, verify-ca or verify-full", cause: err}
	case strings.Contains(err.Error(), "unable to add CA"):
		return &Error{reason: "the file of sslrootcert contains no certificate (PEM)", cause: err}
	}
	return errURL
}

// fileError returns an error that tells an operator which SQLite file cannot be opened or created, and why.
func fileError(path string, err error) error {
	why := reason(err)
	if failed := (*fs.PathError)(nil); errors.As(err, &failed) {
		if why = failed.Error(); failed.Path == path {
			why = failed.Err.Error()
		}
	}
	return &Error{reason: "SQLite file " + path + ": " + why, cause: err}
}

// connectError returns an error that tells an operator which connection failed and why. It contains no password.
func connectError(c *pgx.ConnConfig, err error) error {
	return &Error{
		reason: fmt.Sprintf("cannot connect to Postgres at %s, database %q, user %q: %s", address(c), c.Database, c.User, connectReason(c, err)),
		cause:  err,
	}
}

// connectReason returns why a connection failed and, if an operator can correct the cause, how. It never returns text of the
// driver.
func connectReason(c *pgx.ConnConfig, err error) string {
	var (
		authority x509.UnknownAuthorityError
		name      x509.HostnameError
		invalid   x509.CertificateInvalidError
		dns       *net.DNSError
		refused   *pgconn.PgError
		text      string // of the driver, which has no type for some failures
	)
	// Without sslmode the driver tries TLS first and then no TLS. If the server answers the second attempt, its answer is the
	// reason.
	answered := errors.As(err, &refused)
	if e := (*pgconn.ConnectError)(nil); errors.As(err, &e) {
		text = e.Error()
	}
	switch {
	case errors.As(err, &authority):
		return "its certificate is signed by an unknown authority; name the file of the CA with sslrootcert=FILE in the URL"
	case errors.As(err, &name):
		return "its certificate is for another host name; use a name in the certificate, or sslmode=verify-ca"
	case errors.As(err, &invalid):
		return "its certificate is invalid or has expired"
	case !answered && strings.Contains(text, "server refused TLS connection"):
		return "the server does not offer TLS; enable it there, or use sslmode=disable on a private network"
	case errors.As(err, &dns):
		return "the host name cannot be resolved"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused; is Postgres listening there?"
	case answered && refused.Code == "28000" && strings.Contains(refused.Message, "no encryption"):
		return "the server requires TLS for this user and address (pg_hba.conf); use sslmode=verify-full or sslmode=require in the URL"
	case answered && refused.Code == "42704": // undefined_object: the driver passes on parameters that it does not know
		for _, name := range slices.Sorted(maps.Keys(c.RuntimeParams)) {
			if strings.Contains(refused.Message, `"`+name+`"`) {
				return fmt.Sprintf("unknown parameter %s in the URL; check its spelling, such as sslmode or sslrootcert", name)
			}
		}
	}
	return reason(err)
}
