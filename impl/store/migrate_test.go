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

// newEmpty is a store without its schema.
func newEmpty(tb testing.TB, url string) fixture {
	tb.Helper()
	return fixture{tb, storetest.MustOpen(tb, url), url}
}

var migrating = storeTests{
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
