package store_test

import (
	"io/fs"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/store"
	"uncial/impl/store/storetest"
	"uncial/testcontainers"
)

func TestStore_Migrate(t *testing.T) { storetest.Run(t, testcontainers.Postgres, newEmpty, migrating) }

// newEmpty returns a store without its schema.
func newEmpty(tb testing.TB, url string) fixture {
	tb.Helper()
	return fixture{tb, storetest.MustOpen(tb, url), url}
}

var migrating = storeTests{
	"reports an older and a newer schema without changing it": func(t fixture) {
		require.NoError(t, t.MigrateTo(t.Context(), 3))
		for range 2 {
			require.ErrorIs(t, t.CheckSchema(t.Context()), store.ErrOlderSchema)
		}
		applied, err := t.Migrate(t.Context())
		require.NoError(t, err)
		require.Positive(t, applied)
		require.NoError(t, t.CheckSchema(t.Context()))
		_, err = t.Writer().Exec(t.Context(), `INSERT INTO goose_db_version (version_id, is_applied) SELECT MAX(version_id) + 1, is_applied FROM goose_db_version GROUP BY is_applied`)
		require.NoError(t, err)
		require.ErrorIs(t, t.CheckSchema(t.Context()), store.ErrNewerSchema)
	},
	"creates the schema once and keeps the data": func(t fixture) {
		applied, err := t.Migrate(t.Context())
		require.NoError(t, err)
		require.Positive(t, applied)
		t.mustAdd("a", noon)

		applied, err = t.Migrate(t.Context())
		require.NoError(t, err)
		require.Zero(t, applied)
		require.Equal(t, 1, countAccounts(t, t.Store))
	},
	"gives each key of an earlier version a meter of its own": func(t fixture) {
		require.NoError(t, t.MigrateTo(t.Context(), 3))
		for _, statement := range []string{
			`INSERT INTO accounts (id, name, plan, created_at) VALUES ('acc', 'An archive', 'free', 1)`,
			`INSERT INTO api_keys (id, account_id, name, digest, allow, created_at) VALUES ('new', 'acc', 'A key', 'b', '', 2)`,
			`INSERT INTO api_keys (id, account_id, name, digest, allow, created_at, replaced_by) VALUES ('old', 'acc', 'A key', 'a', '', 1, 'new')`,
			`INSERT INTO balances (account_id, period, total, used, held, seq) VALUES ('acc', '2026-03', 300, 0, 10, 2)`,
			`INSERT INTO holds (id, account_id, period, points, state, created_at, expires_at) VALUES ('hold', 'acc', '2026-03', 10, 'held', 1, 2)`,
		} {
			_, err := t.Writer().Exec(t.Context(), statement)
			require.NoError(t, err, statement)
		}
		_, err := t.Migrate(t.Context())
		require.NoError(t, err)
		var oldMeter, newMeter, replaces string
		var meters, granted int64
		require.NoError(t, t.Reader().Get(t.Context(), `SELECT o.meter_id, n.meter_id, n.replaces, (SELECT COUNT(*) FROM meters), b.granted
			FROM api_keys o, api_keys n, balances b WHERE o.id = 'old' AND n.id = 'new'`, nil, &oldMeter, &newMeter, &replaces, &meters, &granted))
		require.Equal(t, []any{"old", "new", "old", int64(2), int64(0)}, []any{oldMeter, newMeter, replaces, meters, granted})
	},
	"works in one replica while the others wait": func(t fixture) {
		const replicas = 6
		applied := make([]int, replicas)
		var wg sync.WaitGroup
		for i := range replicas {
			wg.Go(func() {
				st, err := store.Open(t.Context(), t.url, store.Options{MaxConns: 2})
				if err != nil {
					t.Error(err)
					return
				}
				if applied[i], err = st.Migrate(t.Context()); err != nil {
					t.Error(err)
				}
				if err := st.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		total := 0
		for _, n := range applied {
			total += n
		}
		files, err := fs.Glob(os.DirFS("migrations"), "*.sql")
		require.NoError(t, err)
		require.Len(t, files, total, "one replica applies all migrations, the others none")
		t.mustAdd("a", noon)
	},
}
