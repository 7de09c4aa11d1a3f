package ledger

import (
	"context"
	"errors"
	"math"
	"time"

	"uncial/impl/store"
)

const (
	// DefaultRetention keeps each extraction for a year and a month, so that a month can be compared with the same month a year
	// earlier.
	DefaultRetention = 400 * 24 * time.Hour
	// MinRetention leaves time for replies to be replayed, for holds to expire and for the clocks of replicas to differ.
	MinRetention = 7 * 24 * time.Hour

	// archiveBatch bounds the holds of each kind (charged, returned) that one transaction removes; it also removes up to twice
	// that number of entries. That locks SQLite for about 50 ms.
	archiveBatch = 2000
	// archiveBatches bounds the transactions of one sweep, so that other writers of a SQLite file get their turn.
	archiveBatches = 20
)

// month is the balance of an account in a calendar month.
type month struct{ accountID, period string }

// archive removes holds and entries of months that ended longer ago than the retention, for at most archiveBatches
// transactions, and returns how many holds it removed. Usage keeps their sums by day and key, and an opening entry stands for
// the removed entries, so that the audit stays exact. Grants and adjustments of the month stay.
func (l *Ledger) archive(ctx context.Context) (removed int64, err error) {
	if l.retention <= 0 {
		return 0, nil
	}
	for range archiveBatches {
		var m month
		err := l.store.Reader().Get(ctx, `SELECT account_id, period FROM balances
			WHERE removed_at IS NULL AND period < $1 AND held = 0 ORDER BY period, account_id LIMIT 1`,
			store.Args{MonthOf(l.now().Add(-l.retention))}, &m.accountID, &m.period)
		if errors.Is(err, store.ErrNoRows) {
			return removed, nil
		}
		if err != nil {
			return removed, err
		}
		n, err := l.archiveSome(ctx, m)
		removed += n
		if err != nil {
			return removed, err
		}
	}
	return removed, nil
}

// archiveSome removes up to archiveBatch holds of each kind, and twice as many entries, and marks the month once nothing is
// left. A month in which holds run is skipped.
func (l *Ledger) archiveSome(ctx context.Context, m month) (removed int64, err error) {
	now := store.At(l.now())
	err = l.store.Tx(ctx, func(ctx context.Context, x store.Executor) error {
		// This also makes other replicas wait for the row.
		n, err := x.Exec(ctx, `UPDATE balances SET archived_at = COALESCE(archived_at, $3)
			WHERE account_id = $1 AND period = $2 AND removed_at IS NULL AND held = 0`, m.accountID, m.period, now)
		if err != nil || n == 0 {
			return err
		}
		charged, err := m.removeSettled(ctx, x)
		if err != nil {
			return err
		}
		returned, err := m.removeReturned(ctx, x)
		if err != nil {
			return err
		}
		entries, err := m.removeEntries(ctx, x, now)
		if removed = charged + returned; err != nil || charged >= archiveBatch || returned >= archiveBatch || entries >= 2*archiveBatch {
			return err
		}
		_, err = x.Exec(ctx, `UPDATE balances SET removed_at = $3 WHERE account_id = $1 AND period = $2`, m.accountID, m.period, now)
		return err
	})
	return removed, err
}

// removeSettled moves the oldest charged holds to usage_days: archiveBatch, or more if several were made in the same
// microsecond.
func (m month) removeSettled(ctx context.Context, x store.Executor) (int64, error) {
	const these = ` FROM holds WHERE account_id = $1 AND period = $2 AND state = 'settled' AND created_at <= $3`
	last, err := m.boundary(ctx, x, `SELECT created_at FROM holds WHERE account_id = $1 AND period = $2 AND state = 'settled'
		ORDER BY created_at LIMIT 1 OFFSET $3`, archiveBatch)
	if err != nil {
		return 0, err
	}
	_, err = x.Exec(ctx, `INSERT INTO usage_days (account_id, period, day, key_id, meter_id, extractions, points)
		SELECT account_id, period, `+usageDay+`, `+usageKey+`, COALESCE(meter_id, ''), COUNT(*), CAST(SUM(points) AS BIGINT)`+these+`
		GROUP BY 1, 2, 3, 4, 5
		ON CONFLICT (account_id, period, day, key_id, meter_id) DO UPDATE SET
			extractions = usage_days.extractions + excluded.extractions, points = usage_days.points + excluded.points`,
		m.accountID, m.period, last)
	if err != nil {
		return 0, err
	}
	return x.Exec(ctx, `DELETE`+these, m.accountID, m.period, last)
}

// removeReturned removes holds that cost nothing.
func (m month) removeReturned(ctx context.Context, x store.Executor) (int64, error) {
	return x.Exec(ctx, `DELETE FROM holds WHERE id IN (SELECT id FROM holds
		WHERE account_id = $1 AND period = $2 AND state IN ('released', 'expired') LIMIT $3)`, m.accountID, m.period, archiveBatch)
}

// removeEntries moves the oldest entries of holds to the opening entry.
func (m month) removeEntries(ctx context.Context, x store.Executor, now store.Instant) (int64, error) {
	const these = ` FROM entries WHERE account_id = $1 AND period = $2 AND hold_id IS NOT NULL AND seq <= $3`
	last, err := m.boundary(ctx, x, `SELECT seq FROM entries WHERE account_id = $1 AND period = $2 AND hold_id IS NOT NULL
		ORDER BY seq LIMIT 1 OFFSET $3`, 2*archiveBatch)
	if err != nil {
		return 0, err
	}
	_, err = x.Exec(ctx, `INSERT INTO entries (account_id, period, seq, kind, points, remaining, at, removed)
		SELECT $1, $2, 0, 'opening', CAST(SUM(points) AS BIGINT), CAST(SUM(points) AS BIGINT), CAST($4 AS BIGINT), COUNT(*)`+these+` HAVING COUNT(*) > 0
		ON CONFLICT (account_id, period, seq) DO UPDATE SET points = entries.points + excluded.points,
			remaining = entries.remaining + excluded.remaining, at = excluded.at, removed = entries.removed + excluded.removed`,
		m.accountID, m.period, last, now)
	if err != nil {
		return 0, err
	}
	return x.Exec(ctx, `DELETE`+these, m.accountID, m.period, last)
}

// boundary returns the value of the n-th row of a query, whose OFFSET is $3, or the largest number if it has fewer.
func (m month) boundary(ctx context.Context, x store.Executor, query string, n int64) (last int64, err error) {
	err = x.Get(ctx, query, store.Args{m.accountID, m.period, n - 1}, &last)
	if errors.Is(err, store.ErrNoRows) {
		return math.MaxInt64, nil
	}
	return last, err
}
