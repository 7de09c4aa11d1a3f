// Package store is the one way to the database, which is a SQLite file or a Postgres server. Both run the same
// statements and the same migrations; what they differ in stays in this package.
//
// A replica may be one of many on the same Postgres, and a SQLite file may be open in several processes: nothing is
// held in memory, and every rule that must hold under a race is a conditional statement.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"time"

	"github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite" // the driver "sqlite"
)

const (
	connectTimeout  = 5 * time.Second
	idleTimeout     = 5 * time.Minute
	connLifetime    = 30 * time.Minute // so that connections follow a failover behind one name
	snapshotTimeout = 10 * time.Minute
	attempts        = 8 // at a transaction that keeps losing races
)

// Options of an open database. The zero value is good.
type Options struct {
	// MaxConns bounds the connections to Postgres, and those that read a SQLite file. Default 16.
	MaxConns int
	// Existing asks for a SQLite file that is there already, so that a mistyped path is an error and not a new database.
	Existing bool
	// Timeout bounds each statement, and each transaction with the wait for a connection. Default 10 s.
	Timeout time.Duration
}

// Store is an open database. It is safe for concurrent use.
type Store struct {
	url      string
	read     *sql.DB
	write    *sql.DB // the same as read, but for a SQLite file, which has one writer at a time
	timeout  time.Duration
	postgres bool
}

// Open connects to sqlite:PATH, sqlite::memory: (private to this Store) or postgres://.... A SQLite file and its
// folder are made where they are missing, unless Existing. The schema is Migrate's business. Errors: ErrURL, *Error.
func Open(ctx context.Context, databaseURL string, o Options) (*Store, error) {
	if o.MaxConns <= 0 {
		o.MaxConns = 16
	}
	if o.Timeout <= 0 {
		o.Timeout = 10 * time.Second
	}
	s := &Store{url: databaseURL, timeout: o.Timeout}
	if err := s.connect(o); err != nil {
		return nil, err
	}
	if err := s.awaken(ctx); err != nil {
		_ = s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Store) connect(o Options) error {
	if path, ok := sqlitePath(s.url); ok {
		return s.connectSQLite(path, o)
	}
	if !isPostgres(s.url) {
		return ErrURL
	}
	config, err := postgresConfig(s.url)
	if err != nil {
		return err
	}
	s.postgres = true
	s.write = pool(stdlib.OpenDB(*config), o.MaxConns)
	s.read = s.write
	return nil
}

func (s *Store) connectSQLite(path string, o Options) error {
	if path == memory {
		db, err := sql.Open("sqlite", sqliteDSN(memory))
		if err != nil {
			return wrap(err)
		}
		db.SetMaxOpenConns(1) // the database lives and dies with its one connection
		s.read, s.write = db, db
		return nil
	}
	if o.Existing {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return &Error{reason: "there is no such file; look at its path", cause: err}
		}
	} else if err := createFile(path); err != nil {
		return &Error{reason: "the file cannot be made; look at its path and permissions", cause: err}
	}
	writer, err := sql.Open("sqlite", sqliteDSN(path, "journal_mode(WAL)"))
	if err != nil {
		return wrap(err)
	}
	reader, err := sql.Open("sqlite", sqliteDSN(path, "query_only(1)"))
	if err != nil {
		_ = writer.Close()
		return wrap(err)
	}
	s.write, s.read = pool(writer, 1), pool(reader, o.MaxConns)
	return nil
}

func pool(db *sql.DB, conns int) *sql.DB {
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	db.SetConnMaxIdleTime(idleTimeout)
	db.SetConnMaxLifetime(connLifetime)
	return db
}

// awaken makes the first connections. Turning a new SQLite file to write-ahead logging may meet another process that
// does the same, which SQLite reports at once instead of waiting.
func (s *Store) awaken(ctx context.Context) error {
	err := again(ctx, func() error {
		_, err := s.Writer().Exec(ctx, `SELECT 1`)
		return err
	})
	if err != nil {
		return err
	}
	return s.Ping(ctx)
}

