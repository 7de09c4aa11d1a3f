package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/netip"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"uncial/impl/account"
	"uncial/impl/app"
)

// printKey prints the token of a new key alone on stdout, so that a script can store it, and the note on stderr. It is the only
// function that prints tokens.
func printKey(con *console, k account.Key, token string, asJSON bool) error {
	if asJSON {
		return printJSON(con.out, struct {
			account.Key
			Secret string `json:"secret"`
		}{k, token})
	}
	fmt.Fprintln(con.out, token)
	fmt.Fprintf(con.err, "Created key %s for account %s. Store the key above now; it cannot be shown again.\n", k.ID, k.AccountID)
	return nil
}

// printJSON prints v indented. Characters such as & stay readable: the output is for terminals and jq, not for HTML.
func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// print prints v as JSON, or else the text. It returns no write errors; output remembers them.
func (con *console) print(asJSON bool, v any, format string, args ...any) error {
	if asJSON {
		return printJSON(con.out, v)
	}
	fmt.Fprintf(con.out, format, args...)
	return nil
}

// printTable prints rows as JSON, or else in aligned columns. header and the texts that row returns have one cell per
// column, separated by tabs.
func printTable[T any](w io.Writer, asJSON bool, header string, rows []T, row func(T) string) error {
	if asJSON {
		return printJSON(w, rows)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, header)
	for _, r := range rows {
		fmt.Fprintln(t, row(r))
	}
	return t.Flush()
}

// formatTime returns the time in UTC (RFC 3339), or "-" for the zero time, which means never.
func formatTime(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format(time.RFC3339)
}

// formatRanges returns the CIDRs separated by commas, or "any" for no restriction.
func formatRanges(allow []netip.Prefix) string {
	if len(allow) == 0 {
		return "any"
	}
	texts := make([]string, len(allow))
	for i, p := range allow {
		texts[i] = p.String()
	}
	return strings.Join(texts, ",")
}

// formatLastFour returns the last four characters of a key, or "-" for keys created before these were stored.
func formatLastFour(k account.Key) string {
	if k.LastFour == "" {
		return "-"
	}
	return "…" + k.LastFour
}

// formatCap returns the points of a cap, or "-" for none.
func formatCap(points *int64) string {
	if points == nil {
		return "-"
	}
	return strconv.FormatInt(*points, 10)
}

// accountState returns active, suspended or deleted.
func accountState(a app.Statement) string {
	switch {
	case !a.Deleted.IsZero():
		return "deleted"
	case !a.Suspended.IsZero():
		return "suspended"
	case a.Problem != "":
		return a.Problem
	}
	return "active"
}
