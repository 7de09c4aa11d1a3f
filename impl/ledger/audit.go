package ledger

import (
	"context"
	"fmt"

	"uncial/impl/store"
)

// maxDiscrepancies bounds how many discrepancies of each kind a report lists.
const maxDiscrepancies = 100

// Report is the result of an audit. The books are correct if Discrepancies is empty.
type Report struct {
	Accounts      int64         `json:"accounts"`
	Balances      int64         `json:"balances"`
	Holds         int64         `json:"holds"`
	Running       int64         `json:"runningHolds"`
	Entries       int64         `json:"entries"`
	Discrepancies []Discrepancy `json:"discrepancies"`
}

// Discrepancy is one value that contradicts the other tables.
type Discrepancy struct {
	AccountID string `json:"account"`
	Period    string `json:"period"`
	HoldID    string `json:"hold,omitempty"` // or the ID of a meter
	Problem   string `json:"problem"`
	Expected  int64  `json:"expected"`
	Found     int64  `json:"found"`
}

func (d Discrepancy) String() string {
	where := d.AccountID + " " + d.Period
	if d.HoldID != "" {
		where += " " + d.HoldID
	}
	return fmt.Sprintf("%s: %s: expected %d, found %d", where, d.Problem, d.Expected, d.Found)
}

// check finds one kind of discrepancy. Its query returns five columns for each: account, period, hold, expected value and
// found value. Queries group before they join, so that their time grows with the number of rows and not with its square.
type check struct{ rule, query string }

// Parts of the queries.
const (
	// entriesByBalance sums up the entries of each balance.
	entriesByBalance = `(SELECT account_id, period, COUNT(*) AS entries, MIN(seq) AS first, MAX(seq) AS last,
			CAST(SUM(points) AS BIGINT) AS remaining,
			CAST(SUM(CASE WHEN kind IN ('grant', 'adjust') THEN points ELSE 0 END) AS BIGINT) AS granted
		FROM entries GROUP BY account_id, period) AS e`
	// entriesByHold sums up the entries of each hold.
	entriesByHold = `(SELECT account_id, period, hold_id, COUNT(CASE kind WHEN 'hold' THEN 1 END) AS taking,
			CAST(SUM(CASE kind WHEN 'hold' THEN points ELSE 0 END) AS BIGINT) AS taken,
			CAST(SUM(CASE kind WHEN 'hold' THEN 0 ELSE points END) AS BIGINT) AS returned,
			COUNT(CASE kind WHEN 'hold' THEN NULL ELSE 1 END) AS endings,
			COUNT(CASE kind WHEN 'settle' THEN 1 END) AS settlings,
			COUNT(CASE kind WHEN 'release' THEN 1 END) AS releases,
			COUNT(CASE kind WHEN 'expire' THEN 1 END) AS expiries
		FROM entries WHERE hold_id IS NOT NULL GROUP BY account_id, period, hold_id) AS e`
	// holdsByBalance sums up the holds of each balance.
	holdsByBalance = `(SELECT account_id, period,
			CAST(SUM(CASE state WHEN 'held' THEN points ELSE 0 END) AS BIGINT) AS held,
			CAST(SUM(CASE state WHEN 'settled' THEN points ELSE 0 END) AS BIGINT) AS used
		FROM holds GROUP BY account_id, period) AS h`

	// A query continues one of these with its condition.
	balances = ` FROM balances b LEFT JOIN ` + entriesByBalance + ` ON e.account_id = b.account_id AND e.period = b.period WHERE `
	holds    = ` FROM holds h LEFT JOIN ` + entriesByHold +
		` ON e.hold_id = h.id AND e.account_id = h.account_id AND e.period = h.period WHERE `
	meters = ` FROM meter_balances c JOIN meters m ON m.id = c.meter_id LEFT JOIN (SELECT meter_id, period,
			CAST(SUM(CASE state WHEN 'held' THEN points ELSE 0 END) AS BIGINT) AS held,
			CAST(SUM(CASE state WHEN 'settled' THEN points ELSE 0 END) AS BIGINT) AS used
		FROM holds WHERE meter_id IS NOT NULL GROUP BY meter_id, period) AS h
		ON h.meter_id = c.meter_id AND h.period = c.period WHERE `
	balancesWithHolds = ` FROM balances b LEFT JOIN ` + holdsByBalance +
		` ON h.account_id = b.account_id AND h.period = b.period WHERE `

	// due is the number of points that the end of a hold must return, endings the number of entries that must end it, and
	// matching the number of entries whose kind matches its state.
	due      = `CASE WHEN h.state IN ('released', 'expired') THEN h.points ELSE 0 END`
	endings  = `CASE WHEN h.state = 'held' THEN 0 ELSE 1 END`
	matching = `CASE h.state WHEN 'settled' THEN COALESCE(e.settlings, 0) WHEN 'released' THEN COALESCE(e.releases, 0)
		WHEN 'expired' THEN COALESCE(e.expiries, 0) ELSE 0 END`
)