// Ping reports whether the database answers.
func (s *Store) Ping(ctx context.Context) error {
	var one int
	return s.Reader().Get(ctx, `SELECT 1`, nil, &one)
}

// Probe writes the time into a row, so that a database which answers but takes nothing, such as on a full disk, is found
// out. The same time again is no write for SQLite.
func (s *Store) Probe(ctx context.Context, now time.Time) error {
	_, err := s.Writer().Exec(ctx, `INSERT INTO probes (id, written_at) VALUES (1, $1)
		ON CONFLICT (id) DO UPDATE SET written_at = excluded.written_at`, At(now))
	return err
}

// Close waits for running statements and closes all connections.
func (s *Store) Close() error {
	err := s.write.Close()
	if s.read != s.write {
		if e := s.read.Close(); err == nil {
			err = e
		}
	}
	return wrap(err)
}

// Kind is "sqlite" or "postgres".
func (s *Store) Kind() string {
	if s.postgres {
		return "postgres"
	}
	return "sqlite"
}

// Reader runs single statements that change nothing.
func (s *Store) Reader() Executor { return Executor{on: s.read, timeout: s.timeout} }

// Writer runs single statements, each a transaction of its own.
func (s *Store) Writer() Executor { return Executor{on: s.write, timeout: s.timeout} }

// Tx runs fn in one transaction: all of it happens or nothing. It commits where fn returns nil and else fails with
// fn's error. Where the database ended the transaction in favour of another one, fn runs again, so it must have no
// other effect; inside it only the executor may be used.
//
// Only the wait for a connection ends with ctx. A transaction that has begun runs on under a deadline of its own, so
// that a caller never has to wonder whether what it broke off has happened.
func (s *Store) Tx(ctx context.Context, fn func(ctx context.Context, x Executor) error) error {
	waiting, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	return again(waiting, func() error {
		conn, err := s.write.Conn(waiting)
		if err != nil {
			return wrap(err)
		}
		defer func() { _ = conn.Close() }() // back to the pool
		begun, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.timeout)
		defer cancel()
		return within(begun, conn, &sql.TxOptions{}, s.timeout, fn)
	})
}

// Snapshot runs fn on one unchanging state of the whole database. fn must not write.
func (s *Store) Snapshot(ctx context.Context, fn func(ctx context.Context, x Executor) error) error {
	ctx, cancel := context.WithTimeout(ctx, snapshotTimeout)
	defer cancel()
	conn, err := s.read.Conn(ctx)
	if err != nil {
		return wrap(err)
	}
	defer func() { _ = conn.Close() }()
	options := &sql.TxOptions{ReadOnly: true}
	if s.postgres {
		options.Isolation = sql.LevelRepeatableRead // SQLite's readers have it anyway
	}
	return within(ctx, conn, options, snapshotTimeout, fn)
}

func within(ctx context.Context, conn *sql.Conn, o *sql.TxOptions, timeout time.Duration,
	fn func(ctx context.Context, x Executor) error,
) error {
	tx, err := conn.BeginTx(ctx, o)
	if err != nil {
		return notBegun(err)
	}
	if err := fn(ctx, Executor{on: tx, timeout: timeout}); err != nil {
		_ = tx.Rollback() // fn's error is the one to know; a lost connection rolls back by itself
		return err
	}
	return wrap(tx.Commit())
}

// again repeats try, at growing random intervals, while all that went wrong is that it lost a race or a connection.
func again(ctx context.Context, try func() error) error {
	var err error
	for i := range attempts {
		if err = try(); !retryable(err) {
			return err
		}
		pause := time.Duration(1+rand.IntN(1<<i)) * 5 * time.Millisecond
		select {
		case <-ctx.Done():
			return wrap(ctx.Err())
		case <-time.After(pause):
		}
	}
	return fmt.Errorf("after %d attempts: %w", attempts, err)
}
