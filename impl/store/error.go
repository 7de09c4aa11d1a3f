package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Error is a failure of the database. Its text names the kind of failure and the code of the database for it, never a
// statement, a value, a host or a password, so that it may be logged. The driver's error is kept only for errors.Is and
// errors.As.
type Error struct {
	reason   string
	cause    error
	notBegun bool // the transaction did not begin, so it is safe to retry
}

func (e *Error) Error() string { return "database: " + e.reason }

// Unwrap returns the driver's error. Do not log or show its text: it may quote stored values.
func (e *Error) Unwrap() error { return e.cause }

// IsTemporary reports whether the same request may succeed later without help: the database took too long, was locked, or could
// not be reached.
func (e *Error) IsTemporary() bool {
	if fault := (*pgconn.PgError)(nil); errors.As(e.cause, &fault) {
		return strings.HasPrefix(fault.Code, "08") || // the connection failed
			slices.Contains([]string{"40001", "40P01", "53300", "55P03", "57014", "57P01", "57P02", "57P03"}, fault.Code)
	}
	if fault := (*sqlite.Error)(nil); errors.As(e.cause, &fault) {
		return slices.Contains([]int{sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_INTERRUPT}, fault.Code()&0xff)
	}
	return errors.Is(e.cause, context.DeadlineExceeded) || errors.As(e.cause, new(net.Error)) || isLost(e.cause)
}

// isLost reports whether an error means that the connection broke.
func isLost(err error) bool {
	return errors.Is(err, driver.ErrBadConn) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)
}

// wrap turns a driver's error into an *Error. It returns nil and an existing *Error unchanged.
func wrap(err error) error {
	if err == nil {
		return nil
	}
	if already := (*Error)(nil); errors.As(err, &already) {
		return err
	}
	return &Error{reason: reason(err), cause: err}
}

// notBegun is wrap for a transaction that failed to begin, as on an idle connection that the server has closed.
func notBegun(err error) error {
	return &Error{reason: reason(err), cause: err, notBegun: true}
}

// reason returns the kind of a driver's error in words for an operator, and of an *Error its reason. It must not return any
// text of the driver.
func reason(err error) string {
	if e := (*Error)(nil); errors.As(err, &e) {
		return e.reason
	}
	if e := (*pgconn.PgError)(nil); errors.As(err, &e) {
		return postgresReason(e.Code)
	}
	if e := (*sqlite.Error)(nil); errors.As(err, &e) {
		return sqliteReason(e.Code())
	}
	var network net.Error
	switch {
	case errors.Is(err, context.Canceled):
		return "cancelled by the caller"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return "timed out"
	case errors.As(err, &network):
		return "the server cannot be reached"
	case isLost(err):
		return "lost the connection"
	}
	return "unexpected failure"
}

// postgresReason explains the SQLSTATEs that an operator can do something about (PostgreSQL manual, appendix A).
func postgresReason(state string) string {
	text := map[string]string{
		"25006": "the database is read-only; is this a standby?",
		"28000": "the user is not allowed to connect",
		"28P01": "the user or password is wrong",
		"3D000": "the database does not exist",
		"42501": "the user lacks a permission",
		"42P01": "a table is missing; run `uncial migrate`",
		"53100": "the disk is full",
		"53300": "the server has too many connections",
		"57014": "timed out",
		"57P01": "the server is shutting down",
		"57P03": "the server is starting up",
	}[state]
	if text == "" {
		text = "the statement failed"
	}
	return text + " (SQLSTATE " + state + ")"
}

// sqliteReason explains the primary result codes (sqlite.org/rescode.html) that an operator can do something about.
func sqliteReason(code int) string {
	text := map[int]string{
		sqlite3.SQLITE_BUSY:      "the file is locked by another process",
		sqlite3.SQLITE_CANTOPEN:  "cannot open the file; check its path and permissions",
		sqlite3.SQLITE_CORRUPT:   "the file is corrupt; restore a backup",
		sqlite3.SQLITE_FULL:      "the disk is full",
		sqlite3.SQLITE_INTERRUPT: "timed out",
		sqlite3.SQLITE_IOERR:     "cannot read or write the file",
		sqlite3.SQLITE_NOTADB:    "the file is not a SQLite database",
		sqlite3.SQLITE_READONLY:  "the file is read-only",
	}[code&0xff]
	if text == "" {
		text = "the statement failed"
	}
	return text + " (SQLite code " + strconv.Itoa(code) + ")"
}

// isRetryable reports whether the attempt changed nothing and failed for a temporary reason: a lost race, or a connection
// that broke before the transaction began. A connection that breaks later leaves open whether the commit succeeded.
func isRetryable(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	if e := (*Error)(nil); errors.As(err, &e) && e.notBegun {
		return true
	}
	if e := (*pgconn.PgError)(nil); errors.As(err, &e) {
		return e.Code == "40001" || e.Code == "40P01" // serialization_failure, deadlock_detected
	}
	if e := (*sqlite.Error)(nil); errors.As(err, &e) {
		return e.Code()&0xff == sqlite3.SQLITE_BUSY
	}
	return false
}
