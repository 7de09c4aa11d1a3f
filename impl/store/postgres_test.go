package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/store"
	"uncial/impl/store/storetest"
	"uncial/testcontainers"
)

func TestStore_Tx_Deadlock(t *testing.T) {
	t.Parallel()
	st := storetest.MustMigrate(t, testcontainers.Postgres(t))
	for _, id := range []string{"a", "b"} {
		require.NoError(t, addAccount(t.Context(), st.Writer(), id, noon))
	}
	rename := func(ctx context.Context, x store.Executor, id string) error {
		_, err := x.Exec(ctx, `UPDATE accounts SET name = name || 'x' WHERE id = $1`, id)
		return err
	}
	var locked, wg sync.WaitGroup
	locked.Add(2)
	for _, order := range [][2]string{{"a", "b"}, {"b", "a"}} {
		wg.Go(func() {
			var meet sync.Once
			err := st.Tx(t.Context(), func(ctx context.Context, x store.Executor) error {
				if err := rename(ctx, x, order[0]); err != nil {
					return err
				}
				meet.Do(func() { locked.Done(); locked.Wait() }) // each has locked the row that the other wants next
				return rename(ctx, x, order[1])
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	var a, b string
	require.NoError(t, st.Reader().Get(t.Context(),
		`SELECT a.name, b.name FROM accounts a, accounts b WHERE a.id = 'a' AND b.id = 'b'`, nil, &a, &b))
	require.Equal(t, []string{"Axx", "Axx"}, []string{a, b}, "both transactions happened once")
}

func TestStore_Tx_LostConnection(t *testing.T) {
	t.Parallel()
	address := testcontainers.Postgres(t)
	st, other := storetest.MustMigrate(t, address), storetest.MustOpen(t, address)
	for range 5 {
		_, err := other.Writer().Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE datname = current_database() AND pid <> pg_backend_pid()`)
		require.NoError(t, err)
		require.NoError(t, st.Tx(t.Context(), func(ctx context.Context, x store.Executor) error {
			_, err := x.Exec(ctx, `UPDATE accounts SET name = name`)
			return err
		}))
	}
}

func TestStore_Writer_Timeout(t *testing.T) {
	t.Parallel()
	st, err := store.Open(t.Context(), testcontainers.Postgres(t), store.Options{Timeout: time.Second})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, st.Close()) })
	began := time.Now()
	_, single := st.Writer().Exec(t.Context(), `SELECT pg_sleep(20)`)
	inTx := st.Tx(t.Context(), func(ctx context.Context, x store.Executor) error {
		_, err := x.Exec(ctx, `SELECT pg_sleep(20)`)
		return err
	})
	for _, err := range []error{single, inTx} {
		require.EqualError(t, err, "database: timed out")
	}
	require.Less(t, time.Since(began), 10*time.Second)
}

func TestOpen_Postgres(t *testing.T) {
	t.Parallel()
	good, err := url.Parse(testcontainers.Postgres(t))
	require.NoError(t, err)
	mute, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = mute.Close() })
	closed, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, closed.Close())

	for name, c := range map[string]struct {
		change func(u *url.URL)
		want   string
	}{
		"nobody listens":   {func(u *url.URL) { u.Host = closed.Addr().String() }, "connection refused"},
		"nobody answers":   {func(u *url.URL) { u.Host = mute.Addr().String() }, "timed out"},
		"unknown database": {func(u *url.URL) { u.Path = "/nowhere" }, "the database does not exist"},
		"unknown user":     {func(u *url.URL) { u.User = url.UserPassword("nobody", "hunter2") }, "the user is not allowed"},
		"no TLS offered":   {func(u *url.URL) { u.RawQuery = "sslmode=require" }, "does not offer TLS"},
		"no sslmode":       {func(u *url.URL) { u.Path, u.RawQuery = "/nowhere", "" }, "the database does not exist"},
		"unknown setting":  {func(u *url.URL) { u.RawQuery = "sslmod=x" }, "unknown parameter sslmod in the URL"},
		"unknown host":     {func(u *url.URL) { u.Host = "postgres.invalid:5432" }, "cannot be resolved"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := *good
			u.User = url.UserPassword("uncial", "hunter2")
			c.change(&u)
			began := time.Now()
			_, err := store.Open(t.Context(), u.String(), store.Options{Timeout: time.Second})
			require.ErrorContains(t, err, c.want)
			require.ErrorContains(t, err, fmt.Sprintf("at %s, database %q, user %q: ", u.Host, strings.TrimPrefix(u.Path, "/"), u.User.Username()))
			require.NotContains(t, err.Error(), "hunter2")
			require.Less(t, time.Since(began), 20*time.Second)
		})
	}
}

func TestStore_Migrate_NoRights(t *testing.T) {
	t.Parallel()
	owner, err := url.Parse(testcontainers.Postgres(t))
	require.NoError(t, err)
	db, err := sql.Open("pgx", owner.String())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	_, err = db.ExecContext(t.Context(), `DROP ROLE IF EXISTS visitor`)
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), `CREATE ROLE visitor LOGIN PASSWORD 'hunter2'`)
	require.NoError(t, err)

	visitor := *owner
	visitor.User = url.UserPassword("visitor", "hunter2")
	st, err := store.Open(t.Context(), visitor.String(), store.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, st.Close()) })
	_, err = st.Migrate(t.Context())
	require.EqualError(t, err, "migrate postgres://visitor@"+owner.Host+owner.Path+": database: the user lacks a permission (SQLSTATE 42501)")
}

func TestOpen_Postgres_TLS(t *testing.T) {
	t.Parallel()
	server, authority := testcontainers.PostgresTLS(t)
	for name, c := range map[string]struct{ host, query, want string }{
		"with the authority":    {"127.0.0.1", "sslmode=verify-full&sslrootcert=" + authority, ""},
		"without a check":       {"127.0.0.1", "sslmode=require", ""},
		"without TLS":           {"127.0.0.1", "sslmode=disable", "the server requires TLS"},
		"without the authority": {"127.0.0.1", "sslmode=verify-full", "signed by an unknown authority"},
		"by another name":       {"localhost", "sslmode=verify-full&sslrootcert=" + authority, "for another host name"},
		"with a missing file":   {"127.0.0.1", "sslmode=verify-full&sslrootcert=/nowhere.pem", "cannot read the file /nowhere.pem"},
		"with a file of text":   {"127.0.0.1", "sslmode=verify-full&sslrootcert=/etc/hostname", "contains no certificate"},
		"with an unknown mode":  {"127.0.0.1", "sslmode=on", "invalid sslmode"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u, err := url.Parse(server)
			require.NoError(t, err)
			u.Host, u.RawQuery, u.User = net.JoinHostPort(c.host, u.Port()), c.query, url.UserPassword("uncial", "hunter2")
			st, err := store.Open(t.Context(), u.String(), store.Options{})
			if c.want == "" {
				require.NoError(t, err)
				require.NotContains(t, st.Location(), "hunter2")
				require.NoError(t, st.Close())
				return
			}
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "hunter2")
		})
	}
}

func TestOpen_Postgres_Existing(t *testing.T) {
	t.Parallel()
	address := testcontainers.Postgres(t)
	_, err := store.Open(t.Context(), address, store.Options{Existing: true})
	require.ErrorContains(t, err, "has no tables yet")
	storetest.MustMigrate(t, address)
	st, err := store.Open(t.Context(), address, store.Options{Existing: true})
	require.NoError(t, err)
	require.NoError(t, st.Close())
}
