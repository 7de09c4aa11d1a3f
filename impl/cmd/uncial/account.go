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

// accountCmd groups the commands on accounts.
type accountCmd struct {
	Create accountCreateCmd `cmd:"" help:"Create an account."`
	List   accountListCmd   `cmd:"" help:"List the accounts with their points."`
	Plan   accountPlanCmd   `cmd:"" help:"Change an account's plan."`
}

type accountCreateCmd struct {
	dataFlags
	Name string `required:"" help:"Name of the account."`
	Plan string `required:"" help:"Plan, one of the catalogue: free, pro or archive."`
	JSON bool   `help:"Print JSON."`
}

// Help is shown below the flags.
func (accountCreateCmd) Help() string {
	return `Example:
  uncial account create --name "Map room" --plan pro`
}

func (c *accountCreateCmd) Run(ctx context.Context, con *console) error {
	return withData(ctx, con, c.keyless(), func(d *app.Data) error {
		a, err := d.Accounts.Create(ctx, c.Name, c.Plan)
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(con.out, a)
		}
		fmt.Fprintf(con.out, "account %s on plan %s\n", a.ID, a.Plan)
		return nil
	})
}

type accountListCmd struct {
	dataFlags
	JSON bool `help:"Print JSON."`
}

// Help is shown below the flags.
func (accountListCmd) Help() string {
	return `Examples:
  uncial account list
  uncial account list --json | jq -r '.[] | select(.pointsRemaining < 100) | .name'`
}

func (c *accountListCmd) Run(ctx context.Context, con *console) error {
	return withData(ctx, con, existing(c.keyless()), func(d *app.Data) error {
		accounts, err := d.Statements(ctx)
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(con.out, accounts)
		}
		return printTable(con.out, "ID\tNAME\tPLAN\tUSED\tREMAINING\tCREATED", accounts, func(a app.Statement) string {
			return fmt.Sprintf("%s\t%s\t%s\t%d\t%d\t%s", a.ID, a.Name, a.Plan, a.PointsUsed, a.PointsRemaining, day(a.Created))
		})
	})
}

type accountPlanCmd struct {
	dataFlags
	ID   string `arg:"" help:"Account."`
	Plan string `arg:"" help:"Its new plan."`
	JSON bool   `help:"Print JSON."`
}

// Help is shown below the flags.
func (accountPlanCmd) Help() string {
	return `A larger allowance counts at once. A smaller one never takes away what was used this month.

Example:
  uncial account plan acc_7k2m archive`
}

func (c *accountPlanCmd) Run(ctx context.Context, con *console) error {
	return withData(ctx, con, existing(c.keyless()), func(d *app.Data) error {
		a, err := d.ChangePlan(ctx, c.ID, c.Plan)
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(con.out, a)
		}
		fmt.Fprintf(con.out, "account %s is on plan %s\n", a.ID, a.Plan)
		return nil
	})
}

// keyCmd groups the commands on API keys.
type keyCmd struct {
	Create keyCreateCmd `cmd:"" help:"Create a key and print it, this once."`
	List   keyListCmd   `cmd:"" help:"List the keys."`
	Rotate keyRotateCmd `cmd:"" help:"Replace a key by a new one."`
	Revoke keyRevokeCmd `cmd:"" help:"End a key at once."`
}

type keyCreateCmd struct {
	dataFlags
	Account string   `required:"" help:"Account that the key opens."`
	Name    string   `default:"key" help:"Name of the key."`
	Expires lifetime `placeholder:"DURATION" help:"How long it lasts, such as 90d or 12h (default: for ever)."`
	Allow   []prefix `placeholder:"CIDR" help:"Addresses it may be used from; may be repeated (default: any)."`
	JSON    bool     `help:"Print JSON."`
}

// Help is shown below the flags.
func (keyCreateCmd) Help() string {
	return `Example:
  uncial key create --account acc_7k2m --name scanner --expires 90d --allow 192.0.2.0/24`
}

