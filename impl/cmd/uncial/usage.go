package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"uncial/impl/account"
	"uncial/impl/app"
	"uncial/impl/dashboard"
	"uncial/impl/ledger"
)

// usageCmd prints settled extractions. Days are UTC; a month's rows add up to the points that were charged to it.
type usageCmd struct {
	databaseFlags
	Account string `placeholder:"ID" help:"Only this account (default: all accounts)."`
	Month   month  `placeholder:"YYYY-MM" help:"Calendar month in UTC (default: the current one)."`
	By      string `enum:"day,key" default:"day" help:"Group rows by day or by key (default: ${default})."`
	CSV     bool   `name:"csv" help:"Print CSV." xor:"form"`
	JSON    bool   `help:"Print JSON." xor:"form"`
}

// month is a calendar month as the value of a flag. Its zero value stands for the current month.
type month time.Time

// UnmarshalText parses the value of the flag. kong puts the name of the flag before the error.
func (m *month) UnmarshalText(text []byte) error {
	t, err := time.Parse("2006-01", string(text))
	if err != nil {
		return fmt.Errorf("invalid month %q; use a form such as 2026-03", text)
	}
	*m = month(t)
	return nil
}

func (usageCmd) Help() string {
	return `An extraction counts towards the day on which it began. A rotated key and its successor have rows of their own.

Examples:
  uncial usage --by key
  uncial usage --account acc_7k2m --month 2026-03 --by day --csv > march.csv`
}

// usageRow is one row of the result; Day or Key is empty.
type usageRow struct {
	AccountID   string `json:"account"`
	Day         string `json:"day,omitempty"` // such as 2026-03-16
	KeyID       string `json:"key,omitempty"`
	KeyName     string `json:"keyName,omitempty"`
	LastFour    string `json:"lastFour,omitempty"`
	Extractions int64  `json:"extractions"`
	Points      int64  `json:"points"`
}

// Run prints a table, CSV, or an array of usageRow.
func (c *usageCmd) Run(ctx context.Context, con *console) error {
	return withData(ctx, con, readOnly(c.keyless()), func(d *app.Data) error {
		rows, err := c.rows(ctx, d)
		if err != nil {
			return err
		}
		if c.CSV {
			return writeUsage(con.out, c.By, rows)
		}
		header := "ACCOUNT\tDAY\tEXTRACTIONS\tPOINTS"
		if c.By == "key" {
			header = "ACCOUNT\tKEY\tNAME\tENDS IN\tEXTRACTIONS\tPOINTS"
		}
		return printTable(con.out, c.JSON, header, rows, func(r usageRow) string { return strings.Join(r.cells(c.By), "\t") })
	})
}

// rows reads the usage of the accounts, oldest account first. Errors: account.ErrNoAccount, *store.Error.
func (c *usageCmd) rows(ctx context.Context, d *app.Data) ([]usageRow, error) {
	accounts, err := c.accounts(ctx, d)
	if err != nil {
		return nil, err
	}
	when, by := time.Time(c.Month), map[string]ledger.Grouping{"day": ledger.ByDay, "key": ledger.ByKey}[c.By]
	if when.IsZero() {
		when = time.Now()
	}
	rows := []usageRow{}
	for _, a := range accounts {
		uses, err := d.Ledger.Usage(ctx, a.ID, when, by)
		if err != nil {
			return nil, err
		}
		keys := map[string]account.Key{}
		if c.By == "key" && len(uses) > 0 {
			if keys, err = keysByID(ctx, d, a.ID); err != nil {
				return nil, err
			}
		}
		for _, u := range uses {
			rows = append(rows, newUsageRow(u, keys[u.KeyID]))
		}
	}
	return rows, nil
}

// accounts returns the account of --account, or all without it. Errors: account.ErrNoAccount, *store.Error.
func (c *usageCmd) accounts(ctx context.Context, d *app.Data) ([]account.Account, error) {
	if c.Account == "" {
		return d.Accounts.List(ctx)
	}
	a, err := d.Accounts.Find(ctx, c.Account)
	return []account.Account{a}, err
}

// keysByID includes expired and revoked keys, which have use in earlier months.
func keysByID(ctx context.Context, d *app.Data, accountID string) (map[string]account.Key, error) {
	all, err := d.Accounts.Keys(ctx, accountID)
	keys := map[string]account.Key{}
	for _, k := range all {
		keys[k.ID] = k
	}
	return keys, err
}

// newUsageRow returns the row of a use. The playground's row has the key "playground"; k is empty for uses from before keys
// were recorded.
func newUsageRow(u ledger.Use, k account.Key) usageRow {
	r := usageRow{AccountID: u.AccountID, KeyID: u.KeyID, KeyName: k.Name, LastFour: k.LastFour, Extractions: u.Extractions, Points: u.Points}
	if !u.Day.IsZero() {
		r.Day = u.Day.Format(time.DateOnly)
	}
	if u.KeyID == ledger.PlaygroundMeter(u.AccountID) {
		r.KeyID, r.KeyName = "playground", "Playground"
	}
	return r
}

// cells returns the columns of a row. Empty cells are "-", so that columns can be counted.
func (r usageRow) cells(by string) []string {
	cells := []string{r.AccountID, r.Day}
	if by == "key" {
		cells = []string{r.AccountID, r.KeyID, r.KeyName, r.LastFour}
	}
	for i, c := range cells {
		if c == "" {
			cells[i] = "-"
		}
	}
	return append(cells, strconv.FormatInt(r.Extractions, 10), strconv.FormatInt(r.Points, 10))
}

// writeUsage writes CSV with a header.
func writeUsage(w io.Writer, by string, rows []usageRow) error {
	out := csv.NewWriter(w)
	header := []string{"account", "day", "extractions", "points"}
	if by == "key" {
		header = []string{"account", "key", "name", "ends_in", "extractions", "points"}
	}
	records := [][]string{header}
	for _, r := range rows {
		cells := r.cells(by)
		for i, cell := range cells {
			if cell != "-" { // an empty cell
				cells[i] = dashboard.CSVCell(cell)
			}
		}
		records = append(records, cells)
	}
	if err := out.WriteAll(records); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	return nil
}
