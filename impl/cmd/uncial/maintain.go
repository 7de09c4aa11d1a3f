package main

import (
	"context"
	"fmt"
	"io"

	"uncial/impl/app"
	"uncial/impl/ledger"
)

type migrateCmd struct {
	dataFlags
}

// Help is shown below the flags.
func (migrateCmd) Help() string {
	return `Every command brings the database to its version when it starts; run this once before many replicas start,
or where only one account may change the schema. Running it again changes nothing.

Example:
  uncial migrate --database postgres://uncial@db/uncial`
}

func (c *migrateCmd) Run(ctx context.Context, con *console) error {
	return withData(ctx, con, c.keyless(), func(*app.Data) error {
		fmt.Fprintln(con.out, "the database is up to date")
		return nil
	})
}

type auditCmd struct {
	dataFlags
	JSON bool `help:"Print JSON."`
}

// Help is shown below the flags.
func (auditCmd) Help() string {
	return `Adds up the entries of every account and period and compares them with holds and balances, on one unchanging
state of the database; the service may run meanwhile.

Example:
  uncial audit --database sqlite:.uncial/uncial.db`
}

func (c *auditCmd) Run(ctx context.Context, con *console) error {
	return withData(ctx, con, existing(c.keyless()), func(d *app.Data) error {
		report, err := d.Ledger.Audit(ctx)
		if err != nil {
			return err
		}
		if c.JSON {
			if err := printJSON(con.out, report); err != nil {
				return err
			}
		} else {
			printReport(con.out, report)
		}
		if len(report.Discrepancies) > 0 {
			return exitStatus(1)
		}
		return nil
	})
}

func printReport(w io.Writer, r ledger.Report) {
	fmt.Fprintf(w, "%d accounts, %d balances, %d holds, %d entries\n", r.Accounts, r.Balances, r.Holds, r.Entries)
	for _, d := range r.Discrepancies {
		fmt.Fprintln(w, d)
	}
	if len(r.Discrepancies) == 0 {
		fmt.Fprintln(w, "entries, holds and balances agree")
	}
}

type languagesCmd struct {
	engineFlags
	Engine string `placeholder:"URL" help:"Ask this engine instead of the workers of this machine."`
	JSON   bool   `help:"Print JSON."`
}

// handsNote says which hands can be read and how well, as measured; see the README.
const handsNote = `Handwriting is recognised as such and need not be asked for. French hands of the 17th to the 20th century
are read at draft quality: 3 of 10 characters are wrong on average. Of other hands in Latin letters half are wrong, and
their confidence is below 0.4. Which of the two it is, the words that were read tell; say fr where they are few.`

// Help is shown below the flags.
func (languagesCmd) Help() string {
	return `Each is a BCP 47 tag that a request may name as its language; it says what is read in print.

` + handsNote + `

Examples:
  uncial languages
  uncial languages --models /srv/models
  uncial languages --engine http://engine:8090 --json`
}

func (c *languagesCmd) Run(ctx context.Context, con *console) error {
	languages, err := app.Languages(ctx, c.Engine, c.pool(), con.log)
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(con.out, languages)
	}
	for _, l := range languages {
		fmt.Fprintln(con.out, l)
	}
	fmt.Fprintln(con.err, "\n"+handsNote)
	return nil
}
