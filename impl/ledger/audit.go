package ledger

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"uncial/impl/store"
)

// maxRows bounds the rows of each kind whose discrepancies a report lists.
const maxRows = 100

// Report is the result of an audit. The books are correct if Discrepancies is empty.
type Report struct {
	Accounts      int64         `json:"accounts"`
	Balances      int64         `json:"balances"`
	Holds         int64         `json:"holds"`
	Running       int64         `json:"runningHolds"`
	Entries       int64         `json:"entries"`
	Discrepancies []Discrepancy `json:"discrepancies"`
}

// Discrepancy is one value that contradicts the other tables, and the rule that says so.
type Discrepancy struct {
	AccountID string `json:"account"`
	Period    string `json:"period"`
	HoldID    string `json:"hold,omitempty"` // or the ID of a meter
	Rule      string `json:"rule"`           // which the value violates, such as "the entries must add up to the remaining points"
	Expected  int64  `json:"expected"`
	Found     int64  `json:"found"`
}

func (d Discrepancy) String() string {
	where := d.AccountID + " " + d.Period
	if d.HoldID != "" {
		where += " " + d.HoldID
	}
	return fmt.Sprintf("%s: violated rule: %s (expected %d, found %d)", where, d.Rule, d.Expected, d.Found)
}

// Audit compares entries, balances and holds on one snapshot of the database and reports where they disagree. It reads
// every row but takes no locks, so that Hold and Settle continue in the meantime. Errors: *store.Error.
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
		for _, checked := range subjects {
			found, err := checked.check(ctx, x)
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

// check returns the discrepancies of at most maxRows rows.
func (s subject) check(ctx context.Context, x store.Executor) ([]Discrepancy, error) {
	selected, differs := s.columns, make([]string, 0, len(s.rules))
	for _, r := range s.rules {
		selected += `, ` + r.expected + `, ` + r.found
		differs = append(differs, r.expected+` <> `+r.found)
	}
	rows, err := store.All(ctx, x, `SELECT `+selected+` `+s.from+` WHERE `+strings.Join(differs, ` OR `)+` ORDER BY 1, 2, 3 LIMIT $1`,
		store.Args{maxRows}, s.compare)
	return slices.Concat(rows...), err
}

// compare returns the discrepancies of one row.
func (s subject) compare(scan func(...any) error) ([]Discrepancy, error) {
	var d Discrepancy
	values := make([]*int64, 2*len(s.rules)) // expected and found of each rule
	into := []any{&d.AccountID, &d.Period, &d.HoldID}
	for i := range values {
		into = append(into, &values[i])
	}
	if err := scan(into...); err != nil {
		return nil, err
	}
	var all []Discrepancy
	for i, r := range s.rules {
		expected, found := values[2*i], values[2*i+1]
		if expected != nil && found != nil && *expected != *found {
			d.Rule, d.Expected, d.Found = r.text, *expected, *found
			all = append(all, d)
		}
	}
	return all, nil
}
