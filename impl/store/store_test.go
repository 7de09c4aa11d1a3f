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
)

var noon = time.Date(2026, time.March, 16, 12, 0, 0, 0, time.UTC)

func addAccount(ctx context.Context, x store.Executor, id, name string, created time.Time) error {
	_, err := x.Exec(ctx, `INSERT INTO accounts (id, name, plan, created_at) VALUES ($1, $2, 'free', $3)`,
		id, name, store.At(created))
	return err
}

func countAccounts(tb testing.TB, st *store.Store) int {
	tb.Helper()
	var n int
	require.NoError(tb, st.Reader().Get(tb.Context(), `SELECT COUNT(*) FROM accounts`, nil, &n))
	return n
}

func TestOpen_refusesWhatIsNoDatabaseWithoutRepeatingIt(t *testing.T) {
	t.Parallel()
	for name, url := range map[string]string{
		"empty":              "",
		"no path":            "sqlite:",
		"other scheme":       "mysql://u:hunter2@db/x",
		"just a path":        "/var/lib/hunter2.db",
		"malformed port":     "postgres://u:hunter2@db:port/x",
		"malformed option":   "postgres://u:hunter2@db/x?sslmode=hunter2",
		"password parameter": "postgres://db/x?password=hunter2&connect_timeout=x",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := store.Open(t.Context(), url, store.Options{})
			require.ErrorIs(t, err, store.ErrURL)
			require.NotContains(t, err.Error(), "hunter2")
		})
	}
}

func TestOpen_sqlite(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{
		"a plain name":                    "uncial.db",
		"a folder that does not exist":    "new/folder/uncial.db",
		"characters with a sense in URIs": "a b%20?mode=ro#ü&_pragma=x.db",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), file)
			st := storetest.MustOpen(t, "sqlite:"+path)
			storetest.MustMigrate(t, st)
			require.Equal(t, "sqlite", st.Kind())
			for _, suffix := range []string{"", "-wal"} {
				info, err := os.Stat(path + suffix)
				require.NoError(t, err)
				require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "readable by its owner alone")
			}
		})
	}
}

func TestOpen_keepsTheDataOfAFile(t *testing.T) {
	t.Parallel()
	url := storetest.SQLite(t)
	first := storetest.MustOpen(t, url)
	storetest.MustMigrate(t, first)
	require.NoError(t, addAccount(t.Context(), first.Writer(), "a", "A", noon))
	require.Equal(t, 1, countAccounts(t, storetest.MustOpen(t, url)))
}

func TestOpen_memory(t *testing.T) {
	t.Parallel()
	one, other := storetest.MustOpen(t, "sqlite::memory:"), storetest.MustOpen(t, "sqlite::memory:")
	storetest.MustMigrate(t, one)
	storetest.MustMigrate(t, other)
	require.NoError(t, addAccount(t.Context(), one.Writer(), "a", "A", noon))
	require.Equal(t, 1, countAccounts(t, one))
	require.Zero(t, countAccounts(t, other), "each has its own")
	require.NoError(t, one.Snapshot(t.Context(), func(context.Context, store.Executor) error { return nil }))
}

func TestStore_Tx_isAllOrNothing(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			st := db.MustOpen(t)
			failure := errors.New("changed my mind")
			err := st.Tx(t.Context(), func(ctx context.Context, x store.Executor) error {
				if err := addAccount(ctx, x, "a", "A", noon); err != nil {
					return err
				}
				return failure
			})
			require.ErrorIs(t, err, failure)
			require.Zero(t, countAccounts(t, st))
			require.NoError(t, st.Tx(t.Context(), func(ctx context.Context, x store.Executor) error {
				return addAccount(ctx, x, "a", "A", noon)
			}))
			require.Equal(t, 1, countAccounts(t, st))
		})
	}
}

func TestStore_Tx_onceBegunOutlivesItsCaller(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			st := db.MustOpen(t)
			ctx, cancel := context.WithCancel(t.Context())
			require.NoError(t, st.Tx(ctx, func(ctx context.Context, x store.Executor) error {
				cancel()
				return addAccount(ctx, x, "a", "A", noon)
			}))
			require.Equal(t, 1, countAccounts(t, st))
			err := st.Tx(ctx, func(context.Context, store.Executor) error { return errors.New("ran") })
			require.ErrorIs(t, err, context.Canceled, "none begins for a caller who has gone")
		})
	}
}

func TestStore_Tx_losesNoUpdateToARace(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			url := db.URL(t)
			replicas := []*store.Store{storetest.MustOpen(t, url), storetest.MustOpen(t, url)}
			storetest.MustMigrate(t, replicas[0])
			require.NoError(t, addAccount(t.Context(), replicas[0].Writer(), "a", "A", noon))
			_, err := replicas[0].Writer().Exec(t.Context(),
				`INSERT INTO windows (account_id, started_at, requests) VALUES ('a', 0, 0)`)
			require.NoError(t, err)
			const each = 50
			var wg sync.WaitGroup
			for _, st := range replicas {
				for range each {
					wg.Go(func() {
						_, err := st.Writer().Exec(t.Context(), `UPDATE windows SET requests = requests + 1`)
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
		})
	}
}

func TestStore_Snapshot_seesOneState(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			st := db.MustOpen(t)
			count := func(ctx context.Context, x store.Executor) (n int) {
				require.NoError(t, x.Get(ctx, `SELECT COUNT(*) FROM accounts`, nil, &n))
				return n
			}
			require.NoError(t, st.Snapshot(t.Context(), func(ctx context.Context, x store.Executor) error {
				require.Zero(t, count(ctx, x))
				require.NoError(t, addAccount(ctx, st.Writer(), "a", "A", noon))
				require.Zero(t, count(ctx, x), "what is written meanwhile belongs to a later state")
				return nil
			}))
			require.Equal(t, 1, countAccounts(t, st))
		})
	}
}

