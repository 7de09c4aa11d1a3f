// Package store connects to the database, a SQLite file or a Postgres server, and runs statements and transactions on it. Both
// databases run the same statements and the same migrations (folder migrations); their differences stay in this package. Each
// table is owned and documented by the package that uses it: account with user and session, ledger, notice or ratelimit. Start
// with Store and Executor.
//
// Many replicas may share one Postgres, and several processes may open one SQLite file. Nothing is therefore cached in
// memory, and every rule that must hold when requests race is a conditional statement.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

const (
	// Connections to Postgres. Idle ones are closed, so that replicas share its connections.
	connectTimeout  = 5 * time.Second
	idleTimeout     = 5 * time.Minute
	connLifetime    = 30 * time.Minute // so that connections follow a failover behind one host name
	snapshotTimeout = time.Hour        // for an audit, which reads every row; ten million entries take minutes
	maxAttempts     = 8                // of a transaction that loses every race; the last pause is up to 640 ms
	// retryUnit is the pause after the first lost race. Later ones are random, up to twice as long each time.
	retryUnit = 5 * time.Millisecond

	defaultMaxConns = 16
	defaultTimeout  = 10 * time.Second
)

// Options of a Store. The zero value uses the defaults.
type Options struct {
	// MaxConns is the maximum number of connections to Postgres, or of those that read a SQLite file. Default: 16.
	MaxConns int
	// Existing makes it an error if the SQLite file is missing or the database has no tables, so that a mistyped URL does not
	// create a new database.
	Existing bool
	// Timeout is the time limit for each statement, each transaction and each wait for a connection. Default: 10 s.
	Timeout time.Duration
}

// Store is an open database. It is safe for concurrent use.
type Store struct {
	url      string
	read     *sql.DB
	write    *sql.DB // same as read for Postgres; a single connection for a SQLite file, which has one writer at a time
	timeout  time.Duration
	postgres bool
	server   *pgx.ConnConfig // nil for SQLite
	observe  atomic.Pointer[func(took time.Duration)]
}

// Open connects to sqlite:PATH, sqlite::memory: (private to this Store) or postgres://.... It creates a missing SQLite file and
// its folder, unless Options.Existing is set. It does not touch the schema; see Migrate. Errors: *Error, or one that says what
// is wrong with the URL.
func Open(ctx context.Context, databaseURL string, o Options) (*Store, error) {
	if o.MaxConns <= 0 {
		o.MaxConns = defaultMaxConns
	}
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	s := &Store{url: databaseURL, timeout: o.Timeout}
	if err := s.connect(o); err != nil {
		return nil, err
	}
	err := s.connectFirst(ctx)
	if err == nil && o.Existing {
		err = s.requireTables(ctx)
	}
	if err != nil {
		_ = s.Close()
		return nil, err
	}
	return s, nil
}

// connect opens the pools of connections without making a connection. Errors: errURL, *Error.
func (s *Store) connect(o Options) error {
	if path, ok := sqlitePath(s.url); ok {
		return s.connectSQLite(path, o)
	}
	if !isPostgres(s.url) {
		return errURL
	}
	config, err := postgresConfig(s.url)
	if err != nil {
		return err
	}
	s.postgres, s.server = true, config
	s.write = pool(stdlib.OpenDB(*config), o.MaxConns)
	s.read = s.write
	return nil
}

// connectSQLite opens one connection for writing and several for reading. With a single writer, transactions of this
// process queue in Go, where ctx ends the wait, instead of failing with SQLITE_BUSY.
func (s *Store) connectSQLite(path string, o Options) error {
	if path == memory {
		db := sql.OpenDB(sqliteConnector{sqliteDSN(memory)})
		db.SetMaxOpenConns(1) // the database exists as long as its only connection
		s.read, s.write = db, db
		return nil
	}
	if o.Existing {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return &Error{reason: "the SQLite file " + path + " does not exist; check --database, or create it: start the service, or run `uncial migrate`", cause: err}
		}
	} else if err := createFile(path); err != nil {
		return fileError(path, err)
	}
	var journal []string // an existing file stays as it is: switching the mode writes even to an empty one
	if !o.Existing {
		journal = []string{"journal_mode(WAL)"}
	}
	writer := sql.OpenDB(sqliteConnector{sqliteDSN(path, journal...)})
	reader := sql.OpenDB(sqliteConnector{sqliteDSN(path, "query_only(1)")})
	s.write, s.read = pool(writer, 1), pool(reader, o.MaxConns)
	return nil
}

// pool limits the number of connections of db. Idle ones stay open for idleTimeout, because connecting to Postgres takes
// milliseconds.
func pool(db *sql.DB, conns int) *sql.DB {
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	db.SetConnMaxIdleTime(idleTimeout)
	db.SetConnMaxLifetime(connLifetime)
	return db
}

