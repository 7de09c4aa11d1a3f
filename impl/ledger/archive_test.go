package ledger_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/ledger"
	"uncial/impl/store"
)

// retaining returns the same book with a ledger that has a retention.
func (b book) retaining(d time.Duration) book {
	b.Ledger = ledger.New(b.store, ledger.Options{Plans: mustPlans(b), Now: b.clock.Now, Retention: d})
	return b
}

// mustCount returns the number of rows of a table, with a condition.
func (b book) mustCount(from string) (n int64) {
	b.Helper()
	require.NoError(b, b.store.Reader().Get(b.Context(), `SELECT COUNT(*) FROM `+from, nil, &n))
	return n
}

// mustListUses returns the usage of March and April in every grouping.
func (b book) mustListUses() (all [][]ledger.Use) {
	b.Helper()
	for month := range 2 {
		for _, by := range []ledger.Grouping{ledger.ByDay, ledger.ByKey, ledger.ByDayAndKey} {
			uses, err := b.Usage(b.Context(), b.id, midMarch.AddDate(0, month, 0), by)
			require.NoError(b, err)
			require.NotEmpty(b, uses)
			all = append(all, uses)
		}
	}
	return all
}

// mustSweepUntilDone sweeps until nothing is left to archive. The books must be correct after each sweep.
func (b book) mustSweepUntilDone() (archived int) {
	b.Helper()
	for {
		swept, err := b.Sweep(b.Context())
		require.NoError(b, err)
		b.requireAudit()
		if swept.Archived == 0 {
			return archived
		}
		archived += swept.Archived
	}
}

