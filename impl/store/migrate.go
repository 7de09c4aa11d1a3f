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

const migrateTimeout = 10 * time.Minute

// Migrate brings the schema up to date and returns how many migrations it applied: none where it was. Any number of
// processes may call it at once; one of them works, the others wait.
func (s *Store) Migrate(ctx context.Context) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, migrateTimeout)
	defer cancel()
	var applied []*goose.MigrationResult
	err := s.withProvider(func(p *goose.Provider) (err error) {
		applied, err = p.Up(ctx)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("migrate: %w", wrap(err))
	}
	return len(applied), nil
}

// Pending reports whether Migrate has work to do.
func (s *Store) Pending(ctx context.Context) (bool, error) {
	var pending bool
	err := s.withProvider(func(p *goose.Provider) (err error) {
		pending, err = p.HasPending(ctx)
		return err
	})
	return pending, wrap(err)
}

func (s *Store) withProvider(fn func(*goose.Provider) error) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	db, dialect, locker := s.write, goose.DialectSQLite3, lock.SessionLocker(&folderLock{path: s.url})
	if s.postgres {
		dialect = goose.DialectPostgres
		if locker, err = lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 300)); err != nil {
			return err
		}
		config, err := postgresConfig(s.url)
		if err != nil {
			return err
		}
		db = stdlib.OpenDB(*config) // the advisory lock belongs to a connection, which goose keeps
		defer func() { _ = db.Close() }()
	}
	provider, err := goose.NewProvider(dialect, db, files,
		goose.WithSessionLocker(locker), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	return fn(provider)
}

// folderLock keeps processes from migrating one SQLite file at once. It locks the file's folder: the file itself has
// locks of SQLite's, and a file made for the lock would stay behind.
type folderLock struct {
	path   string // sqlite:PATH
	folder *os.File
}

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
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// SessionUnlock lets go; closing the descriptor drops the lock.
func (l *folderLock) SessionUnlock(context.Context, *sql.Conn) error {
	if l.folder == nil {
		return nil
	}
	return l.folder.Close()
}

var _ lock.SessionLocker = (*folderLock)(nil)
