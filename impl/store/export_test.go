package store

import (
	"context"
	"database/sql"
	"testing"

	"github.com/pressly/goose/v3"
	"github.com/stretchr/testify/require"
)

// MigrateTo updates the schema to an earlier version.
func (s *Store) MigrateTo(ctx context.Context, version int64) error {
	return s.withProvider(func(p *goose.Provider) error {
		_, err := p.UpTo(ctx, version)
		return err
	})
}

const MaxStatements = maxStatements

// Wrap turns a driver's error into an *Error.
var Wrap = wrap

// MustCountPrepared returns the number of statements that a connection of the pool has prepared.
func MustCountPrepared(tb testing.TB, db *sql.DB) (n int) {
	tb.Helper()
	conn, err := db.Conn(tb.Context())
	require.NoError(tb, err)
	defer func() { require.NoError(tb, conn.Close()) }()
	require.NoError(tb, conn.Raw(func(raw any) error {
		n = len(raw.(*preparing).statements)
		return nil
	}))
	return n
}

// Errors of the URL and the schema.
var (
	ErrNewerSchema = errNewerSchema
	ErrOlderSchema = errOlderSchema
	ErrURL         = errURL
)