// insertHolds adds settled holds of one point to March, with their entries, as a correct service would.
func (b book) insertHolds(n int) {
	b.Helper()
	b.mustExec(fmt.Sprintf(`UPDATE balances SET total = total + %d, used = used + %[1]d, seq = seq + 1 + 2 * %[1]d WHERE period = '2026-03'`, n))
	b.mustExec(fmt.Sprintf(`INSERT INTO entries (account_id, period, seq, kind, points, remaining, at)
		SELECT account_id, period, seq - 2 * %d, 'adjust', %[1]d, total - used - held + %[1]d, 0 FROM balances WHERE period = '2026-03'`, n))
	const batch = 100_000 // small enough for a statement to end before its timeout
	for first := 1; first <= n; first += batch {
		numbers := fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT CAST(%d AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < %d) `, first, min(first+batch-1, n))
		b.mustExec(numbers + `INSERT INTO holds (id, account_id, period, points, state, created_at, expires_at)
			SELECT 'hold_' || i, account_id, period, 1, 'settled', 1773576000000000 + i * 100000, 0 FROM n, balances WHERE period = '2026-03'`)
		for kind, offset := range map[string]int{"hold": 1, "settle": 0} {
			b.mustExec(numbers + fmt.Sprintf(`INSERT INTO entries (account_id, period, seq, kind, points, remaining, hold_id, at)
				SELECT account_id, period, seq - 2 * %d + 2 * i - %d, '%s', -%[2]d, total - used - held + %[1]d - i, 'hold_' || i, 0
				FROM n, balances WHERE period = '2026-03'`, n, offset, kind))
		}
	}
}

func TestLedger_Sweep_Archives(t *testing.T) {
	bookTests{
		"removes the holds of old months and keeps their usage": func(b book) {
			b.mustFill()
			b.insertHolds(5000)
			b.requireAudit()
			b = b.retaining(ledger.MinRetention)
			uses, months := b.mustListUses(), b.mustMonths()
			b.clock.Set(time.Date(2026, time.May, 7, 0, 0, 0, 0, time.UTC))
			require.Equal(b, 5005, b.mustSweepUntilDone(), "April ended less than a week ago")
			require.Zero(b, b.mustCount(`holds WHERE period = '2026-03'`))
			require.EqualValues(b, 5, b.mustCount(`holds WHERE period = '2026-04'`))
			require.Zero(b, b.mustCount(`entries WHERE period = '2026-03' AND hold_id IS NOT NULL`))
			require.Equal(b, uses, b.mustListUses())
			require.Equal(b, months, b.mustMonths())

			b.clock.Set(time.Date(2026, time.May, 9, 0, 0, 0, 0, time.UTC))
			require.Equal(b, 5, b.mustSweepUntilDone())
			require.Zero(b, b.mustCount(`holds`))
			require.Zero(b, b.mustCount(`balances WHERE removed_at IS NULL`))
			require.Equal(b, uses, b.mustListUses())
			b.mustCharge(b.request(), "")
			b.requireBalance(10, 1000)
		},
		"keeps a month in which a hold runs": func(b book) {
			b = b.retaining(ledger.MinRetention)
			h := b.mustHold(b.request())
			for range 3 {
				b.clock.Advance(20 * 24 * time.Hour)
				require.NoError(b, b.store.Tx(b.Context(), func(ctx context.Context, x store.Executor) error {
					_, err := x.Exec(ctx, `UPDATE holds SET expires_at = $1`, store.At(b.clock.Now().Add(time.Hour)))
					return err
				}))
				swept, err := b.Sweep(b.Context())
				require.NoError(b, err)
				require.Zero(b, swept.Archived)
			}
			_, err := b.Settle(b.Context(), h, nil)
			require.NoError(b, err)
			require.Equal(b, 1, b.mustSweepUntilDone())
			_, err = b.Settle(b.Context(), h, nil)
			require.ErrorIs(b, err, ledger.ErrEnded)
			require.NoError(b, b.Release(b.Context(), h))
			b.requireAudit()
		},
		"keeps everything without a retention": func(b book) {
			b.mustFill()
			b.clock.Advance(10 * 365 * 24 * time.Hour)
			_, err := b.Sweep(b.Context())
			require.NoError(b, err)
			require.EqualValues(b, 10, b.mustCount(`holds`))
		},
	}.run(t)
}

func TestLedger_Audit_Archived(t *testing.T) {
	bookTests{
		"reports changes made by hand to what remains": func(b book) {
			b.mustFill()
			b = b.retaining(ledger.MinRetention)
			b.clock.Advance(100 * 24 * time.Hour)
			b.mustSweepUntilDone()
			for _, table := range []string{"usage_days", "entries", "balances"} {
				b.mustExec(`CREATE TABLE intact_` + table + ` AS SELECT * FROM ` + table)
			}
			for name, statement := range map[string]string{
				"usage that was changed":       `UPDATE usage_days SET points = points + 1`,
				"usage that was deleted":       `DELETE FROM usage_days`,
				"usage moved to another meter": `UPDATE usage_days SET meter_id = ''`,
				"an opening that was changed":  `UPDATE entries SET points = points + 1 WHERE kind = 'opening'`,
				"an opening that was deleted":  `DELETE FROM entries WHERE kind = 'opening'`,
				"an opening of fewer entries":  `UPDATE entries SET removed = removed - 1 WHERE kind = 'opening'`,
				"a remainder that was changed": `UPDATE entries SET remaining = remaining + 1 WHERE kind = 'opening'`,
				"a grant that was changed":     `UPDATE entries SET points = points + 1 WHERE kind = 'grant'`,
				"points given back":            `UPDATE balances SET used = used - 10`,
				"a month that is not archived": `UPDATE balances SET archived_at = NULL`,
			} {
				require.Positive(b, b.mustExec(statement), name)
				require.NotEmpty(b, b.mustAudit().Discrepancies, name)
				for _, table := range []string{"usage_days", "entries"} {
					b.mustExec(`DELETE FROM ` + table)
					b.mustExec(`INSERT INTO ` + table + ` SELECT * FROM intact_` + table)
				}
				b.mustExec(`UPDATE balances SET used = (SELECT used FROM intact_balances i WHERE i.period = balances.period),
					archived_at = (SELECT archived_at FROM intact_balances i WHERE i.period = balances.period)`)
				b.requireAudit()
			}
		},
	}.run(t)
}

func (b book) mustMonths() []time.Time {
	b.Helper()
	months, err := b.Months(b.Context(), b.id)
	require.NoError(b, err)
	return months
}
