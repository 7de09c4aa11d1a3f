package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"strconv"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Error is a failure of the database. Its text names the kind of failure and the database's code for it, never a
// statement, a value, a host or a password. The driver's error is kept for errors.Is and errors.As only.
type Error struct {
	reason   string
	cause    error
	notBegun bool // the transaction did not begin, so it can safely be tried again
}

func (e *Error) Error() string { return "database: " + e.reason }

// Unwrap is the driver's error. Its text is not for anyone's eyes: it may quote stored values.
func (e *Error) Unwrap() error { return e.cause }

// wrap makes a driver's error fit to be seen; nil stays nil.
func wrap(err error) error {
	if err == nil {
		return nil
	}
	if already := (*Error)(nil); errors.As(err, &already) {
		return err
	}
	return &Error{reason: reason(err), cause: err}
}

// notBegun is wrap for the failure to begin a transaction, as on a connection that the server has closed meanwhile.
func notBegun(err error) error {
	return &Error{reason: reason(err), cause: err, notBegun: true}
}

func reason(err error) string {
	if e := (*pgconn.PgError)(nil); errors.As(err, &e) {
		return postgresReason(e.Code)
	}
	if e := (*sqlite.Error)(nil); errors.As(err, &e) {
		return sqliteReason(e.Code())
	}
	var network net.Error
	switch {
	case errors.Is(err, context.Canceled):
		return "the caller went away"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return "no answer in time"
	case errors.As(err, &network):
		return "cannot be reached"
	case errors.Is(err, driver.ErrBadConn), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "the connection was lost"
	}
	return "an unexpected failure"
}

// postgresReason explains the SQLSTATEs that an operator can do something about (PostgreSQL manual, appendix A).
func postgresReason(state string) string {
	text := map[string]string{
		"25006": "the database is read-only; is this a standby?",
		"28000": "the user may not connect",
		"28P01": "the user or password is wrong",
		"3D000": "there is no database of that name",
		"42501": "the user lacks a permission",
		"42P01": "a table is missing: run \"uncial migrate\"",
		"53100": "the disk is full",
		"53300": "the server has no connection to spare",
		"57014": "no answer in time",
		"57P01": "the server is shutting down",
		"57P03": "the server is starting up",
	}[state]
	if text == "" {
		text = "the statement failed"
	}
	return text + " (SQLSTATE " + state + ")"
}

func sqliteReason(code int) string {
	text := map[int]string{
		sqlite3.SQLITE_BUSY:      "another process keeps the file locked",
		sqlite3.SQLITE_CANTOPEN:  "the file cannot be opened; look at its path and permissions",
		sqlite3.SQLITE_CORRUPT:   "the file is damaged",
		sqlite3.SQLITE_FULL:      "the disk is full",
		sqlite3.SQLITE_INTERRUPT: "no answer in time",
		sqlite3.SQLITE_IOERR:     "the file cannot be read or written",
		sqlite3.SQLITE_NOTADB:    "the file is not a SQLite database",
		sqlite3.SQLITE_READONLY:  "the file is read-only",
	}[code&0xff]
	if text == "" {
		text = "the statement failed"
	}
	return text + " (SQLite code " + strconv.Itoa(code) + ")"
}

// retryable reports whether nothing has happened yet, for reasons that a second attempt need not meet again.
func retryable(err error) bool {
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
