package dashboard

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"uncial/impl/account/user"
	"uncial/impl/ledger"
)

// auditTimeout bounds an audit that a page waits for. Larger databases are audited on the command line.
const auditTimeout = time.Minute

// auditPage is the data of audit.html.
type auditPage struct {
	ledger.Report
	Took time.Duration
}

// auditing returns the page of the audit, which compares entries, holds and balances now. An audit reads every row, so only
// one runs at a time.
func (d *Dashboard) auditing() func(c *Call) error {
	var running sync.Mutex
	return func(c *Call) error {
		if !running.TryLock() {
			return &Problem{Status: http.StatusConflict, Title: "An audit is running", Text: "Wait until it has ended, and open the page again."}
		}
		defer running.Unlock()
		began := time.Now()
		ctx, cancel := context.WithTimeout(c.R.Context(), auditTimeout)
		defer cancel()
		report, err := d.o.Ledger.Audit(ctx)
		if errors.Is(err, context.DeadlineExceeded) {
			return &Problem{
				Status: http.StatusServiceUnavailable, Title: "The audit takes too long for a page",
				Text: "The database is large. Run uncial audit on the command line.",
			}
		}
		if err != nil {
			return err
		}
		return c.render("audit", auditPage{report, time.Since(began)})
	}
}

// logPage is the data of log.html.
type logPage struct {
	Records []logRecord
	Next    string
}

// logRecord is a record with the name of its actor, which the log does not hold.
type logRecord struct {
	user.LogRecord
	Who string // e-mail address of the actor, or the ID of a deleted user
}

// showLog lists what operators did, newest first.
func showLog(c *Call) error {
	records, err := c.d.o.Users.Records(c.R.Context(), c.R.URL.Query().Get("after"), pageSize+1)
	if err != nil {
		return err
	}
	var p logPage
	if len(records) > pageSize {
		records = records[:pageSize]
		p.Next = nextPage("/admin/log", records[pageSize-1].ID)
	}
	names := map[string]string{}
	for _, r := range records {
		name, known := names[r.Actor]
		if !known {
			name = r.Actor
			if u, err := c.d.o.Users.Find(c.R.Context(), r.Actor); err == nil {
				name = u.Email
			} else if !errors.Is(err, user.ErrNoUser) {
				return err
			}
			names[r.Actor] = name
		}
		p.Records = append(p.Records, logRecord{r, name})
	}
	return c.render("log", p)
}