func (c *keyCreateCmd) Run(ctx context.Context, con *console) error {
	n := account.NewKey{AccountID: c.Account, Name: c.Name, Lifetime: time.Duration(c.Expires), Allow: prefixes(c.Allow)}
	return withData(ctx, con, existing(c.options()), func(d *app.Data) error {
		k, token, err := d.Accounts.CreateKey(ctx, n)
		if err != nil {
			return err
		}
		return printKey(con, k, token, c.JSON)
	})
}

type keyListCmd struct {
	dataFlags
	Account string `placeholder:"ID" help:"Only the keys of this account."`
	JSON    bool   `help:"Print JSON."`
}

// Help is shown below the flags.
func (keyListCmd) Help() string {
	return `The keys themselves are not kept and cannot be shown.

Examples:
  uncial key list
  uncial key list --account acc_7k2m --json`
}

func (c *keyListCmd) Run(ctx context.Context, con *console) error {
	return withData(ctx, con, existing(c.keyless()), func(d *app.Data) error {
		keys, err := d.Accounts.Keys(ctx, c.Account)
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(con.out, keys)
		}
		return printTable(con.out, "ID\tACCOUNT\tNAME\tSTATUS\tEXPIRES\tLAST USED\tALLOW", keys, func(k account.Key) string {
			return strings.Join([]string{k.ID, k.AccountID, k.Name, string(k.Status), day(k.Expires), day(k.LastUsed), ranges(k.Allow)}, "\t")
		})
	})
}

type keyRotateCmd struct {
	dataFlags
	ID      string  `arg:"" help:"Key to replace."`
	Overlap overlap `default:"1d" help:"How long the old key still works, such as 2d or 12h (default: ${default})."`
	JSON    bool    `help:"Print JSON."`
}

// Help is shown below the flags.
func (keyRotateCmd) Help() string {
	return `The new key has the name, the address ranges and the lifetime of the old one.

Example:
  uncial key rotate key_9x4c --overlap 2d`
}

func (c *keyRotateCmd) Run(ctx context.Context, con *console) error {
	return withData(ctx, con, existing(c.options()), func(d *app.Data) error {
		k, token, err := d.Accounts.Rotate(ctx, c.ID, time.Duration(c.Overlap))
		if err != nil {
			return err
		}
		return printKey(con, k, token, c.JSON)
	})
}

type keyRevokeCmd struct {
	dataFlags
	ID string `arg:"" help:"Key to end."`
}

// Help is shown below the flags.
func (keyRevokeCmd) Help() string {
	return `For a key that nobody has seen, "uncial key rotate" lets its callers change over in peace.

Example:
  uncial key revoke key_9x4c`
}

func (c *keyRevokeCmd) Run(ctx context.Context, con *console) error {
	return withData(ctx, con, existing(c.keyless()), func(d *app.Data) error {
		if err := d.Accounts.Revoke(ctx, c.ID); err != nil {
			return err
		}
		fmt.Fprintf(con.out, "key %s is revoked\n", c.ID)
		return nil
	})
}

// withData opens the database for one command.
func withData(ctx context.Context, con *console, o app.DataOptions, do func(*app.Data) error) error {
	d, err := app.OpenData(ctx, o, con.log, time.Now)
	if err != nil {
		return err
	}
	err = do(d)
	if e := d.Close(); err == nil {
		err = e
	}
	return err
}

// printKey shows the secret, which nothing can show again.
func printKey(con *console, k account.Key, token string, asJSON bool) error {
	if asJSON {
		return printJSON(con.out, struct {
			account.Key
			Secret string `json:"secret"`
		}{k, token})
	}
	fmt.Fprintln(con.out, token)
	fmt.Fprintf(con.err, "key %s of account %s; keep the line above, it is not shown again\n", k.ID, k.AccountID)
	return nil
}

func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

func printTable[T any](w io.Writer, header string, rows []T, row func(T) string) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, header)
	for _, r := range rows {
		fmt.Fprintln(t, row(r))
	}
	return t.Flush()
}

func day(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format(time.RFC3339)
}

func ranges(allow []netip.Prefix) string {
	if len(allow) == 0 {
		return "any"
	}
	texts := make([]string, len(allow))
	for i, p := range allow {
		texts[i] = p.String()
	}
	return strings.Join(texts, ",")
}
