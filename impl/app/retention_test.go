package app_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/app"
	"uncial/impl/ledger"
)

func TestData_Sweep_Retention(t *testing.T) {
	t.Parallel()
	march := time.Date(2026, time.March, 16, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		retention time.Duration
		after     time.Duration // of the extraction
		archived  int
	}{
		"keeps 400 days by default":              {0, 400 * 24 * time.Hour, 0},
		"removes extractions after 400 days":     {0, 450 * 24 * time.Hour, 1},
		"removes extractions earlier on request": {7 * 24 * time.Hour, 30 * 24 * time.Hour, 1},
		"keeps extractions forever on request":   {-1, 4000 * 24 * time.Hour, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := app.DataOptions{Database: "sqlite:" + filepath.Join(t.TempDir(), "uncial.db"), WithoutKeys: true, Retention: c.retention}
			now := march
			d := mustOpenData(t, o, func() time.Time { return now })
			a, err := d.Accounts.Create(t.Context(), "test", "pro")
			require.NoError(t, err)
			h, err := d.Ledger.Hold(t.Context(), ledger.HoldRequest{AccountID: a.ID, Points: 10, TTL: time.Minute})
			require.NoError(t, err)
			_, err = d.Ledger.Settle(t.Context(), h, nil)
			require.NoError(t, err)
			now = march.Add(c.after)
			swept, err := d.Sweep(t.Context())
			require.NoError(t, err)
			require.Equal(t, c.archived, swept.Archived)
			uses, err := d.Ledger.Usage(t.Context(), a.ID, march, ledger.ByDay)
			require.NoError(t, err)
			require.Len(t, uses, 1)
			require.EqualValues(t, 10, uses[0].Points)
			requireCorrectBooks(t, d)
		})
	}
}
