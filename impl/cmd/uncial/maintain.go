package main

import (
	"context"
	"fmt"
	"io"

	"uncial/impl/app"
	"uncial/impl/ledger"
	"uncial/internal/language/name"
)

// migrateCmd updates the schema, which opening the database does, and prints that it succeeded.
type migrateCmd struct {
	databaseFlags
}

func (migrateCmd) Help() string {
	return `The service, and every command that changes data, updates the schema when it starts. Commands that only show data
never do. Run this once before many replicas start, or if only one database user may change the schema. Running it
again changes nothing.

Example:
  uncial migrate --database postgres://uncial@db/uncial`
}

// Run needs no key secret, so that a migration job needs only the database.
func (c *migrateCmd) Run(ctx context.Context, con *console) error {
	return withData(ctx, con, c.keyless(), func(*app.Data) error {
		fmt.Fprintln(con.out, "The database schema is up to date.")
		return nil
	})
}

// auditCmd verifies the ledger. It can run from cron: exit status 1 means that it found a discrepancy, or that it failed.
type auditCmd struct {
	databaseFlags
	JSON bool `help:"Print JSON."`
}

func (auditCmd) Help() string {
	return `The audit adds up the entries of every account and period, and compares the sums with holds and balances. It reads one
snapshot of the database, so the service may keep running.

Example:
  uncial audit --database sqlite:.uncial/uncial.db`
}

// Run prints the counts and the discrepancies. An exitStatus of 1 means discrepancies; any other error, that the audit
// itself failed.
func (c *auditCmd) Run(ctx context.Context, con *console) error {
	return withData(ctx, con, readOnly(c.keyless()), func(d *app.Data) error {
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

// printReport prints the counts, and then one line for each discrepancy, or a line that says that there is none.
func printReport(w io.Writer, r ledger.Report) {
	fmt.Fprintf(w, "accounts: %d, balances: %d, holds: %d, entries: %d\n", r.Accounts, r.Balances, r.Holds, r.Entries)
	for _, d := range r.Discrepancies {
		fmt.Fprintln(w, d)
	}
	if len(r.Discrepancies) == 0 {
		fmt.Fprintln(w, "Entries, holds and balances agree.")
	}
}

// languagesCmd lists the languages of the installed models. The note on handwriting goes to stderr, so that the list can
// be piped.
type languagesCmd struct {
	engineFlags
	Engine string `placeholder:"URL" help:"Base URL of an engine to ask instead of the workers on this machine."`
	JSON   bool   `help:"Print JSON."`
}

type language struct {
	Tag  string `json:"tag"`  // BCP 47
	Name string `json:"name"` // in English
}

// handwritingNote says which handwriting can be read, and with what error rate. The rates are those of
// impl/ocr/reading/README.md; change both together.
const handwritingNote = `Handwriting is detected automatically. French hands of the 17th to the 20th century, medieval Latin book hands and
English hands of the 19th century and of about 1900 are read at draft quality: 4 to 22 % of the characters are wrong on average, more on tables
and on hands unlike those the model was trained on. The confidence of an answer estimates how much of it is right.`

func (languagesCmd) Help() string {
	return `The list has the BCP 47 tags that a request may name as its language. They apply to print. With und the service detects the
language of each page, and the answer names it.

` + handwritingNote + `

Examples:
  uncial languages
  uncial languages --models /srv/models
  uncial languages --engine http://engine:8090 --json`
}

// Run prints one tag per line with its name, sorted by tag, or with --json an array of language.
func (c *languagesCmd) Run(ctx context.Context, con *console) error {
	tags, err := app.Languages(ctx, c.Engine, c.pool(), con.warnings())
	if err != nil {
		return err
	}
	languages := make([]language, len(tags))
	for i, tag := range tags {
		languages[i] = language{tag, name.Of(tag)}
	}
	err = printTable(con.out, c.JSON, "TAG\tNAME", languages, func(l language) string { return l.Tag + "\t" + l.Name })
	if err == nil && !c.JSON {
		fmt.Fprintln(con.err, "\n"+handwritingNote)
	}
	return err
}
