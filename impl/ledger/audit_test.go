package ledger_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/store"
)

// mustFill makes holds of every kind in two months.
func (b book) mustFill() {
	b.Helper()
	key := b.mustKey(new(int64(50)))
	for month := range 2 {
		b.clock.Set(midMarch.AddDate(0, month, 0))
		b.mustCharge(b.by(key), "")
		require.NoError(b, b.Release(b.Context(), b.mustHold(b.request())))
		expired := b.mustHold(b.request())
		b.clock.Set(expired.Expires)
		_, err := b.Expire(b.Context(), 1)
		require.NoError(b, err)
		b.mustHold(b.keyed("running", "body"))
		b.mustChangePlan("thousand")
		_, err = b.Grant(b.Context(), b.id, 20, "a reason")
		require.NoError(b, err)
		b.clock.Advance(time.Hour)
		_, err = b.Sweep(b.Context())
		require.NoError(b, err)
		b.mustHold(b.by(key))
	}
}

// mustBackUp copies the tables and returns a function that restores the copy.
func (b book) mustBackUp() (restore func()) {
	b.Helper()
	for _, table := range []string{"meter_balances", "balances", "holds", "entries"} {
		b.mustExec(`CREATE TABLE kept_` + table + ` AS SELECT * FROM ` + table)
	}
	return func() {
		b.Helper()
		for _, table := range []string{"entries", "holds", "balances", "meter_balances"} { // rows before the rows that they refer to
			b.mustExec(`DELETE FROM ` + table)
		}
		for _, table := range []string{"meter_balances", "balances", "holds", "entries"} {
			b.mustExec(`INSERT INTO ` + table + ` SELECT * FROM kept_` + table)
		}
	}
}

// tampering are statements that no correct service would run.
var tampering = map[string]string{
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
	"points given back to a cap":    `UPDATE meter_balances SET used = used - 10`,
	"more held under a cap":         `UPDATE meter_balances SET held = held + 10 WHERE period = '2026-04'`,
	"the use under a cap deleted":   `DELETE FROM meter_balances`,
	"more granted":                  `UPDATE balances SET granted = granted + 10`,
	"a grant without its reason":    `UPDATE entries SET reason = NULL`,
	"a hold moved to another month": `UPDATE holds SET period = '2026-04' WHERE state = 'settled' AND period = '2026-03'`,
}

func TestLedger_Audit(t *testing.T) { ledgerAuditTests.run(t) }

var ledgerAuditTests = bookTests{
	"finds nothing in correct books": func(t book) {
		t.mustFill()
		report, err := t.Audit(t.Context())
		require.NoError(t, err)
		text, err := json.Marshal(report)
		require.NoError(t, err)
		require.JSONEq(t, `{"accounts": 1, "balances": 2, "holds": 10, "runningHolds": 1, "entries": 25,
		"discrepancies": []}`, string(text))
	},
	"reports every change made by hand": func(t book) {
		t.mustFill()
		restore := t.mustBackUp()
		for name, statement := range tampering {
			restore()
			t.requireAudit()
			require.Positive(t, t.mustExec(statement), name)
			report := t.mustAudit()
			require.NotEmpty(t, report.Discrepancies, name)
			for _, d := range report.Discrepancies {
				require.Equal(t, t.id, d.AccountID, name)
				require.Regexp(t, `: violated rule: .+ (must|may) .+ \(expected -?\d+, found -?\d+\)$`, d.String(), name)
				text, err := json.Marshal(d)
				require.NoError(t, err)
				require.Contains(t, string(text), `"rule":"`, name)
				require.NotEqual(t, d.Expected, d.Found, "%s: %s", name, d)
			}
		}
	},
	// Only a database whose constraints were switched off can get into this state.
	"reports rows whose hold or balance is missing": func(t book) {
		if strings.HasPrefix(t.url, "postgres:") {
			for _, table := range []string{"entries", "holds", "balances"} {
				t.mustExec(`ALTER TABLE ` + table + ` DISABLE TRIGGER ALL`)
			}
		} else {
			t.mustExec(`PRAGMA foreign_keys = OFF`)
		}
		t.mustFill()
		for _, statement := range []string{
			`DELETE FROM holds WHERE state = 'settled'`,
			`DELETE FROM balances WHERE period = '2026-03'`,
		} {
			before := len(t.mustAudit().Discrepancies)
			t.mustExec(statement)
			require.Greater(t, len(t.mustAudit().Discrepancies), before, statement)
		}
	},
	"runs while points are held and charged": func(t book) {
		t.mustChangePlan("thousand")
		requireAll(t, race(20, func(i int) error {
			if i%4 == 0 {
				report, err := t.Audit(t.Context())
				if len(report.Discrepancies) > 0 {
					t.Errorf("%v", report.Discrepancies)
				}
				return err
			}
			h, err := t.Hold(t.Context(), t.request())
			if err == nil {
				_, err = t.Settle(t.Context(), h, nil)
			}
			return err
		}))
	},
	"passes on a failure of the database": func(t book) {
		t.mustExec(`DROP TABLE entries`)
		_, err := t.Audit(t.Context())
		var failure *store.Error
		require.ErrorAs(t, err, &failure)
	},
}
