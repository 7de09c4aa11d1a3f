package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
	"golang.org/x/sys/unix"
)

//go:embed migrations/*.sql
var migrations embed.FS

const (
	// migrateTimeout is the time limit for all migrations together, including the wait for other processes that migrate.
	migrateTimeout = 10 * time.Minute
	// lockRetry is the pause between two attempts to lock the folder of a SQLite file: flock(2) cannot wait with a timeout.
	lockRetry = 20 * time.Millisecond
)

// Errors of CheckSchema.
var (
	errOlderSchema = errors.New("the schema needs an update, which this command does not perform; upgrade the service, or run `uncial migrate`")
	errNewerSchema = errors.New("a newer version of this program wrote the schema; run that version")
)

// Migrate updates the schema and returns how many migrations it applied: 0 if the schema was current. Any number of
// processes may call it at once; one of them migrates while the others wait.
func (s *Store) Migrate(ctx context.Context) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, migrateTimeout)
	defer cancel()
	var applied []*goose.MigrationResult
	err := s.withProvider(func(p *goose.Provider) (err error) {
		applied, err = p.Up(ctx)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("migrate %s: %w", s.Location(), wrap(err))
	}
	return len(applied), nil
}

// CheckSchema returns an error if the schema of a database that has tables is older or newer than this program's. It changes
// nothing.
func (s *Store) CheckSchema(ctx context.Context) error {
	files, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return err
	}
	var version int // migrations are numbered from 1, without gaps
	err = s.Reader().Get(ctx, `SELECT COALESCE(MAX(version_id), 0) FROM goose_db_version WHERE is_applied`, nil, &version)
	switch {
	case err != nil:
		return err
	case version < len(files):
		return errOlderSchema
	case version > len(files):
		return errNewerSchema
	}
	return nil
}

// withProvider runs fn with a goose provider for this database. Meanwhile a lock makes other processes that want to migrate
// wait: for Postgres an advisory lock, for SQLite a lock on the folder.
func (s *Store) withProvider(fn func(*goose.Provider) error) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	db, dialect, locker := s.write, goose.DialectSQLite3, lock.SessionLocker(&folderLock{path: s.url})
	if s.postgres {
		dialect = goose.DialectPostgres
		const period, attempts = 1, 300 // one attempt to lock per second, for 5 minutes
		if locker, err = lock.NewPostgresSessionLocker(lock.WithLockTimeout(period, attempts)); err != nil {
			return err
		}
		config, err := postgresConfig(s.url)
		if err != nil {
			return err
		}
		db = stdlib.OpenDB(*config) // the advisory lock belongs to a connection that goose holds
		defer func() { _ = db.Close() }()
	}
	provider, err := goose.NewProvider(dialect, db, files,
		goose.WithSessionLocker(locker), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	return fn(provider)
}

// folderLock keeps processes from migrating the same SQLite file at the same time. It locks the folder of the file, because
// SQLite itself locks the file, and a separate lock file would be left behind.
type folderLock struct {
	path   string // sqlite:PATH
	folder *os.File
}

// SessionLock waits until no other process holds the lock, or ctx ends.
func (l *folderLock) SessionLock(ctx context.Context, _ *sql.Conn) error {
	path, _ := sqlitePath(l.path)
	if path == memory {
		return nil
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	for {
		err := unix.Flock(int(folder.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			l.folder = folder
			return nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			return errors.Join(err, folder.Close())
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), folder.Close())
		case <-time.After(lockRetry):
		}
	}
}

// SessionUnlock releases the lock: flock(2) drops it when the descriptor is closed.
func (l *folderLock) SessionUnlock(context.Context, *sql.Conn) error {
	if l.folder == nil {
		return nil
	}
	return l.folder.Close()
}

var _ lock.SessionLocker = (*folderLock)(nil)
