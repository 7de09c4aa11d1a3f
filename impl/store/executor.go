package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"time"
)

// ErrNoRows is the error of Get if no row matches.
var ErrNoRows = sql.ErrNoRows

// Args are the values of the placeholders $1, $2, ... of a statement.
type Args = []any

// Executor runs statements, each with its own timeout or, in a transaction, within that of the transaction. The same statements
// run on both databases: they use placeholders $1, $2 and so on, no locking clauses (SQLite has none), and never the clock of
// the database (tests and replicas set the time). Errors are *Error or ErrNoRows.
type Executor struct {
	on interface {
		ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
		QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
		QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	}
	timeout time.Duration // 0 inside a transaction, which has a timeout as a whole
	measure func() func() // nil inside a transaction, which is measured as a whole
}

// limited returns the context of one statement, with its timeout.
func (x Executor) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if x.timeout == 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, x.timeout)
}

// measured starts to measure the time of a statement. The function that it returns ends the measurement.
func (x Executor) measured() func() {
	if x.measure == nil {
		return func() {}
	}
	return x.measure()
}

// Exec runs a statement and returns the number of rows that it changed. Errors: *Error.
func (x Executor) Exec(ctx context.Context, statement string, args ...any) (int64, error) {
	defer x.measured()()
	ctx, cancel := x.limited(ctx)
	defer cancel()
	result, err := x.on.ExecContext(ctx, statement, args...)
	if err != nil {
		return 0, wrap(err)
	}
	n, err := result.RowsAffected()
	return n, wrap(err)
}

// ExecOr runs a statement and returns none if it changed no row. Errors: none, *Error.
func (x Executor) ExecOr(ctx context.Context, none error, statement string, args ...any) error {
	n, err := x.Exec(ctx, statement, args...)
	if err == nil && n == 0 {
		return none
	}
	return err
}

// Get reads the first row of the result into dest, one pointer for each column. Errors: ErrNoRows if the result is empty,
// *Error.
func (x Executor) Get(ctx context.Context, statement string, args Args, dest ...any) error {
	defer x.measured()()
	ctx, cancel := x.limited(ctx)
	defer cancel()
	err := x.on.QueryRowContext(ctx, statement, args...).Scan(dest...)
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNoRows
	}
	return wrap(err)
}

// All returns every row of the result, in order, or nil if there is none. read converts one row, whose columns it gets
// from scan. All rows are in memory, so statements over many rows need a LIMIT. Errors: read's, *Error.
func All[T any](ctx context.Context, x Executor, statement string, args Args,
	read func(scan func(dest ...any) error) (T, error),
) ([]T, error) {
	defer x.measured()()
	ctx, cancel := x.limited(ctx)
	defer cancel()
	rows, err := x.on.QueryContext(ctx, statement, args...)
	if err != nil {
		return nil, wrap(err)
	}
	defer func() { _ = rows.Close() }() // rows.Err reports all failures
	var all []T
	for rows.Next() {
		item, err := read(rows.Scan)
		if err != nil {
			return nil, wrap(err)
		}
		all = append(all, item)
	}
	return all, wrap(rows.Err())
}

// OrNull returns a pointer to text, or nil if it is empty, so that the column is NULL.
func OrNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// Instant is a time as it is stored: microseconds since 1970-01-01 UTC in an integer column, so that both databases have
// the same precision. The zero time is NULL.
type Instant struct{ time.Time }

// At returns t with the precision that a column has: UTC, rounded down to whole microseconds.
func At(t time.Time) Instant {
	if t.IsZero() {
		return Instant{}
	}
	return Instant{time.UnixMicro(t.UnixMicro()).UTC()}
}

// Value implements driver.Valuer.
func (i Instant) Value() (driver.Value, error) {
	if i.IsZero() {
		return nil, nil
	}
	return i.UnixMicro(), nil
}

// Scan implements sql.Scanner.
func (i *Instant) Scan(value any) error {
	switch v := value.(type) {
	case nil:
		*i = Instant{}
	case int64:
		*i = Instant{time.UnixMicro(v).UTC()}
	default:
		return fmt.Errorf("cannot read a time from a column of type %T; expected an integer", value)
	}
	return nil
}

var (
	_ driver.Valuer = Instant{}
	_ sql.Scanner   = (*Instant)(nil)
)
