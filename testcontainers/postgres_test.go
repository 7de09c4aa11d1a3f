package testcontainers_test

import (
	"database/sql"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/testcontainers"
)

func TestPostgres(t *testing.T) {
	t.Parallel()
	urls := []string{testcontainers.Postgres(t), testcontainers.Postgres(t)}
	require.NotEqual(t, urls[0], urls[1])
	for _, u := range urls {
		db, err := sql.Open("pgx", u)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, db.Close()) })
		var version int
		require.NoError(t, db.QueryRow("SHOW server_version_num").Scan(&version))
		require.GreaterOrEqual(t, version, 150000)
		_, err = db.Exec("CREATE TABLE once (id int)")
		require.NoError(t, err, "the database is empty")
	}
}
