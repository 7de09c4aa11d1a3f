package main

import (
	"context"
	"fmt"
	"time"

	"uncial/impl/app"
)

type accountCmd struct {
	Create  accountCreateCmd  `cmd:"" help:"Create an account."`
	List    accountListCmd    `cmd:"" help:"List accounts and their points."`
	Plan    accountPlanCmd    `cmd:"" help:"Change an account's plan."`
	Grant   accountGrantCmd   `cmd:"" help:"Add points to an account's allowance for this month."`
	Suspend accountSuspendCmd `cmd:"" help:"Refuse an account's keys until it is resumed."`
	Resume  accountResumeCmd  `cmd:"" help:"End a suspension."`
	Delete  accountDeleteCmd  `cmd:"" help:"Erase an account's personal data and revoke its keys."`
}

// accountCreateCmd needs the database of the service, and never creates one.
type accountCreateCmd struct {
	databaseFlags
	Name string `required:"" help:"Name of the account."`
	Plan string `required:"" help:"Name of a plan, such as free, pro or archive."`
	JSON bool   `help:"Print JSON."`
}

func (accountCreateCmd) Help() string {
	return `Example:
  uncial account create --name "Map room" --plan pro`
}

// Run creates the account and prints its ID.
func (c *accountCreateCmd) Run(ctx context.Context, con *console) error {
	return withData(ctx, con, existing(c.keyless()), func(d *app.Data) error {
		a, err := d.Accounts.Create(ctx, c.Name, c.Plan)
		if err != nil {
			return err
		}
		return con.print(c.JSON, a, "Created account %s on plan %s\n", a.ID, a.Plan)
	})
}

// accountListCmd prints every account with its points in the current month.
type accountListCmd struct {
	databaseFlags
	JSON bool `help:"Print JSON."`
}

func (accountListCmd) Help() string {
	return `Examples:
  uncial account list
  uncial account list --json | jq -r '.[] | select(.pointsRemaining < 100) | .name'`
}

// Run prints a table, or with --json an array of app.Statement.
func (c *accountListCmd) Run(ctx context.Context, con *console) error {
	return withData(ctx, con, readOnly(c.keyless()), func(d *app.Data) error {
		accounts, err := d.Statements(ctx)
		if err != nil {
			return err
		}
		return printTable(con.out, c.JSON, "ID\tNAME\tPLAN\tUSED\tREMAINING\tCREATED\tSTATE", accounts, func(a app.Statement) string {
			return fmt.Sprintf("%s\t%s\t%s\t%d\t%d\t%s\t%s", a.ID, a.Name, a.Plan, a.PointsUsed, a.PointsRemaining, formatTime(a.Created), accountState(a))
		})
	})
}

// accountPlanCmd changes a plan through the ledger, which adjusts the points of the current month.
type accountPlanCmd struct {
	databaseFlags
	ID   string `arg:"" help:"ID of the account."`
	Plan string `arg:"" help:"Name of the new plan."`
	JSON bool   `help:"Print JSON."`
}

func (accountPlanCmd) Help() string {
	return `A larger allowance applies at once. A smaller one never falls below the points used this month.

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

// withData opens the database for one command, says which one it is, and closes it afterwards. Opening it updates the schema,
// unless the options are readOnly. The error is that of run, or else that of closing, so that a failed write is never reported
// as success.
func withData(ctx context.Context, con *console, o app.DataOptions, run func(*app.Data) error) error {
	d, err := app.OpenData(ctx, o, con.log, time.Now)
	if err != nil {
		return err
	}
	fmt.Fprintln(con.err, "Database:", d.Store.Location())
	err = run(d)
	if e := d.Close(); err == nil {
		err = e
	}
	return err
}
