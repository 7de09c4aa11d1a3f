package store_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/store"
	"uncial/impl/store/storetest"
	"uncial/testcontainers"
)

var noon = time.Date(2026, time.March, 16, 12, 0, 0, 0, time.UTC)

// fixture is a test of a store with its schema in place.
type fixture struct {
	testing.TB
	*store.Store
	url string
}

// storeTests maps the names of sub-tests to their functions; each gets its own fixture.
type storeTests map[string]func(fixture)

func (tests storeTests) run(t *testing.T) {
	t.Helper()
	storetest.Run(t, testcontainers.Postgres, newFixture, tests)
}

func newFixture(tb testing.TB, url string) fixture {
	tb.Helper()
	return fixture{tb, storetest.MustMigrate(tb, url), url}
}

// mustAdd adds an account outside any transaction.
func (f fixture) mustAdd(id string, created time.Time) {
	f.Helper()
	require.NoError(f, addAccount(f.Context(), f.Writer(), id, created), id)
}

func addAccount(ctx context.Context, x store.Executor, id string, created time.Time) error {
	_, err := x.Exec(ctx, `INSERT INTO accounts (id, name, plan, created_at) VALUES ($1, 'A', 'free', $2)`,
		id, store.At(created))
	return err
}

func countAccounts(tb testing.TB, st *store.Store) (n int) {
	tb.Helper()
	require.NoError(tb, st.Reader().Get(tb.Context(), `SELECT COUNT(*) FROM accounts`, nil, &n))
	return n
}

func TestOpen_InvalidURL(t *testing.T) {
	t.Parallel()
	for name, url := range map[string]string{
		"refuses an empty URL":                            "",
		"refuses a URL without a path":                    "sqlite:",
		"refuses another scheme":                          "mysql://u:hunter2@db/x",
		"refuses a path alone":                            "/var/lib/hunter2.db",
		"refuses a malformed port":                        "postgres://u:hunter2@db:port/x",
		"refuses a malformed parameter beside a password": "postgres://db/x?password=hunter2&connect_timeout=x",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := store.Open(t.Context(), url, store.Options{})
			require.ErrorIs(t, err, store.ErrURL)
			require.NotContains(t, err.Error(), "hunter2")
		})
	}
}

func TestOpen_PasswordThatIsNotEscaped(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"postgres://u:a@hunter2@127.0.0.1:1/x",
		"postgres://u:a?b@hunter2@127.0.0.1:1/x",
		"postgres://u:1/hunter2@127.0.0.1:1/x",
		"postgres://u:a@h1,hunter2@127.0.0.1:1/x",
	} {
		_, err := store.Open(t.Context(), url, store.Options{})
		require.ErrorContains(t, err, "must be escaped", url)
		require.NotContains(t, err.Error(), "hunter2")
	}
	for _, url := range []string{"postgres://u:a%40b@127.0.0.1:1/x%40y?options=a@b", "postgres://u:a@127.0.0.1:1?application_name=a@b"} {
		require.NoError(t, store.CheckURL(url), url)
	}
}

func TestOpen_SQLite(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{
		"creates a file":                            "uncial.db",
		"creates missing folders":                   "new/folder/uncial.db",
		"accepts characters with a meaning in URLs": "a b%20?mode=ro#ü&_pragma=x.db",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), file)
			storetest.MustMigrate(t, "sqlite:"+path)
			for _, suffix := range []string{"", "-wal"} {
				info, err := os.Stat(path + suffix)
				require.NoError(t, err)
				require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "readable only by its owner")
			}
		})
	}
}

func TestOpen_KeepsDataOfEarlierRun(t *testing.T) {
	t.Parallel()
	first := newFixture(t, storetest.SQLite(t))
	first.mustAdd("a", noon)
	require.Equal(t, 1, countAccounts(t, storetest.MustOpen(t, first.url)))
}

func TestOpen_Memory(t *testing.T) {
	t.Parallel()
	one, other := newFixture(t, "sqlite::memory:"), newFixture(t, "sqlite::memory:")
	one.mustAdd("a", noon)
	require.Equal(t, 1, countAccounts(t, one.Store))
	require.Zero(t, countAccounts(t, other.Store), "each store has its own database")
	require.NoError(t, one.Snapshot(t.Context(), func(context.Context, store.Executor) error { return nil }))
}

func TestError_Error_Advice(t *testing.T) {
	storeTests{"names the command that creates missing tables": func(t fixture) {
		_, err := t.Writer().Exec(t.Context(), `DROP TABLE windows`)
		require.NoError(t, err)
		_, err = t.Writer().Exec(t.Context(), `DELETE FROM windows`)
		require.Error(t, err)
		if strings.HasPrefix(t.url, "postgres:") { // SQLite has no code for it
			require.Contains(t, err.Error(), "uncial migrate")
		}
	}}.run(t)
}

func TestOpen_NoDatabase(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x")
	require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("not a database\n", 100)), 0o600))
	_, err := store.Open(t.Context(), "sqlite:"+path, store.Options{})
	require.ErrorContains(t, err, path+": the file is not a SQLite database")
	inside := filepath.Join(path, "folder", "x")
	_, err = store.Open(t.Context(), "sqlite:"+inside, store.Options{})
	require.ErrorContains(t, err, inside+": mkdir "+path+": not a directory")
}

func TestStore_Tx(t *testing.T) { storeTxTests.run(t) }

