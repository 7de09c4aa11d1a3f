package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"uncial/impl/account"
	"uncial/impl/app"
)

// keyCmd groups the commands for API keys. IDs such as key_9x4c identify keys here. Only revoke takes the token
// of a key as well, best from standard input, because other users can see the command line.
type keyCmd struct {
	Create keyCreateCmd `cmd:"" help:"Create a key and print it once."`
	List   keyListCmd   `cmd:"" help:"List keys."`
	Rotate keyRotateCmd `cmd:"" help:"Replace a key with a new one."`
	Revoke keyRevokeCmd `cmd:"" help:"Revoke a key at once."`
}

// keyCreateCmd needs the key secret, as keyRotateCmd does; the other key commands work without it.
type keyCreateCmd struct {
	keyFlags
	Account string   `required:"" help:"ID of the account that the key belongs to."`
	Name    string   `default:"key" help:"Name of the key."`
	Expires lifetime `placeholder:"DURATION" help:"Lifetime, such as 90d or 12h (default: never expires)."`
	Allow   []prefix `placeholder:"CIDR" help:"Address range from which the key may be used; may be repeated (default: any)."`
	Points  *int64   `placeholder:"N" help:"Points that the key may use each month (default: all points of the account)."`
	JSON    bool     `help:"Print JSON."`
}

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

// keyListCmd prints all keys, including expired and revoked ones, but never the token of one.
type keyListCmd struct {
	databaseFlags
	Account string `placeholder:"ID" help:"List only the keys of this account."`
	JSON    bool   `help:"Print JSON."`
}

func (keyListCmd) Help() string {
	return `API keys themselves are not stored and cannot be shown again; KEY shows their last four characters. ROTATE says "soon" from 15
days before a key expires or from its 75th day, whichever is first, and "now" from 3 days before or from its 87th day. A key
that never expires gets the notices on its 75th and 90th days.

Examples:
  uncial key list
  uncial key list --account acc_7k2m --json`
}

// Run prints a table, or with --json an array of account.Key.
func (c *keyListCmd) Run(ctx context.Context, con *console) error {
	return withData(ctx, con, readOnly(c.keyless()), func(d *app.Data) error {
		keys, err := d.Accounts.Keys(ctx, c.Account)
		if err != nil {
			return err
		}
		now := time.Now()
		return printTable(con.out, c.JSON, "ID\tACCOUNT\tNAME\tSTATUS\tKEY\tCREATED\tAGE\tLAST USED\tEXPIRES\tROTATE\tPOINTS\tALLOW", keys, func(k account.Key) string {
			return strings.Join([]string{
				k.ID, k.AccountID, k.Name, string(k.Status), formatLastFour(k), formatTime(k.Created), fmt.Sprintf("%dd", k.AgeAt(now)),
				formatTime(k.LastUsed), formatTime(k.Expires), cmp.Or(string(k.Notice), "-"), formatCap(k.Cap), formatRanges(k.Allow),
			}, "\t")
		})
	})
}

// keyRotateCmd replaces a key that has not leaked: both keys work during the overlap.
type keyRotateCmd struct {
	keyFlags
	ID      string  `arg:"" help:"ID of the key to replace."`
	Overlap overlap `default:"1d" help:"How long the old key keeps working, such as 2d or 12h (default: ${default})."`
	JSON    bool    `help:"Print JSON."`
}

func (keyRotateCmd) Help() string {
	return `The new key inherits the name, the address ranges, the lifetime and the monthly points of the old one. Both keys share these
points, and points used this month count.

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

// keyRevokeCmd ends a key that has leaked. It cannot be undone.
type keyRevokeCmd struct {
	keyFlags
	Key string `arg:"" help:"ID of the key to revoke, the key itself, or - to read either from standard input."`
}

func (keyRevokeCmd) Help() string {
	return `If the key has not leaked, use "uncial key rotate" so that clients can switch without downtime.

Other users of this machine can see the command line, so give the key itself on standard input. Matching it needs the key secret.

Examples:
  uncial key revoke key_9x4c
  uncial key revoke - < leaked.txt`
}

// maxKeyInput bounds what revoke reads from standard input, in bytes.
const maxKeyInput = 4096

// Run revokes the key. All servers refuse it from the next request on; running requests finish.
func (c *keyRevokeCmd) Run(ctx context.Context, con *console) error {
	key := c.Key
	if key == "-" {
		text, err := io.ReadAll(io.LimitReader(os.Stdin, maxKeyInput))
		if err != nil {
			return fmt.Errorf("read the key from standard input: %w", err)
		}
		words := strings.Fields(string(text))
		if len(words) != 1 {
			return fmt.Errorf("standard input must hold nothing but one key or ID, and has %d words; nothing was revoked", len(words))
		}
		key = words[0]
	}
	isToken := strings.HasPrefix(key, "ocr_live_")
	options := c.keyless()
	if isToken {
		options = c.options()
	}
	return withData(ctx, con, existing(options), func(d *app.Data) error {
		if isToken {
			k, err := d.Accounts.KeyByToken(ctx, key)
			if err != nil {
				return err
			}
			key = k.ID
		}
		if err := d.Accounts.Revoke(ctx, key); err != nil {
			return err
		}
		return con.print(false, nil, "Revoked key %s\n", key)
	})
}
