package user

import (
	"context"
	"fmt"
	"time"

	"uncial/impl/account"
	"uncial/impl/store"
)

// Console is the actor of what an operator does on the command line.
const Console = "console"

// LogRecord says who did what as an operator. It holds IDs, no names, so that deleting a user erases the person from it.
type LogRecord struct {
	ID        string    `json:"id"`
	At        time.Time `json:"at"`
	Actor     string    `json:"actor"`             // ID of a user, or Console
	Action    string    `json:"action"`            // such as "suspend account"
	AccountID string    `json:"account,omitempty"` // the account that it was about
	Subject   string    `json:"subject,omitempty"` // ID of the changed object, such as a user
	Detail    string    `json:"detail,omitempty"`  // such as the reason of a grant
}

// Record adds a record to the operator log; it sets ID and At. Errors: *store.Error.
func (d *Directory) Record(ctx context.Context, r LogRecord) error {
	_, err := d.store.Writer().Exec(ctx, `INSERT INTO operator_log (id, at, actor, action, account_id, subject, detail)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		account.NewID("log"), store.At(d.now()), r.Actor, r.Action, store.OrNull(r.AccountID), store.OrNull(r.Subject), r.Detail)
	if err != nil {
		return fmt.Errorf("record in the operator log: %w", err)
	}
	return nil
}

// Records returns at most limit records of the operator log, newest first, beginning after the one with the ID
// before; "" begins with the newest. Errors: *store.Error.
func (d *Directory) Records(ctx context.Context, before string, limit int) ([]LogRecord, error) {
	all, err := store.All(ctx, d.store.Reader(), `SELECT id, at, actor, action, COALESCE(account_id, ''), COALESCE(subject, ''), detail
		FROM operator_log WHERE $1 = '' OR (at, id) < (SELECT at, id FROM operator_log WHERE id = $1)
		ORDER BY at DESC, id DESC LIMIT $2`,
		store.Args{before, limit}, func(scan func(...any) error) (r LogRecord, err error) {
			var at store.Instant
			err = scan(&r.ID, &at, &r.Actor, &r.Action, &r.AccountID, &r.Subject, &r.Detail)
			r.At = at.Time
			return r, err
		})
	if err != nil {
		return nil, fmt.Errorf("list the operator log: %w", err)
	}
	return all, nil
}