var storeTxTests = storeTests{
	"does all or nothing": func(t fixture) {
		failure := errors.New("changed my mind")
		err := t.Tx(t.Context(), func(ctx context.Context, x store.Executor) error {
			if err := addAccount(ctx, x, "a", noon); err != nil {
				return err
			}
			return failure
		})
		require.ErrorIs(t, err, failure)
		require.Zero(t, countAccounts(t, t.Store))
		require.NoError(t, t.Tx(t.Context(), func(ctx context.Context, x store.Executor) error {
			return addAccount(ctx, x, "a", noon)
		}))
		require.Equal(t, 1, countAccounts(t, t.Store))
	},
	"finishes once it has begun, even if its caller leaves": func(t fixture) {
		ctx, cancel := context.WithCancel(t.Context())
		require.NoError(t, t.Tx(ctx, func(ctx context.Context, x store.Executor) error {
			cancel()
			return addAccount(ctx, x, "a", noon)
		}))
		require.Equal(t, 1, countAccounts(t, t.Store))
		err := t.Tx(ctx, func(context.Context, store.Executor) error { return errors.New("ran") })
		require.ErrorIs(t, err, context.Canceled, "no transaction begins for a caller who has left")
	},
	"does not lose updates in a race": func(t fixture) {
		replicas := []*store.Store{t.Store, storetest.MustOpen(t, t.url)}
		t.mustAdd("a", noon)
		_, err := t.Writer().Exec(t.Context(),
			`INSERT INTO windows (account_id, started_at, requests) VALUES ('a', 0, 0)`)
		require.NoError(t, err)
		const each = 50
		var wg sync.WaitGroup
		for _, replica := range replicas {
			for range each {
				wg.Go(func() {
					_, err := replica.Writer().Exec(t.Context(), `UPDATE windows SET requests = requests + 1`)
					if err != nil {
						t.Error(err)
					}
				})
			}
		}
		wg.Wait()
		var n int
		require.NoError(t, replicas[1].Reader().Get(t.Context(), `SELECT requests FROM windows`, nil, &n))
		require.Equal(t, len(replicas)*each, n)
	},
}

func TestStore_Snapshot(t *testing.T) {
	storeTests{"sees one state of the database": func(t fixture) {
		count := func(ctx context.Context, x store.Executor) (n int) {
			require.NoError(t, x.Get(ctx, `SELECT COUNT(*) FROM accounts`, nil, &n))
			return n
		}
		require.NoError(t, t.Snapshot(t.Context(), func(ctx context.Context, x store.Executor) error {
			require.Zero(t, count(ctx, x))
			t.mustAdd("a", noon)
			require.Zero(t, count(ctx, x), "later writes belong to a later state")
			return nil
		}))
		require.Equal(t, 1, countAccounts(t, t.Store))
	}}.run(t)
}

func TestStore_Reader(t *testing.T) { storeReaderTests.run(t) }

var storeReaderTests = storeTests{
	"compares text byte by byte": func(t fixture) {
		for _, id := range []string{"key", "KEY", "Key", "kéy", "ke\u0301y", "key "} {
			t.mustAdd(id, noon)
		}
		var n int
		require.NoError(t, t.Reader().Get(t.Context(), `SELECT COUNT(*) FROM accounts WHERE id = $1`, store.Args{"Key"}, &n))
		require.Equal(t, 1, n)
	},
	// Postgres in these tests sorts text like an English dictionary. Ids of digits and lower-case letters still sort by
	// their bytes.
	"orders ids the same on every database": func(t fixture) {
		want := []string{"acc_0a", "acc_1", "acc_9z", "acc_a", "acc_a0", "acc_aa", "acc_b", "acc_z9"}
		for _, i := range rand.Perm(len(want)) {
			t.mustAdd(want[i], noon)
		}
		got, err := store.All(t.Context(), t.Reader(), `SELECT id FROM accounts ORDER BY created_at, id`, nil,
			func(scan func(dest ...any) error) (id string, err error) { return id, scan(&id) })
		require.NoError(t, err)
		require.Equal(t, want, got)
	},
}

func TestInstant_Value(t *testing.T) {
	storeTests{"is stored to the microsecond": func(t fixture) {
		berlin := time.FixedZone("CET", 3600)
		for name, c := range map[string]struct{ in, out time.Time }{
			"nanoseconds are cut off": {noon.Add(123456789), noon.Add(123456000)},
			"another zone":            {noon.In(berlin), noon},
			"before the epoch":        {time.Date(1453, 5, 29, 1, 2, 3, 4000, time.UTC), time.Date(1453, 5, 29, 1, 2, 3, 4000, time.UTC)},
			"the last of a long time": {time.Date(9999, 12, 31, 23, 59, 59, 999999999, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 999999000, time.UTC)},
		} {
			t.mustAdd(name, c.in)
			var got store.Instant
			require.NoError(t, t.Reader().Get(t.Context(), `SELECT created_at FROM accounts WHERE id = $1`, store.Args{name}, &got))
			require.Equal(t, c.out, got.Time, name)
			require.Equal(t, got, store.At(c.in), name)
		}
		var none store.Instant
		require.NoError(t, t.Reader().Get(t.Context(), `SELECT CAST($1 AS BIGINT)`, store.Args{store.At(time.Time{})}, &none))
		require.True(t, none.IsZero(), "the zero time is NULL")
	}}.run(t)
}

func TestError_Error(t *testing.T) {
	storeTests{"reveals nothing that the database holds": func(t fixture) {
		t.mustAdd("hunter2", noon)
		_, unknown := t.Writer().Exec(t.Context(), `SELECT hunter2 FROM accounts`)
		for name, err := range map[string]error{
			"a value that exists": addAccount(t.Context(), t.Writer(), "hunter2", noon),
			"an unknown column":   unknown,
		} {
			require.Error(t, err, name)
			require.Regexp(t, `^database: the statement failed \((SQLSTATE|SQLite code) [0-9A-Z]+\)$`, err.Error(), name)
			var cause *store.Error
			require.ErrorAs(t, err, &cause, name)
		}
	}}.run(t)
}
