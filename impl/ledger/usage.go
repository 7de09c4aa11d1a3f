package ledger

import (
	"context"
	"fmt"
	"time"

	"uncial/impl/store"
)

// Grouping selects how usage is summed.
type Grouping int

// Groupings of Usage.
const (
	ByDay Grouping = iota
	ByKey
	ByDayAndKey
)

// Use is a sum of settled extractions. A hold counts on the day on which it was taken, so that the days of a month add up to
// the points that were charged to it.
type Use struct {
	AccountID   string    `json:"account"`
	Day         time.Time `json:"day,omitzero"`  // midnight UTC; zero in ByKey
	KeyID       string    `json:"key,omitempty"` // or PlaygroundMeter; empty in ByDay, and for uses before keys were recorded
	Extractions int64     `json:"extractions"`
	Points      int64     `json:"points"`
}

// dayLength is a day in the unit of stored times, microseconds.
const dayLength = int64(24 * time.Hour / time.Microsecond)

// Columns of a hold in Usage: the day since 1970-01-01 UTC, and the key or the meter of the playground.
const (
	usageDay = `created_at / 86400000000`
	usageKey = `COALESCE(key_id, meter_id, '')`
)

// Usage returns what an account has used in the calendar month (UTC) of an instant, in the order of days and then of key
// IDs; in ByKey the key with the most points comes first. Days and keys without usage are left out. Errors: *store.Error.
func (l *Ledger) Usage(ctx context.Context, accountID string, month time.Time, by Grouping) ([]Use, error) {
	columns := map[Grouping]string{ByDay: `day, ''`, ByKey: `-1, key_id`, ByDayAndKey: `day, key_id`}[by]
	order := `1, 2`
	if by == ByKey {
		order = `4 DESC, 2`
	}
	// A month has both holds and rows of usage_days only while it is being archived.
	all, err := store.All(ctx, l.store.Reader(), `SELECT `+columns+`, CAST(SUM(extractions) AS BIGINT), CAST(SUM(points) AS BIGINT) FROM (
			SELECT `+usageDay+` AS day, `+usageKey+` AS key_id, COUNT(*) AS extractions, SUM(points) AS points FROM holds
			WHERE account_id = $1 AND period = $2 AND state = 'settled' GROUP BY 1, 2
			UNION ALL SELECT day, key_id, extractions, points FROM usage_days WHERE account_id = $1 AND period = $2) AS uses
		GROUP BY 1, 2 ORDER BY `+order,
		store.Args{accountID, MonthOf(month)}, func(scan func(...any) error) (Use, error) {
			u := Use{AccountID: accountID}
			var day int64
			err := scan(&day, &u.KeyID, &u.Extractions, &u.Points)
			if day >= 0 {
				u.Day = time.UnixMicro(day * dayLength).UTC()
			}
			return u, err
		})
	if err != nil {
		return nil, fmt.Errorf("usage: %w", err)
	}
	return all, nil
}

// Months returns the first instants of the months in which an account has had a balance, the latest first. Errors:
// *store.Error.
func (l *Ledger) Months(ctx context.Context, accountID string) ([]time.Time, error) {
	all, err := store.All(ctx, l.store.Reader(), `SELECT period FROM balances WHERE account_id = $1 ORDER BY period DESC`,
		store.Args{accountID}, func(scan func(...any) error) (time.Time, error) {
			var period string
			if err := scan(&period); err != nil {
				return time.Time{}, err
			}
			return time.Parse("2006-01", period)
		})
	if err != nil {
		return nil, fmt.Errorf("list months: %w", err)
	}
	return all, nil
}

// MeterUse is the points used under one meter in a month, running holds included.
type MeterUse struct {
	MeterID   string `json:"-"`
	AccountID string `json:"account"`
	Cap       *int64 `json:"cap,omitempty"` // nil: none
	Used      int64  `json:"used"`
}

// MeterUses returns the use of an account's meters in the current month, by the IDs of the meters; if accountID is empty, that
// of all meters with a cap. Meters without use are left out. Errors: *store.Error.
func (l *Ledger) MeterUses(ctx context.Context, accountID string) (map[string]MeterUse, error) {
	all, err := store.All(ctx, l.store.Reader(), `SELECT m.id, m.account_id, m.cap, c.used + c.held
		FROM meters m JOIN meter_balances c ON c.meter_id = m.id AND c.period = $2
		WHERE m.account_id = $1 OR $1 = '' AND m.cap IS NOT NULL`,
		store.Args{accountID, MonthOf(l.now())}, func(scan func(...any) error) (u MeterUse, err error) {
			return u, scan(&u.MeterID, &u.AccountID, &u.Cap, &u.Used)
		})
	if err != nil {
		return nil, fmt.Errorf("use of meters: %w", err)
	}
	uses := make(map[string]MeterUse, len(all))
	for _, u := range all {
		uses[u.MeterID] = u
	}
	return uses, nil
}
