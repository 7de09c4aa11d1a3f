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
	Entries []logEntry
	Next    string
}

// logEntry is an entry with the name of its actor, which the log does not hold.
type logEntry struct {
	user.LogEntry
	Who string // e-mail address of the actor, or the ID of a deleted user
}

// showLog lists what operators did, newest first.
func showLog(c *Call) error {
	entries, err := c.d.o.Users.Entries(c.R.Context(), c.R.URL.Query().Get("after"), pageSize+1)
	if err != nil {
		return err
	}
	var p logPage
	if len(entries) > pageSize {
		entries = entries[:pageSize]
		p.Next = nextPage("/admin/log", entries[pageSize-1].ID)
	}
	names := map[string]string{}
	for _, e := range entries {
		name, known := names[e.Actor]
		if !known {
			name = e.Actor
			if u, err := c.d.o.Users.Find(c.R.Context(), e.Actor); err == nil {
				name = u.Email
			} else if !errors.Is(err, user.ErrNoUser) {
				return err
			}
			names[e.Actor] = name
		}
		p.Entries = append(p.Entries, logEntry{e, name})
	}
	return c.render("log", p)
}