// checks are the rules that the tables must satisfy. A new kind of entry or state needs its rules here.
var checks = []check{
	{"the entries add up to the remaining points", `
		SELECT b.account_id, b.period, '', COALESCE(e.remaining, 0), b.total - b.used - b.held` + balances +
		`COALESCE(e.remaining, 0) <> b.total - b.used - b.held`},
	{"grants and adjustments add up to the total of the period", `
		SELECT b.account_id, b.period, '', COALESCE(e.granted, 0), b.total` + balances +
		`COALESCE(e.granted, 0) <> b.total`},
	{"the balance counts its entries", `
		SELECT b.account_id, b.period, '', b.seq, COALESCE(e.entries, 0)` + balances +
		`COALESCE(e.entries, 0) <> b.seq`},
	{"the entries are numbered from 1", `
		SELECT b.account_id, b.period, '', 1, e.first` + balances + `e.first <> 1`},
	{"the latest entry has the number that the balance names", `
		SELECT b.account_id, b.period, '', b.seq, e.last` + balances + `e.last <> b.seq`},
	{"each entry records the sum of the entries up to it", `
		SELECT account_id, period, COALESCE(hold_id, ''), so_far, remaining FROM (
			SELECT account_id, period, hold_id, seq, remaining, CAST(SUM(points) OVER
				(PARTITION BY account_id, period ORDER BY seq) AS BIGINT) AS so_far
			FROM entries) AS running
		WHERE so_far <> remaining`},
	{"running holds add up to the held points", `
		SELECT b.account_id, b.period, '', COALESCE(h.held, 0), b.held` + balancesWithHolds +
		`COALESCE(h.held, 0) <> b.held`},
	{"settled holds add up to the used points", `
		SELECT b.account_id, b.period, '', COALESCE(h.used, 0), b.used` + balancesWithHolds +
		`COALESCE(h.used, 0) <> b.used`},
	{"each hold has one entry that takes its points", `
		SELECT h.account_id, h.period, h.id, 1, COALESCE(e.taking, 0)` + holds +
		`COALESCE(e.taking, 0) <> 1`},
	{"the entry of a hold takes exactly its points", `
		SELECT h.account_id, h.period, h.id, -h.points, e.taken` + holds + `e.taken <> -h.points`},
	{"a hold that has ended has one entry for its end, a running hold none", `
		SELECT h.account_id, h.period, h.id, ` + endings + `, COALESCE(e.endings, 0)` + holds +
		`COALESCE(e.endings, 0) <> ` + endings},
	{"the entry for the end of a hold matches its state", `
		SELECT h.account_id, h.period, h.id, ` + endings + `, ` + matching + holds + matching + ` <> ` + endings},
	{"the entry for the end of a hold returns its points unless it was settled", `
		SELECT h.account_id, h.period, h.id, ` + due + `, COALESCE(e.returned, 0)` + holds +
		`COALESCE(e.returned, 0) <> ` + due},
	{"each entry belongs to a balance", `
		SELECT e.account_id, e.period, COALESCE(e.hold_id, ''), 1, 0
		FROM entries e LEFT JOIN balances b ON b.account_id = e.account_id AND b.period = e.period
		WHERE b.account_id IS NULL`},
	{"each hold belongs to a balance", `
		SELECT h.account_id, h.period, h.id, 1, 0
		FROM holds h LEFT JOIN balances b ON b.account_id = h.account_id AND b.period = h.period
		WHERE b.account_id IS NULL`},
	{"each entry of a hold belongs to a hold that exists", `
		SELECT e.account_id, e.period, COALESCE(e.hold_id, ''), 1, 0
		FROM entries e LEFT JOIN holds h ON h.id = e.hold_id
		WHERE h.id IS NULL AND e.kind NOT IN ('grant', 'adjust')`},
	{"grants with a reason add up to the granted points", `
		SELECT b.account_id, b.period, '', COALESCE(g.granted, 0), b.granted FROM balances b
		LEFT JOIN (SELECT account_id, period, CAST(SUM(points) AS BIGINT) AS granted FROM entries
			WHERE kind = 'grant' AND reason IS NOT NULL GROUP BY account_id, period) AS g
		ON g.account_id = b.account_id AND g.period = b.period WHERE COALESCE(g.granted, 0) <> b.granted`},
	{"running holds add up to the held points of their meter", `
		SELECT m.account_id, c.period, c.meter_id, COALESCE(h.held, 0), c.held` + meters +
		`COALESCE(h.held, 0) <> c.held`},
	{"settled holds add up to the used points of their meter", `
		SELECT m.account_id, c.period, c.meter_id, COALESCE(h.used, 0), c.used` + meters +
		`COALESCE(h.used, 0) <> c.used`},
	{"each running or settled hold with a meter belongs to a balance of the meter", `
		SELECT h.account_id, h.period, h.id, 1, 0
		FROM holds h LEFT JOIN meter_balances c ON c.meter_id = h.meter_id AND c.period = h.period
		WHERE h.meter_id IS NOT NULL AND h.state IN ('held', 'settled') AND c.meter_id IS NULL`},
}

