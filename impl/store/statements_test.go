package store_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/store"
	"uncial/impl/store/storetest"
)

func TestStore_prepared(t *testing.T) {
	t.Parallel()
	t.Run("prepares a statement once for all transactions", func(t *testing.T) {
		t.Parallel()
		st := storetest.MustMigrate(t, storetest.SQLite(t))
		count := func() int { return store.MustCountPrepared(t, st.Pools()["write"]) }
		touch := func() {
			require.NoError(t, st.Tx(t.Context(), func(ctx context.Context, x store.Executor) error {
				_, err := x.Exec(ctx, `UPDATE accounts SET name = $1 WHERE id = $2`, "a", "b")
				return err
			}))
		}
		before := count()
		touch()
		require.Equal(t, before+1, count())
		touch()
		require.Equal(t, before+1, count())
	})
	t.Run("does not keep statements of migrations", func(t *testing.T) {
		t.Parallel()
		st := storetest.MustOpen(t, storetest.SQLite(t))
		_, err := st.Writer().Exec(t.Context(), `CREATE TABLE things (id TEXT); CREATE TABLE others (id TEXT)`)
		require.NoError(t, err)
		require.Equal(t, 1, store.MustCountPrepared(t, st.Pools()["write"]), "SELECT 1, which the store runs to connect")
	})
	t.Run("works after a change of the schema", func(t *testing.T) {
		t.Parallel()
		st := storetest.MustOpen(t, storetest.SQLite(t))
		for range 2 {
			_, err := st.Writer().Exec(t.Context(), `CREATE TABLE things (id INTEGER)`)
			require.NoError(t, err)
			var n int
			require.NoError(t, st.Reader().Get(t.Context(), `SELECT count(*) FROM things`, nil, &n))
			_, err = st.Writer().Exec(t.Context(), `DROP TABLE things`)
			require.NoError(t, err)
		}
	})
}

func TestStore_prepared_Use(t *testing.T) {
	t.Parallel()
	t.Run("runs a statement again while its rows are open", func(t *testing.T) {
		t.Parallel()
		st := storetest.MustOpen(t, "sqlite::memory:")
		const three = `SELECT column1 FROM (VALUES (1), (2), (3))`
		var inner int
		require.NoError(t, st.Tx(t.Context(), func(ctx context.Context, x store.Executor) error {
			outer, err := store.All(ctx, x, three, nil, func(scan func(...any) error) (n int, err error) {
				if err := x.Get(ctx, three, nil, &inner); err != nil {
					return 0, err
				}
				return n, scan(&n)
			})
			require.Len(t, outer, 3)
			return err
		}))
		require.Equal(t, 1, inner)
	})
	t.Run("keeps a limited number of statements", func(t *testing.T) {
		t.Parallel()
		st := storetest.MustOpen(t, storetest.SQLite(t))
		for i := range store.MaxStatements + 10 {
			var n int
			require.NoError(t, st.Writer().Get(t.Context(), fmt.Sprintf(`SELECT %d`, i), nil, &n))
			require.Equal(t, i, n)
		}
		require.Equal(t, store.MaxStatements, store.MustCountPrepared(t, st.Pools()["write"]))
	})
}
