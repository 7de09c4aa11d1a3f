package store_test

import (
	"io/fs"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/store"
	"uncial/impl/store/storetest"
)

func TestStore_Migrate_fromEmptyAndAgain(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			url := db.URL(t)
			st := storetest.MustOpen(t, url)
			pending, err := st.Pending(t.Context())
			require.NoError(t, err)
			require.True(t, pending)

			applied, err := st.Migrate(t.Context())
			require.NoError(t, err)
			require.Positive(t, applied)
			require.NoError(t, addAccount(t.Context(), st.Writer(), "a", "A", noon))

			applied, err = st.Migrate(t.Context())
			require.NoError(t, err)
			require.Zero(t, applied)
			require.Equal(t, 1, countAccounts(t, st), "the data stays")
			pending, err = st.Pending(t.Context())
			require.NoError(t, err)
			require.False(t, pending)
		})
	}
}

func TestStore_Migrate_byManyReplicasAtOnce(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			url := db.URL(t)
			const replicas = 6
			applied := make([]int, replicas)
			var wg sync.WaitGroup
			for i := range replicas {
				wg.Go(func() {
					st, err := store.Open(t.Context(), url, store.Options{MaxConns: 2})
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
			require.Len(t, files, total, "one replica works, the others find it done")
			require.NoError(t, addAccount(t.Context(), storetest.MustOpen(t, url).Writer(), "a", "A", noon))
		})
	}
}