// connectFirst makes the first connections. It retries, because two processes that switch a new SQLite file to
// write-ahead logging at the same time get an error at once instead of waiting for each other.
func (s *Store) connectFirst(ctx context.Context) error {
	err := retry(ctx, func() error {
		_, err := s.Writer().Exec(ctx, `SELECT 1`)
		return err
	})
	if err == nil {
		err = s.Ping(ctx)
	}
	if err == nil {
		return nil
	}
	if s.postgres {
		return connectError(s.server, err)
	}
	path, _ := sqlitePath(s.url)
	return fileError(path, err)
}

// Ping returns nil if the database answers. It does not tell whether writing works; see Probe. Errors: *Error.
func (s *Store) Ping(ctx context.Context) error {
	var one int
	return s.Reader().Get(ctx, `SELECT 1`, nil, &one)
}

// Probe returns nil if the database accepts writes. It stores now in a row, which fails on a standby or a full disk, where
// Ping succeeds. now must differ from call to call: SQLite does not write a row that stays the same.
func (s *Store) Probe(ctx context.Context, now time.Time) error {
	_, err := s.Writer().Exec(ctx, `INSERT INTO probes (id, written_at) VALUES (1, $1)
		ON CONFLICT (id) DO UPDATE SET written_at = excluded.written_at`, At(now))
	return err
}

// Close waits for running statements and closes all connections. Errors: *Error.
func (s *Store) Close() error {
	err := s.write.Close()
	if s.read != s.write {
		if e := s.read.Close(); err == nil {
			err = e
		}
	}
	return wrap(err)
}

// Observe makes the store call f with the time of each statement and each transaction from now on, including the wait for a
// connection.
func (s *Store) Observe(f func(took time.Duration)) { s.observe.Store(&f) }

// measure returns a function that reports the time since the call to the observer.
func (s *Store) measure() func() {
	f := s.observe.Load()
	if f == nil {
		return func() {}
	}
	began := time.Now()
	return func() { (*f)(time.Since(began)) }
}

// Pools returns the pools of connections by their purpose: "read" and "write" for SQLite, "postgres" for Postgres.
func (s *Store) Pools() map[string]*sql.DB {
	if s.postgres {
		return map[string]*sql.DB{"postgres": s.write}
	}
	return map[string]*sql.DB{"read": s.read, "write": s.write}
}

// Reader returns an executor for single statements that change nothing.
func (s *Store) Reader() Executor {
	return Executor{on: s.read, timeout: s.timeout, measure: s.measure}
}

// Writer returns an executor for single statements, each a transaction of its own.
func (s *Store) Writer() Executor {
	return Executor{on: s.write, timeout: s.timeout, measure: s.measure}
}

// Tx runs fn in one transaction. It commits if fn returns nil; otherwise it rolls back and returns fn's error. fn must use only
// the executor and have no other effect, because it runs again if the database aborted the transaction in favour of another.
//
// ctx ends only the wait for a connection. A transaction that has begun continues with its own timeout, so that cancelling
// never leaves open whether the transaction was committed. Errors: fn's, *Error.
func (s *Store) Tx(ctx context.Context, fn func(ctx context.Context, x Executor) error) error {
	defer s.measure()()
	waiting, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	return retry(waiting, func() error {
		conn, err := s.write.Conn(waiting)
		if err != nil {
			return wrap(err)
		}
		defer func() { _ = conn.Close() }() // back to the pool
		begun, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.timeout)
		defer cancel()
		return inTx(begun, conn, &sql.TxOptions{}, fn)
	})
}

// Snapshot runs fn on one snapshot of the whole database: concurrent writes stay invisible to it. fn must not write.
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
		options.Isolation = sql.LevelRepeatableRead // readers of SQLite always see one snapshot
	}
	return inTx(ctx, conn, options, fn)
}

// inTx runs fn in a transaction on conn, which ends with ctx. A transaction that cannot begin is marked as safe to retry.
func inTx(ctx context.Context, conn *sql.Conn, o *sql.TxOptions, fn func(ctx context.Context, x Executor) error) error {
	tx, err := conn.BeginTx(ctx, o)
	if err != nil {
		return notBegun(err)
	}
	if err := fn(ctx, Executor{on: tx}); err != nil {
		_ = tx.Rollback() // report fn's error; a lost connection rolls back by itself
		return err
	}
	return wrap(tx.Commit())
}

// retry repeats try while its error isRetryable, at most maxAttempts times, after growing random pauses. Errors: those of
// try, or ctx's error as an *Error.
func retry(ctx context.Context, try func() error) error {
	var err error
	for i := range maxAttempts {
		if err = try(); !isRetryable(err) {
			return err
		}
		pause := time.Duration(1+rand.IntN(1<<i)) * retryUnit
		select {
		case <-ctx.Done():
			return wrap(ctx.Err())
		case <-time.After(pause):
		}
	}
	return fmt.Errorf("gave up after %d attempts: %w", maxAttempts, err)
}
