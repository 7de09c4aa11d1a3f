package store_test

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"uncial/impl/store"
)

func TestError_IsTemporary(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cause error
		want  bool
	}{
		{context.DeadlineExceeded, true},
		{&net.OpError{Op: "dial", Err: errors.New("connection refused")}, true},
		{driver.ErrBadConn, true},
		{io.ErrUnexpectedEOF, true},
		{&pgconn.PgError{Code: "08006"}, true},  // the connection failed
		{&pgconn.PgError{Code: "53300"}, true},  // too many connections
		{&pgconn.PgError{Code: "55P03"}, true},  // locked
		{&pgconn.PgError{Code: "57P01"}, true},  // shutting down
		{&pgconn.PgError{Code: "57P03"}, true},  // starting up
		{&pgconn.PgError{Code: "53100"}, false}, // the disk is full
		{&pgconn.PgError{Code: "42P01"}, false}, // a table is missing
		{context.Canceled, false},
		{errors.New("unexpected"), false},
	} {
		var failure *store.Error
		require.ErrorAs(t, store.Wrap(fmt.Errorf("statement: %w", c.cause)), &failure)
		require.Equal(t, c.want, failure.IsTemporary(), "%v", c.cause)
	}
}