func TestStore_comparesTextByItsBytes(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			st := db.MustOpen(t)
			for _, id := range []string{"key", "KEY", "Key", "kéy", "ke\u0301y", "key "} {
				require.NoError(t, addAccount(t.Context(), st.Writer(), id, "A", noon), id)
			}
			var n int
			require.NoError(t, st.Reader().Get(t.Context(), `SELECT COUNT(*) FROM accounts WHERE id = $1`, store.Args{"Key"}, &n))
			require.Equal(t, 1, n)
		})
	}
}

// Postgres in these tests orders text as an English dictionary does. Ids, of digits and small letters, come as they would by
// their bytes.
func TestStore_ordersIDsTheSameEverywhere(t *testing.T) {
	t.Parallel()
	want := []string{"acc_0a", "acc_1", "acc_9z", "acc_a", "acc_a0", "acc_aa", "acc_b", "acc_z9"}
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			st := db.MustOpen(t)
			for _, i := range rand.Perm(len(want)) {
				require.NoError(t, addAccount(t.Context(), st.Writer(), want[i], "A", noon))
			}
			got, err := store.All(t.Context(), st.Reader(), `SELECT id FROM accounts ORDER BY created_at, id`, nil,
				func(scan func(dest ...any) error) (id string, err error) { return id, scan(&id) })
			require.NoError(t, err)
			require.Equal(t, want, got)
		})
	}
}

func TestInstant_isKeptToTheMicrosecond(t *testing.T) {
	t.Parallel()
	berlin := time.FixedZone("CET", 3600)
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			st := db.MustOpen(t)
			for name, c := range map[string]struct{ in, out time.Time }{
				"nanoseconds are cut":     {noon.Add(123456789), noon.Add(123456000)},
				"another zone":            {noon.In(berlin), noon},
				"before the epoch":        {time.Date(1453, 5, 29, 1, 2, 3, 4000, time.UTC), time.Date(1453, 5, 29, 1, 2, 3, 4000, time.UTC)},
				"the last of a long time": {time.Date(9999, 12, 31, 23, 59, 59, 999999999, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 999999000, time.UTC)},
			} {
				require.NoError(t, addAccount(t.Context(), st.Writer(), name, name, c.in))
				var got store.Instant
				require.NoError(t, st.Reader().Get(t.Context(), `SELECT created_at FROM accounts WHERE id = $1`, store.Args{name}, &got))
				require.Equal(t, c.out, got.Time, name)
				require.Equal(t, got, store.At(c.in), name)
			}
			var none store.Instant
			require.NoError(t, st.Reader().Get(t.Context(), `SELECT CAST($1 AS BIGINT)`, store.Args{store.At(time.Time{})}, &none))
			require.True(t, none.IsZero(), "the zero time is NULL")
		})
	}
}

func TestDescribe_leavesOutWhatIsSecret(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"sqlite:.uncial/uncial.db":                             "sqlite:.uncial/uncial.db",
		"postgres://u:hunter2@db.example:5432/uncial":          "postgres://db.example:5432/uncial",
		"postgresql://db.example/uncial?password=hunter2":      "postgres://db.example/uncial",
		"postgres://u:hunt er2%@db.example/uncial":             "unknown",
		"mysql://u:hunter2@db/x":                               "unknown",
		"postgres://u:p@one.example:1,two.example:2/uncial":    "postgres://one.example:1,two.example:2/uncial",
		"postgres:///uncial?host=/run/postgresql&user=hunter2": "postgres:///uncial",
	} {
		require.Equal(t, want, store.Describe(url), url)
	}
}

func TestStore_errorsTellNothingOfTheDatabase(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			st := db.MustOpen(t)
			require.NoError(t, addAccount(t.Context(), st.Writer(), "hunter2", "A", noon))
			_, unknown := st.Writer().Exec(t.Context(), `SELECT hunter2 FROM accounts`)
			for name, err := range map[string]error{
				"a value that exists": addAccount(t.Context(), st.Writer(), "hunter2", "A", noon),
				"an unknown column":   unknown,
			} {
				require.Error(t, err, name)
				require.Regexp(t, `^database: the statement failed \((SQLSTATE|SQLite code) [0-9A-Z]+\)$`, err.Error(), name)
				var cause *store.Error
				require.ErrorAs(t, err, &cause, name)
			}
		})
	}
}

func TestStore_reportsWhatAnOperatorCanMend(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			url := db.URL(t)
			st := storetest.MustOpen(t, url)
			_, err := st.Writer().Exec(t.Context(), `DELETE FROM accounts`)
			require.Error(t, err)
			if st.Kind() == "postgres" {
				require.Contains(t, err.Error(), "uncial migrate")
			}
		})
	}
	t.Run("not a database", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "x")
		require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("not a database\n", 100)), 0o600))
		_, err := store.Open(t.Context(), "sqlite:"+path, store.Options{})
		require.ErrorContains(t, err, "not a SQLite database")
	})
}