// Audit compares entries, balances and holds on one snapshot of the database and reports where they disagree. It reads
// every row but takes no locks, so that Hold and Settle continue meanwhile. Errors: *store.Error.
func (l *Ledger) Audit(ctx context.Context) (Report, error) {
	report := Report{Discrepancies: []Discrepancy{}}
	err := l.store.Snapshot(ctx, func(ctx context.Context, x store.Executor) error {
		err := x.Get(ctx, `SELECT (SELECT COUNT(*) FROM accounts), (SELECT COUNT(*) FROM balances),
				(SELECT COUNT(*) FROM holds), (SELECT COUNT(*) FROM holds WHERE state = 'held'),
				(SELECT COUNT(*) FROM entries)`, nil,
			&report.Accounts, &report.Balances, &report.Holds, &report.Running, &report.Entries)
		if err != nil {
			return err
		}
		for _, c := range checks {
			found, err := c.run(ctx, x)
			if err != nil {
				return err
			}
			report.Discrepancies = append(report.Discrepancies, found...)
		}
		return nil
	})
	if err != nil {
		return Report{}, fmt.Errorf("audit: %w", err)
	}
	return report, nil
}

func (c check) run(ctx context.Context, x store.Executor) ([]Discrepancy, error) {
	return store.All(ctx, x, c.query+" ORDER BY 1, 2, 3 LIMIT $1", store.Args{maxDiscrepancies},
		func(scan func(...any) error) (Discrepancy, error) {
			d := Discrepancy{Problem: c.rule}
			err := scan(&d.AccountID, &d.Period, &d.HoldID, &d.Expected, &d.Found)
			return d, err
		})
}
