package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/netip"
	"strings"
	"text/tabwriter"
	"time"

	"uncial/impl/account"
	"uncial/impl/app"
)

// accountCmd groups the commands for accounts. Accounts cannot be deleted, because the ledger refers to them; without an
// active key an account cannot be used.
type accountCmd struct {
	Create accountCreateCmd `cmd:"" help:"Create an account."`
	List   accountListCmd   `cmd:"" help:"List accounts and their points."`
	Plan   accountPlanCmd   `cmd:"" help:"Change an account's plan."`
}

// accountCreateCmd works on an empty database too, so that it can be the first command of an installation.
type accountCreateCmd struct {
	dataFlags
	Name string `required:"" help:"Name of the account."`
	Plan string `required:"" help:"Name of a plan, such as free, pro or archive."`
	JSON bool   `help:"Print JSON."`
}

// Help returns the text below the flags.
func (accountCreateCmd) Help() string {
	return `Example:
  uncial account create --name "Map room" --plan pro`
}

// Run creates the account and prints its ID.
func (c *accountCreateCmd) Run(ctx context.Context, con *console) error {
	return withData(ctx, con, c.keyless(), func(d *app.Data) error {
		a, err := d.Accounts.Create(ctx, c.Name, c.Plan)
		if err != nil {
			return err
		}
		return con.print(c.JSON, a, "Created account %s on plan %s\n", a.ID, a.Plan)
	})
}

// accountListCmd prints every account with its points in the current month.
type accountListCmd struct {
	dataFlags
	JSON bool `help:"Print JSON."`
}

// Help returns the text below the flags.
func (accountListCmd) Help() string {
	return `Examples:
  uncial account list
  uncial account list --json | jq -r '.[] | select(.pointsRemaining < 100) | .name'`
}

// Run prints a table, or with --json an array of app.Statement.
func (c *accountListCmd) Run(ctx context.Context, con *console) error {
	return withData(ctx, con, existing(c.keyless()), func(d *app.Data) error {
		accounts, err := d.Statements(ctx)
		if err != nil {
			return err
		}
		return printTable(con.out, c.JSON, "ID\tNAME\tPLAN\tUSED\tREMAINING\tCREATED", accounts, func(a app.Statement) string {
			return fmt.Sprintf("%s\t%s\t%s\t%d\t%d\t%s", a.ID, a.Name, a.Plan, a.PointsUsed, a.PointsRemaining, formatTime(a.Created))
		})
	})
}

// accountPlanCmd changes a plan through the ledger, which adjusts the points of the current month.
type accountPlanCmd struct {
	dataFlags
	ID   string `arg:"" help:"ID of the account."`
	Plan string `arg:"" help:"Name of the new plan."`
	JSON bool   `help:"Print JSON."`
}

// Help returns the text below the flags.
func (accountPlanCmd) Help() string {
	return `A larger allowance applies at once. A smaller one never falls below what was used this month.

Example:
  uncial account plan acc_7k2m archive`
}

// Run changes the plan. Errors: those of Data.ChangePlan, such as account.ErrPlan, whose text lists the plans.
func (c *accountPlanCmd) Run(ctx context.Context, con *console) error {
	return withData(ctx, con, existing(c.keyless()), func(d *app.Data) error {
		a, err := d.ChangePlan(ctx, c.ID, c.Plan)
		if err != nil {
			return err
		}
		return con.print(c.JSON, a, "Account %s is now on plan %s\n", a.ID, a.Plan)
	})
}

// keyCmd groups the commands for API keys. IDs such as key_9x4c identify keys here; the secret key itself is never an
// argument, because other users can see the command line.
type keyCmd struct {
	Create keyCreateCmd `cmd:"" help:"Create a key and print it once."`
	List   keyListCmd   `cmd:"" help:"List keys."`
	Rotate keyRotateCmd `cmd:"" help:"Replace a key with a new one."`
	Revoke keyRevokeCmd `cmd:"" help:"Revoke a key at once."`
}

// keyCreateCmd needs the key secret, as keyRotateCmd does; the other key commands work without it.
type keyCreateCmd struct {
	dataFlags
	Account string   `required:"" help:"ID of the account that the key belongs to."`
	Name    string   `default:"key" help:"Name of the key."`
	Expires lifetime `placeholder:"DURATION" help:"Lifetime, such as 90d or 12h (default: never expires)."`
	Allow   []prefix `placeholder:"CIDR" help:"Address range it may be used from; may be repeated (default: any)."`
	Points  *int64   `placeholder:"N" help:"Points that it may use each month (default: all points of the account)."`
	JSON    bool     `help:"Print JSON."`
}

// Help returns the text below the flags.
func (keyCreateCmd) Help() string {
	return `Examples:
  uncial key create --account acc_7k2m --name scanner --expires 90d --allow 192.0.2.0/24
  uncial key create --account acc_7k2m --name student --points 500`
}

