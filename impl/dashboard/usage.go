package dashboard

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"uncial/impl/ledger"
	"uncial/internal/text"
)

// maxUsageRows bounds the table of keys. The file holds all of them.
const maxUsageRows = 100

// usagePage is the data of usage.html.
type usagePage struct {
	Month       string // such as "2026-03"
	Months      []string
	Key         *keyName // nil: all keys
	Chart       chart
	Days        []usageRow
	Keys        []usageRow // empty for a single key
	HiddenKeys  int        // rows left out of Keys
	Points      int64
	Extractions int64
}

// usageRow is a line of a table: a day or a key.
type usageRow struct {
	Label, Path string // Path is empty for rows without a page of their own
	Points      int64
	Extractions int64
}

// keyName is a key as the pages call it.
type keyName struct{ ID, Name, Path string }

// usageQuery holds the query of the address.
type usageQuery struct {
	month time.Time
	key   string // ID of a key, or of the meter of the playground; "" for all
}

// readUsage reads the query of the address. Errors: NotFound for keys of other accounts.
func (c *Call) readUsage() (usageQuery, error) {
	q := usageQuery{month: c.Now(), key: c.R.URL.Query().Get("key")}
	if text := c.R.URL.Query().Get("month"); text != "" {
		month, err := time.Parse("2006-01", text)
		if err != nil {
			return q, &Problem{Status: 400, Title: "Invalid month", Text: "Write a month like 2026-03."}
		}
		q.month = month
	}
	if q.key != "" && q.key != ledger.PlaygroundMeter(c.Account.ID) {
		if _, err := c.keyOf(q.key); err != nil {
			return q, err
		}
	}
	return q, nil
}

// uses returns the use in the month by day and key, of the key asked for or of all.
func (c *Call) uses(q usageQuery) ([]ledger.Use, error) {
	all, err := c.d.o.Ledger.Usage(c.R.Context(), c.Account.ID, q.month, ledger.ByDayAndKey)
	if err != nil || q.key == "" {
		return all, err
	}
	return slices.DeleteFunc(all, func(u ledger.Use) bool { return u.KeyID != q.key }), nil
}

// keyNames returns the keys of the account by their ID, and the playground under its meter.
func (c *Call) keyNames() (map[string]keyName, error) {
	keys, err := c.d.o.Accounts.Keys(c.R.Context(), c.Account.ID)
	if err != nil {
		return nil, err
	}
	playground := ledger.PlaygroundMeter(c.Account.ID)
	names := map[string]keyName{
		playground: {ID: playground, Name: "Playground"},
		"":         {Name: "Unknown key, before keys were recorded"},
	}
	for _, k := range keys {
		names[k.ID] = keyName{k.ID, k.Name, Prefix + "/keys/" + k.ID}
	}
	return names, nil
}

// usesOfMonth returns what the address asks for, the use in the month by day and key, and the keys by their ID. Errors: those
// of readUsage.
func (c *Call) usesOfMonth() (q usageQuery, uses []ledger.Use, names map[string]keyName, err error) {
	if q, err = c.readUsage(); err != nil {
		return q, nil, nil, err
	}
	if uses, err = c.uses(q); err != nil {
		return q, nil, nil, err
	}
	names, err = c.keyNames()
	return q, uses, names, err
}

// showUsage shows the use in a month: a chart and a table by day, and a table by key.
func showUsage(c *Call) error {
	q, uses, names, err := c.usesOfMonth()
	if err != nil {
		return err
	}
	p := usagePage{Month: ledger.MonthOf(q.month)}
	if q.key != "" {
		name := names[q.key]
		p.Key = &name
	} else {
		p.Keys = byKey(uses, names)
		p.HiddenKeys = max(0, len(p.Keys)-maxUsageRows)
		p.Keys = p.Keys[:len(p.Keys)-p.HiddenKeys]
	}
	p.addDays(uses, q.month)
	if p.Months, err = c.months(p.Month); err != nil {
		return err
	}
	return c.render("usage", p)
}

// months lists the months that the page offers, the latest first: those with a balance, the current one, and the one shown.
func (c *Call) months(shown string) ([]string, error) {
	found, err := c.d.o.Ledger.Months(c.R.Context(), c.Account.ID)
	if err != nil {
		return nil, err
	}
	months := []string{shown, ledger.MonthOf(c.Now())}
	for _, m := range found {
		months = append(months, ledger.MonthOf(m))
	}
	slices.Sort(months)
	months = slices.Compact(months)
	slices.Reverse(months)
	return months, nil
}

// addDays fills in the chart, which has every day of the month, the days with use, and the sums.
func (p *usagePage) addDays(uses []ledger.Use, month time.Time) {
	first := time.Date(month.Year(), month.Month(), 1, 0, 0, 0, 0, time.UTC)
	days := first.AddDate(0, 1, -1).Day()
	points, extractions := make([]int64, days+1), make([]int64, days+1)
	for _, u := range uses {
		points[u.Day.Day()] += u.Points
		extractions[u.Day.Day()] += u.Extractions
		p.Points += u.Points
		p.Extractions += u.Extractions
	}
	values := make([]chartValue, days)
	for d := 1; d <= days; d++ {
		date := first.AddDate(0, 0, d-1).Format(time.DateOnly)
		value := chartValue{Text: fmt.Sprintf("%s: %s points", date, text.Number(points[d])), Points: points[d]}
		if d == 1 || d%5 == 0 {
			value.Label = strconv.Itoa(d)
		}
		values[d-1] = value
		if extractions[d] > 0 {
			p.Days = append(p.Days, usageRow{Label: date, Points: points[d], Extractions: extractions[d]})
		}
	}
	p.Chart = newChart("Points by day in "+p.Month, values)
}

// byKey adds up the use of each key, the most used first.
func byKey(uses []ledger.Use, names map[string]keyName) []usageRow {
	rows := map[string]*usageRow{}
	for _, u := range uses {
		row := rows[u.KeyID]
		if row == nil {
			row = &usageRow{Label: names[u.KeyID].Name, Path: names[u.KeyID].Path}
			rows[u.KeyID] = row
		}
		row.Points += u.Points
		row.Extractions += u.Extractions
	}
	list := make([]usageRow, 0, len(rows))
	for _, row := range rows {
		list = append(list, *row)
	}
	slices.SortFunc(list, func(a, b usageRow) int {
		if a.Points != b.Points {
			return int(max(-1, min(1, b.Points-a.Points)))
		}
		return slices.Compare([]string{a.Label, a.Path}, []string{b.Label, b.Path})
	})
	return list
}

// usageCSV answers with the use in a month by day and key.
func usageCSV(c *Call) error {
	q, uses, names, err := c.usesOfMonth()
	if err != nil {
		return err
	}
	rows := [][]string{{"day", "key", "name", "extractions", "points"}}
	for _, u := range uses {
		rows = append(rows, []string{
			u.Day.Format(time.DateOnly), CSVCell(u.KeyID), CSVCell(names[u.KeyID].Name),
			strconv.FormatInt(u.Extractions, 10), strconv.FormatInt(u.Points, 10),
		})
	}
	return c.writeCSV("uncial-usage-"+ledger.MonthOf(q.month)+".csv", rows)
}
