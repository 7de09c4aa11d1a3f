package main

import (
	"context"
	"fmt"

	"uncial/impl/account/user"
	"uncial/impl/app"
)

// accountGrantCmd adds points through the ledger, so that the audit stays exact.
type accountGrantCmd struct {
	databaseFlags
	ID     string `arg:"" help:"ID of the account."`
	Points int64  `arg:"" help:"Points to add."`
	Reason string `required:"" help:"Why the points are added; the ledger entry shows it."`
}

func (accountGrantCmd) Help() string {
	return `The points are for the current month. A change of plan keeps them.

Example:
  uncial account grant acc_7k2m 500 --reason "exhibition"`
}

func (c *accountGrantCmd) Run(ctx context.Context, con *console) error {
	return c.changeAccount(ctx, con, user.LogRecord{Action: "grant points", AccountID: c.ID, Detail: c.Reason}, func(d *app.Data) (string, error) {
		b, err := d.Ledger.Grant(ctx, c.ID, c.Points, c.Reason)
		return fmt.Sprintf("Points left this month on account %s: %d", c.ID, b.Remaining), err
	})
}

// accountSuspendCmd refuses all keys of an account; nothing is lost.
type accountSuspendCmd struct {
	databaseFlags
	ID string `arg:"" help:"ID of the account."`
}

func (accountSuspendCmd) Help() string {
	return `The account's keys get a 401 until the account is resumed. Running extractions finish.

Example:
  uncial account suspend acc_7k2m`
}

func (c *accountSuspendCmd) Run(ctx context.Context, con *console) error {
	return c.changeAccount(ctx, con, user.LogRecord{Action: "suspend account", AccountID: c.ID}, func(d *app.Data) (string, error) {
		return "Suspended account " + c.ID, d.Accounts.Suspend(ctx, c.ID)
	})
}

// accountResumeCmd ends a suspension.
type accountResumeCmd struct {
	databaseFlags
	ID string `arg:"" help:"ID of the account."`
}

func (accountResumeCmd) Help() string {
	return `Example:
  uncial account resume acc_7k2m`
}

func (c *accountResumeCmd) Run(ctx context.Context, con *console) error {
	return c.changeAccount(ctx, con, user.LogRecord{Action: "resume account", AccountID: c.ID}, func(d *app.Data) (string, error) {
		return "Resumed account " + c.ID, d.Accounts.Resume(ctx, c.ID)
	})
}

// accountDeleteCmd erases personal data. It cannot be undone, so it asks for the ID twice.
type accountDeleteCmd struct {
	databaseFlags
	ID      string `arg:"" help:"ID of the account."`
	Confirm string `required:"" placeholder:"ID" help:"The ID again, to confirm; deletion cannot be undone."`
}

func (accountDeleteCmd) Help() string {
	return `The command erases the account's name, its stored answers, its open invitations, the names and IP ranges of its keys, which it
revokes, and its users who belong to no other account and are not operators, with their sessions. Entries
in the ledger stay under the account's ID, so that "uncial audit" stays exact.

Example:
  uncial account delete acc_7k2m --confirm acc_7k2m`
}

func (c *accountDeleteCmd) Run(ctx context.Context, con *console) error {
	if c.Confirm != c.ID {
		return errConfirm
	}
	return c.changeAccount(ctx, con, user.LogRecord{Action: "delete account", AccountID: c.ID}, func(d *app.Data) (string, error) {
		return "Deleted account " + c.ID, d.Users.DeleteAccount(ctx, c.ID)
	})
}

// changeAccount runs a change of an account, adds it to the operator log, which the dashboard shows, and prints the result.
func (f databaseFlags) changeAccount(ctx context.Context, con *console, record user.LogRecord, change func(*app.Data) (result string, err error)) error {
	return withData(ctx, con, existing(f.keyless()), func(d *app.Data) error {
		result, err := change(d)
		if err != nil {
			return err
		}
		record.Actor = user.Console
		if err := d.Users.Record(ctx, record); err != nil {
			return err
		}
		return con.print(false, nil, "%s\n", result)
	})
}