// Run creates the key and prints it once. Errors: those of account.Registry.CreateKey.
func (c *keyCreateCmd) Run(ctx context.Context, con *console) error {
	n := account.NewKey{AccountID: c.Account, Name: c.Name, Lifetime: time.Duration(c.Expires), Allow: prefixes(c.Allow), Cap: c.Points}
	return withData(ctx, con, existing(c.options()), func(d *app.Data) error {
		k, token, err := d.Accounts.CreateKey(ctx, n)
		if err != nil {
			return err
		}
		return printKey(con, k, token, c.JSON)
	})
}

// keyListCmd prints all keys, including expired and revoked ones, but never a secret key.
type keyListCmd struct {
	dataFlags
	Account string `placeholder:"ID" help:"List only the keys of this account."`
	JSON    bool   `help:"Print JSON."`
}

// Help returns the text below the flags.
func (keyListCmd) Help() string {
	return `Secret keys are not stored and cannot be shown again.

Examples:
  uncial key list
  uncial key list --account acc_7k2m --json`
}

// Run prints a table, or with --json an array of account.Key.
func (c *keyListCmd) Run(ctx context.Context, con *console) error {
	return withData(ctx, con, existing(c.keyless()), func(d *app.Data) error {
		keys, err := d.Accounts.Keys(ctx, c.Account)
		if err != nil {
			return err
		}
		return printTable(con.out, c.JSON, "ID\tACCOUNT\tNAME\tSTATUS\tEXPIRES\tLAST USED\tALLOW", keys, func(k account.Key) string {
			return strings.Join([]string{k.ID, k.AccountID, k.Name, string(k.Status), formatTime(k.Expires), formatTime(k.LastUsed), formatRanges(k.Allow)}, "\t")
		})
	})
}

// keyRotateCmd replaces a key whose secret has not leaked: both keys work during the overlap.
type keyRotateCmd struct {
	dataFlags
	ID      string  `arg:"" help:"ID of the key to replace."`
	Overlap overlap `default:"1d" help:"How long the old key keeps working, such as 2d or 12h (default: ${default})."`
	JSON    bool    `help:"Print JSON."`
}

// Help returns the text below the flags.
func (keyRotateCmd) Help() string {
	return `The new key inherits the name, the address ranges, the lifetime and the monthly points of the old one. Both keys share these
points, and what was used this month counts.

Example:
  uncial key rotate key_9x4c --overlap 2d`
}

// Run prints the new key once. It fails for a key that has ended or was rotated before: account.ErrEnded.
func (c *keyRotateCmd) Run(ctx context.Context, con *console) error {
	return withData(ctx, con, existing(c.options()), func(d *app.Data) error {
		k, token, err := d.Accounts.Rotate(ctx, c.ID, time.Duration(c.Overlap))
		if err != nil {
			return err
		}
		return printKey(con, k, token, c.JSON)
	})
}

// keyRevokeCmd ends a key whose secret has leaked. It cannot be undone.
type keyRevokeCmd struct {
	dataFlags
	ID string `arg:"" help:"ID of the key to revoke."`
}

// Help returns the text below the flags.
func (keyRevokeCmd) Help() string {
	return `If the key has not leaked, use "uncial key rotate" so that clients can switch without downtime.

Example:
  uncial key revoke key_9x4c`
}

// Run revokes the key. All servers refuse it from the next request on; running requests finish.
func (c *keyRevokeCmd) Run(ctx context.Context, con *console) error {
	return withData(ctx, con, existing(c.keyless()), func(d *app.Data) error {
		if err := d.Accounts.Revoke(ctx, c.ID); err != nil {
			return err
		}
		return con.print(false, nil, "Revoked key %s\n", c.ID)
	})
}

// withData opens the database for one command and closes it afterwards. Opening it updates the schema. The error is that
// of run, or else that of closing, so that a failed write is never reported as success.
func withData(ctx context.Context, con *console, o app.DataOptions, run func(*app.Data) error) error {
	d, err := app.OpenData(ctx, o, con.log, time.Now)
	if err != nil {
		return err
	}
	err = run(d)
	if e := d.Close(); err == nil {
		err = e
	}
	return err
}

// printKey prints the secret key alone on stdout, so that a script can store it, and the note on stderr. It is the only
// function that prints a secret key.
func printKey(con *console, k account.Key, token string, asJSON bool) error {
	if asJSON {
		return printJSON(con.out, struct {
			account.Key
			Secret string `json:"secret"`
		}{k, token})
	}
	fmt.Fprintln(con.out, token)
	fmt.Fprintf(con.err, "Created key %s for account %s. Store the secret above now; it cannot be shown again.\n", k.ID, k.AccountID)
	return nil
}

// printJSON prints v indented. Characters such as & stay readable: the output is for terminals and jq, not for HTML.
func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// print prints v as JSON, or else the text. It returns nil after an error of the terminal, which output remembers.
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
