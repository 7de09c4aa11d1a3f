package ledger_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/ledger"
	"uncial/impl/store"
)

// mustFill makes holds of every kind in two months.
func (b book) mustFill(tb testing.TB) {
	tb.Helper()
	for month := range 2 {
		b.clock.Set(midMarch.AddDate(0, month, 0))
		b.mustSettle(tb, b.mustHold(tb, b.request()), "")
		require.NoError(tb, b.Release(tb.Context(), b.mustHold(tb, b.request())))
		expired := b.mustHold(tb, b.request())
		b.clock.Set(expired.Expires)
		_, err := b.Expire(tb.Context(), 1)
		require.NoError(tb, err)
		b.mustHold(tb, b.keyed("running", "body"))
		_, err = b.ChangePlan(tb.Context(), b.id, "thousand")
		require.NoError(tb, err)
		b.clock.Advance(time.Hour)
		_, err = b.Sweep(tb.Context())
		require.NoError(tb, err)
		b.mustHold(tb, b.request())
	}
}

func TestLedger_Audit_ofRightBooks(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			b := mustBook(t, db.MustOpen(t))
			b.mustFill(t)
			report, err := b.Audit(t.Context())
			require.NoError(t, err)
			text, err := json.Marshal(report)
			require.NoError(t, err)
			require.JSONEq(t, `{"accounts": 1, "balances": 2, "holds": 10, "runningHolds": 1, "entries": 23,
			"discrepancies": []}`, string(text))
		})
	}
}

func TestLedger_Audit_catchesTampering(t *testing.T) {
	t.Parallel()
	tampering := map[string]string{
		"points given back by hand":     `UPDATE balances SET used = used - 10 WHERE period = '2026-03'`,
		"points taken by hand":          `UPDATE balances SET used = used + 10 WHERE period = '2026-03'`,
		"a larger total":                `UPDATE balances SET total = total + 10`,
		"more held":                     `UPDATE balances SET held = held + 10`,
		"held turned into used":         `UPDATE balances SET held = held - 10, used = used + 10 WHERE held > 0`,
		"another number":                `UPDATE balances SET seq = seq + 1`,
		"an earlier number":             `UPDATE balances SET seq = seq - 1`,
		"an entry deleted":              `DELETE FROM entries WHERE kind = 'settle' AND period = '2026-03'`,
		"the latest entries deleted":    `DELETE FROM entries WHERE seq > 8`,
		"all entries deleted":           `DELETE FROM entries`,
		"an entry's points changed":     `UPDATE entries SET points = points + 1 WHERE kind = 'grant'`,
		"two entries that cancel out":   `UPDATE entries SET points = points + CASE kind WHEN 'grant' THEN 5 ELSE -5 END WHERE kind IN ('grant', 'adjust')`,
		"an entry's remainder changed":  `UPDATE entries SET remaining = remaining + 1 WHERE seq = 2`,
		"an entry's kind changed":       `UPDATE entries SET kind = 'release' WHERE kind = 'expire'`,
		"an entry moved to no hold":     `UPDATE entries SET hold_id = NULL WHERE kind = 'settle'`,
		"an entry added":                `INSERT INTO entries (account_id, period, seq, kind, points, remaining, at) SELECT account_id, period, seq + 1, 'adjust', 10, total - used - held + 10, 0 FROM balances`,
		"a hold's points changed":       `UPDATE holds SET points = points + 1 WHERE state = 'settled'`,
		"a running hold's points":       `UPDATE holds SET points = 1 WHERE state = 'held'`,
		"a settled hold made released":  `UPDATE holds SET state = 'released' WHERE state = 'settled'`,
		"a released hold made settled":  `UPDATE holds SET state = 'settled' WHERE state = 'released'`,
		"an expired hold made to run":   `UPDATE holds SET state = 'held' WHERE state = 'expired'`,
		"a released hold made expired":  `UPDATE holds SET state = 'expired' WHERE state = 'released'`,
		"a hold added":                  `INSERT INTO holds (id, account_id, period, points, state, created_at, expires_at) SELECT 'hold_x', account_id, period, 10, 'released', 0, 0 FROM balances WHERE period = '2026-03'`,
		"a hold moved to another month": `UPDATE holds SET period = '2026-04' WHERE state = 'settled' AND period = '2026-03'`,
	}
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			b := mustBook(t, db.MustOpen(t))
			b.mustFill(t)
			restore := b.mustKeep(t)
			for name, statement := range tampering {
				t.Run(name, func(t *testing.T) {
					restore(t)
					b.requireAudit(t)
					n, err := b.store.Writer().Exec(t.Context(), statement)
					require.NoError(t, err)
					require.Positive(t, n)
					report := mustAudit(t, b.Ledger)
					require.NotEmpty(t, report.Discrepancies)
					for _, d := range report.Discrepancies {
						require.Equal(t, b.id, d.AccountID)
						require.NotEmpty(t, d.Problem)
						require.NotEqual(t, d.Expected, d.Found, d.String())
					}
				})
			}
		})
	}
}

