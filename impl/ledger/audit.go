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

// check finds one kind of discrepancy: rows of account, period, hold, expected and found. Each groups before it joins,
// so that its time grows with the rows and not with their square.
type check struct{ problem, query string }

// What the entries say of each balance and of each hold, and the holds of each balance.
const (
	ofBalance = `(SELECT account_id, period, COUNT(*) AS entries, MIN(seq) AS first, MAX(seq) AS last,
			CAST(SUM(points) AS BIGINT) AS remaining,
			CAST(SUM(CASE WHEN kind IN ('grant', 'adjust') THEN points ELSE 0 END) AS BIGINT) AS granted
		FROM entries GROUP BY account_id, period) AS e`
	ofHold = `(SELECT account_id, period, hold_id, COUNT(CASE kind WHEN 'hold' THEN 1 END) AS takings,
			CAST(SUM(CASE kind WHEN 'hold' THEN points ELSE 0 END) AS BIGINT) AS taken,
			CAST(SUM(CASE kind WHEN 'hold' THEN 0 ELSE points END) AS BIGINT) AS returned,
			COUNT(CASE kind WHEN 'hold' THEN NULL ELSE 1 END) AS endings,
			COUNT(CASE kind WHEN 'settle' THEN 1 END) AS settlings,
			COUNT(CASE kind WHEN 'release' THEN 1 END) AS releases,
			COUNT(CASE kind WHEN 'expire' THEN 1 END) AS expiries
		FROM entries WHERE hold_id IS NOT NULL GROUP BY account_id, period, hold_id) AS e`
	holdsOfBalance = `(SELECT account_id, period,
			CAST(SUM(CASE state WHEN 'held' THEN points ELSE 0 END) AS BIGINT) AS held,
			CAST(SUM(CASE state WHEN 'settled' THEN points ELSE 0 END) AS BIGINT) AS used
		FROM holds GROUP BY account_id, period) AS h`

	// balances asks something of each balance with its entries.
	balances = ` FROM balances b LEFT JOIN ` + ofBalance + ` ON e.account_id = b.account_id AND e.period = b.period WHERE `
	holds    = ` FROM holds h LEFT JOIN ` + ofHold +
		` ON e.hold_id = h.id AND e.account_id = h.account_id AND e.period = h.period WHERE `
	balancesHolds = ` FROM balances b LEFT JOIN ` + holdsOfBalance +
		` ON h.account_id = b.account_id AND h.period = b.period WHERE `

	due     = `CASE WHEN h.state IN ('released', 'expired') THEN h.points ELSE 0 END`
	endings = `CASE WHEN h.state = 'held' THEN 0 ELSE 1 END`
	fitting = `CASE h.state WHEN 'settled' THEN COALESCE(e.settlings, 0) WHEN 'released' THEN COALESCE(e.releases, 0)
		WHEN 'expired' THEN COALESCE(e.expiries, 0) ELSE 0 END`
)

var checks = []check{
	{"the sum of the entries is what remains", `
		SELECT b.account_id, b.period, '', COALESCE(e.remaining, 0), b.total - b.used - b.held` + balances +
		`COALESCE(e.remaining, 0) <> b.total - b.used - b.held`},
	{"the sum of grants and adjustments is the period's total", `
		SELECT b.account_id, b.period, '', COALESCE(e.granted, 0), b.total` + balances +
		`COALESCE(e.granted, 0) <> b.total`},
	{"there are as many entries as the balance has numbered", `
		SELECT b.account_id, b.period, '', b.seq, COALESCE(e.entries, 0)` + balances +
		`COALESCE(e.entries, 0) <> b.seq`},
	{"the entries are numbered from 1", `
		SELECT b.account_id, b.period, '', 1, e.first` + balances + `e.first <> 1`},
	{"the latest entry has the balance's number", `
		SELECT b.account_id, b.period, '', b.seq, e.last` + balances + `e.last <> b.seq`},
	{"each entry's remainder is the sum of the entries so far", `
		SELECT account_id, period, COALESCE(hold_id, ''), so_far, remaining FROM (
			SELECT account_id, period, hold_id, seq, remaining, CAST(SUM(points) OVER
				(PARTITION BY account_id, period ORDER BY seq) AS BIGINT) AS so_far
			FROM entries) AS running
		WHERE so_far <> remaining`},
	{"the points of running holds are what the balance holds", `
		SELECT b.account_id, b.period, '', COALESCE(h.held, 0), b.held` + balancesHolds +
		`COALESCE(h.held, 0) <> b.held`},
	{"the points of settled holds are what the balance has used", `
		SELECT b.account_id, b.period, '', COALESCE(h.used, 0), b.used` + balancesHolds +
		`COALESCE(h.used, 0) <> b.used`},
	{"each hold has one entry that takes it", `
		SELECT h.account_id, h.period, h.id, 1, COALESCE(e.takings, 0)` + holds +
		`COALESCE(e.takings, 0) <> 1`},
	{"that entry takes the hold's points", `
		SELECT h.account_id, h.period, h.id, -h.points, e.taken` + holds + `e.taken <> -h.points`},
	{"a hold that has ended has one entry that ends it, and a running one none", `
		SELECT h.account_id, h.period, h.id, ` + endings + `, COALESCE(e.endings, 0)` + holds +
		`COALESCE(e.endings, 0) <> ` + endings},
	{"that entry says how the hold has ended", `
		SELECT h.account_id, h.period, h.id, ` + endings + `, ` + fitting + holds + fitting + ` <> ` + endings},
	{"that entry gives back what is due", `
		SELECT h.account_id, h.period, h.id, ` + due + `, COALESCE(e.returned, 0)` + holds +
		`COALESCE(e.returned, 0) <> ` + due},
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
