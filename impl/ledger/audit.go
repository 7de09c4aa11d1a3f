package ledger

import (
	"context"
	"fmt"

	"uncial/impl/store"
)

// maxDiscrepancies is how many of each kind a report lists.
const maxDiscrepancies = 100

// Report is what an audit found. The books are right where Discrepancies is empty.
type Report struct {
	Accounts      int64         `json:"accounts"`
	Balances      int64         `json:"balances"`
	Holds         int64         `json:"holds"`
	Running       int64         `json:"runningHolds"`
	Entries       int64         `json:"entries"`
	Discrepancies []Discrepancy `json:"discrepancies"`
}

// Discrepancy is two places that should agree and do not.
type Discrepancy struct {
	AccountID string `json:"account"`
	Period    string `json:"period"`
	HoldID    string `json:"hold,omitempty"`
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

// check finds one kind of discrepancy: rows of account, period, hold, expected and found.
type check struct{ problem, query string }

var checks = []check{
	{"the sum of the entries is what remains", `
		SELECT b.account_id, b.period, '', CAST(COALESCE(SUM(e.points), 0) AS BIGINT), b.total - b.used - b.held
		FROM balances b LEFT JOIN entries e ON e.account_id = b.account_id AND e.period = b.period
		GROUP BY b.account_id, b.period, b.total, b.used, b.held
		HAVING COALESCE(SUM(e.points), 0) <> b.total - b.used - b.held`},
	{"the sum of grants and adjustments is the period's total", `
		SELECT b.account_id, b.period, '', CAST(COALESCE(SUM(e.points), 0) AS BIGINT), b.total
		FROM balances b LEFT JOIN entries e
			ON e.account_id = b.account_id AND e.period = b.period AND e.kind IN ('grant', 'adjust')
		GROUP BY b.account_id, b.period, b.total
		HAVING COALESCE(SUM(e.points), 0) <> b.total`},
	{"the entries are numbered without gaps up to the balance's number", `
		SELECT b.account_id, b.period, '', b.seq, COUNT(e.seq)
		FROM balances b LEFT JOIN entries e
			ON e.account_id = b.account_id AND e.period = b.period AND e.seq BETWEEN 1 AND b.seq
		GROUP BY b.account_id, b.period, b.seq
		HAVING COUNT(e.seq) <> b.seq`},
	{"no entry lies beyond its balance's number", `
		SELECT b.account_id, b.period, '', b.seq, MAX(e.seq)
		FROM balances b JOIN entries e ON e.account_id = b.account_id AND e.period = b.period
		GROUP BY b.account_id, b.period, b.seq
		HAVING MAX(e.seq) > b.seq OR MIN(e.seq) < 1`},
	{"each entry's remainder is the sum of the entries so far", `
		SELECT account_id, period, COALESCE(hold_id, ''), so_far, remaining FROM (
			SELECT account_id, period, hold_id, seq, remaining, CAST(SUM(points) OVER
				(PARTITION BY account_id, period ORDER BY seq) AS BIGINT) AS so_far
			FROM entries) AS running
		WHERE so_far <> remaining`},
	{"the points of running holds are what the balance holds", `
		SELECT b.account_id, b.period, '', CAST(COALESCE(SUM(h.points), 0) AS BIGINT), b.held
		FROM balances b LEFT JOIN holds h
			ON h.account_id = b.account_id AND h.period = b.period AND h.state = 'held'
		GROUP BY b.account_id, b.period, b.held
		HAVING COALESCE(SUM(h.points), 0) <> b.held`},
	{"the points of settled holds are what the balance has used", `
		SELECT b.account_id, b.period, '', CAST(COALESCE(SUM(h.points), 0) AS BIGINT), b.used
		FROM balances b LEFT JOIN holds h
			ON h.account_id = b.account_id AND h.period = b.period AND h.state = 'settled'
		GROUP BY b.account_id, b.period, b.used
		HAVING COALESCE(SUM(h.points), 0) <> b.used`},
	{"each hold has one entry that takes it", `
		SELECT h.account_id, h.period, h.id, 1, COUNT(e.seq)
		FROM holds h LEFT JOIN entries e ON e.hold_id = h.id AND e.kind = 'hold'
			AND e.account_id = h.account_id AND e.period = h.period
		GROUP BY h.account_id, h.period, h.id
		HAVING COUNT(e.seq) <> 1`},
	{"each hold's first entry takes its points", `
		SELECT h.account_id, h.period, h.id, -h.points, e.points
		FROM holds h JOIN entries e ON e.hold_id = h.id AND e.kind = 'hold'
		WHERE e.points <> -h.points`},
	{"a hold that has ended has one entry that says how, and a running one none", `
		SELECT account_id, period, id, CASE WHEN state = 'held' THEN 0 ELSE 1 END,
			CASE WHEN endings = 1 AND state <> 'held' THEN fitting ELSE endings END
		FROM (
			SELECT h.account_id, h.period, h.id, h.state, COUNT(e.seq) AS endings,
				COUNT(CASE WHEN e.kind = CASE h.state WHEN 'settled' THEN 'settle' WHEN 'released' THEN 'release'
					WHEN 'expired' THEN 'expire' END THEN 1 END) AS fitting
			FROM holds h LEFT JOIN entries e ON e.hold_id = h.id AND e.kind <> 'hold'
				AND e.account_id = h.account_id AND e.period = h.period
			GROUP BY h.account_id, h.period, h.id, h.state) AS ended
		WHERE endings <> CASE WHEN state = 'held' THEN 0 ELSE 1 END OR fitting <> endings`},
	{"each hold's last entry gives back what is due", `
		SELECT h.account_id, h.period, h.id, CASE WHEN e.kind = 'settle' THEN 0 ELSE h.points END, e.points
		FROM holds h JOIN entries e ON e.hold_id = h.id AND e.kind <> 'hold'
		WHERE e.points <> CASE WHEN e.kind = 'settle' THEN 0 ELSE h.points END`},
	{"each entry has its balance", `
		SELECT e.account_id, e.period, COALESCE(e.hold_id, ''), 1, 0
		FROM entries e LEFT JOIN balances b ON b.account_id = e.account_id AND b.period = e.period
		WHERE b.account_id IS NULL`},
	{"each hold has its balance", `
		SELECT h.account_id, h.period, h.id, 1, 0
		FROM holds h LEFT JOIN balances b ON b.account_id = h.account_id AND b.period = h.period
		WHERE b.account_id IS NULL`},
	{"each entry of a hold has its hold", `
		SELECT e.account_id, e.period, COALESCE(e.hold_id, ''), 1, 0
		FROM entries e LEFT JOIN holds h ON h.id = e.hold_id
		WHERE h.id IS NULL AND e.kind NOT IN ('grant', 'adjust')`},
}

// Audit proves that the entries, the balances and the holds agree, all read from one state of the database, and lists
// where they do not. It reads every row; Settle and Hold go on meanwhile.
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
			d := Discrepancy{Problem: c.problem}
			err := scan(&d.AccountID, &d.Period, &d.HoldID, &d.Expected, &d.Found)
			return d, err
		})
}