// mustKeep copies the books and returns what puts the copy back.
func (b book) mustKeep(tb testing.TB) func(tb testing.TB) {
	tb.Helper()
	run := func(tb testing.TB, statements ...string) {
		tb.Helper()
		for _, statement := range statements {
			_, err := b.store.Writer().Exec(tb.Context(), statement)
			require.NoError(tb, err)
		}
	}
	for _, table := range []string{"balances", "holds", "entries"} {
		run(tb, `CREATE TABLE kept_`+table+` AS SELECT * FROM `+table)
	}
	return func(tb testing.TB) {
		tb.Helper()
		for _, table := range []string{"entries", "holds", "balances"} {
			run(tb, `DELETE FROM `+table)
		}
		for _, table := range []string{"balances", "holds", "entries"} {
			run(tb, `INSERT INTO `+table+` SELECT * FROM kept_`+table)
		}
	}
}

// Only a database whose rules were switched off can come to this.
func TestLedger_Audit_catchesRowsThatPointNowhere(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			b := mustBook(t, db.MustOpen(t))
			if b.store.Kind() == "postgres" {
				for _, table := range []string{"entries", "holds", "balances"} {
					_, err := b.store.Writer().Exec(t.Context(), `ALTER TABLE `+table+` DISABLE TRIGGER ALL`)
					require.NoError(t, err)
				}
			} else {
				_, err := b.store.Writer().Exec(t.Context(), `PRAGMA foreign_keys = OFF`)
				require.NoError(t, err)
			}
			b.mustFill(t)
			for _, statement := range []string{
				`DELETE FROM holds WHERE state = 'settled'`,
				`DELETE FROM balances WHERE period = '2026-03'`,
			} {
				before := mustAudit(t, b.Ledger)
				_, err := b.store.Writer().Exec(t.Context(), statement)
				require.NoError(t, err)
				require.Greater(t, len(mustAudit(t, b.Ledger).Discrepancies), len(before.Discrepancies), statement)
			}
		})
	}
}

func TestLedger_Audit_goesOnWhileHoldsAreTaken(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			b := mustBook(t, db.MustOpen(t))
			_, err := b.ChangePlan(t.Context(), b.id, "thousand")
			require.NoError(t, err)
			for i, err := range race(20, func(i int) error {
				if i%4 == 0 {
					report, err := b.Audit(t.Context())
					if len(report.Discrepancies) > 0 {
						t.Errorf("%v", report.Discrepancies)
					}
					return err
				}
				h, err := b.Hold(t.Context(), b.request())
				if err == nil {
					_, err = b.Settle(t.Context(), h, nil)
				}
				return err
			}) {
				require.NoError(t, err, i)
			}
		})
	}
}

func TestLedger_Audit_ofNoDatabase(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			b := mustBook(t, db.MustOpen(t))
			_, err := b.store.Writer().Exec(t.Context(), `DROP TABLE entries`)
			require.NoError(t, err)
			_, err = b.Audit(t.Context())
			var failure *store.Error
			require.ErrorAs(t, err, &failure)
		})
	}
}

func mustAudit(tb testing.TB, l *ledger.Ledger) ledger.Report {
	tb.Helper()
	report, err := l.Audit(tb.Context())
	require.NoError(tb, err)
	return report
}
