// Package ledger accounts for points. An extraction holds its price, and the hold then ends in one of three ways: it is
// settled (charged), released (returned), or it expires because its process died. The package also stores replies for
// idempotency keys, in the same transactions. It does not know what an extraction costs (package contract) or who may use
// an account (package account). Start with Hold and Settle; subjects in auditrules.go has the rules of the tables.
//
// Each account has one balance row per calendar month (UTC). Every movement updates it with a conditional statement, so
// that racing holds can never overspend, and adds an entry with the next number. The entries of a month add up to the
// remaining points; Audit verifies this.
//
// A meter counts the points of one key, or of an account's playground, next to the balance, and may have a monthly cap:
// meter.go. Usage by day and key is read from the holds: usage.go. Holds and entries of old months are removed; sums remain:
// archive.go.
//
// Cost of an extraction in statements, without BEGIN and COMMIT: Authenticate 1, Count 1, Hold 4, Settle 4. An
// idempotency key adds nothing. Each Extend adds 1, the first use of a key in a minute 1, and the first extraction of a
// month 6.
package ledger

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"uncial/impl/account"
	"uncial/impl/store"
	"uncial/internal/contract"
)

// Errors of holds and grants. Callers distinguish the exported ones.
var (
	ErrIdempotencyKeyReused = errors.New("the Idempotency-Key was used with a different request; use a new Idempotency-Key")
	errRunning              = errors.New("the first request with this Idempotency-Key is still running")
	ErrExpired              = errors.New("the hold has expired")
	ErrEnded                = errors.New("the hold was already settled or released")
	ErrReason               = errors.New("invalid reason; use 1 to 200 printable characters")
	ErrPoints               = fmt.Errorf("points: must be 1 to %d, and so must the resulting allowance", int64(contract.MaxPoints))
	errTTL                  = errors.New("ttl: must be positive")
)

// InsufficientError says that an account, or the cap of a key, has fewer points left than a hold needs.
type InsufficientError struct {
	Remaining int64     // under the limit that LimitedBy names
	NextReset time.Time // when the allowance is available again
	LimitedBy contract.Limit
}

func (e *InsufficientError) Error() string {
	return fmt.Sprintf("not enough points; %d remaining until %s", e.Remaining, e.NextReset.Format(time.RFC3339))
}

// ReplayError carries the stored reply of an earlier request with the same idempotency key.
type ReplayError struct{ Reply []byte }

func (e *ReplayError) Error() string { return "the request has a stored reply" }

// Balance is the state of points in the current month: those of an account, or those under the cap of a key if it has
// fewer left. Used includes running holds, so that Used + Remaining is always Total.
type Balance struct {
	Used      int64          `json:"used"`
	Remaining int64          `json:"remaining"`
	Total     int64          `json:"total"`
	NextReset time.Time      `json:"nextReset"` // the first instant of the next month, UTC
	LimitedBy contract.Limit `json:"limitedBy"` // whose points these are
}

// Options of a Ledger.
type Options struct {
	// Plans is the catalogue. Default: account.DefaultCatalogue().
	Plans account.Catalogue
	// Now is the clock. Default: time.Now.
	Now func() time.Time
	// Retention is how long holds and their entries are kept after the end of their month, in Sweep. Default: forever.
	Retention time.Duration
	// ReplyTTL is how long replies are kept for requests that are repeated with their Idempotency-Key. Default:
	// contract.ReplyLifetime.
	ReplyTTL time.Duration
}

// Ledger keeps the points of all accounts in one database. It caches nothing and is safe for concurrent use by any number
// of processes.
type Ledger struct {
	store     *store.Store
	plans     account.Catalogue
	clock     func() time.Time
	retention time.Duration
	replyTTL  time.Duration
}

// New returns the ledger stored in st, and reads nothing from it yet.
func New(st *store.Store, o Options) *Ledger {
	if o.Now == nil {
		o.Now = time.Now
	}
	if len(o.Plans.Names()) == 0 {
		o.Plans = account.DefaultCatalogue()
	}
	return &Ledger{store: st, plans: o.Plans, clock: o.Now, retention: o.Retention, replyTTL: cmp.Or(o.ReplyTTL, contract.ReplyLifetime)}
}

// now returns the time with the precision that the database stores.
func (l *Ledger) now() time.Time { return store.At(l.clock()).Time }

// Balance returns an account's points in the current month. Before the first hold of a month the whole allowance of the plan
// remains. Errors: account.ErrNoAccount, account.ErrPlan, *store.Error.
func (l *Ledger) Balance(ctx context.Context, accountID string) (Balance, error) {
	return l.CappedBalance(ctx, accountID, "")
}

// CappedBalance returns the points that can be spent under a meter in the current month: those of the account, or those
// under the cap if fewer are left there. An empty meter has no cap. Errors: those of Balance.
func (l *Ledger) CappedBalance(ctx context.Context, accountID, meterID string) (Balance, error) {
	b, err := l.current(ctx, l.store.Reader(), accountID, meterID, l.now())
	if err != nil {
		return Balance{}, fmt.Errorf("balance: %w", err)
	}
	return b, nil
}

// current is CappedBalance within a transaction. If the month has no balance row yet, total and taken are NULL.
func (l *Ledger) current(ctx context.Context, x store.Executor, accountID, meterID string, now time.Time) (Balance, error) {
	var plan string
	var total, taken, limit *int64
	var metered int64
	err := x.Get(ctx, `SELECT a.plan, b.total, b.used + b.held, m.cap, COALESCE(c.used + c.held, 0) FROM accounts a
		LEFT JOIN balances b ON b.account_id = a.id AND b.period = $2
		LEFT JOIN meters m ON m.id = $3
		LEFT JOIN meter_balances c ON c.meter_id = m.id AND c.period = $2 WHERE a.id = $1`,
		store.Args{accountID, MonthOf(now), meterID}, &plan, &total, &taken, &limit, &metered)
	if errors.Is(err, store.ErrNoRows) {
		return Balance{}, account.ErrNoAccount
	}
	if err != nil {
		return Balance{}, err
	}
	if total != nil {
		return row{total: *total, used: *taken}.balance(now).capped(limit, metered), nil
	}
	allowance, err := l.plans.Plan(plan)
	return row{total: allowance.Points}.balance(now).capped(limit, metered), err
}

// row is a balance as it is stored; seq is the number of its latest entry, and granted is what operators added to the total.
type row struct{ total, used, held, seq, granted int64 }

func (r row) remaining() int64 { return r.total - r.used - r.held }

// balance counts held points as used: they may be charged at any moment.
func (r row) balance(now time.Time) Balance {
	return Balance{
		Used: r.used + r.held, Remaining: r.remaining(), Total: r.total,
		NextReset: contract.NextReset(now), LimitedBy: contract.LimitedByAccount,
	}
}

// updateBalance runs a statement that changes one balance row and returns the row. Errors: store.ErrNoRows if the
// conditions of the statement do not hold, *store.Error.
func updateBalance(ctx context.Context, x store.Executor, statement string, args ...any) (row, error) {
	var r row
	err := x.Get(ctx, statement+` RETURNING total, used, held, seq, granted`, args, &r.total, &r.used, &r.held, &r.seq, &r.granted)
	return r, err
}

// entry is one movement; points is added to the remaining points.
type entry struct {
	kind   string
	points int64
	holdID string // empty for grant and adjust
	reason string // of a grant by an operator
}

// insertEntry inserts the entry for the statement that has just changed the balance row to r. Both must be in one
// transaction.
func (r row) insertEntry(ctx context.Context, x store.Executor, accountID, period string, e entry, now time.Time) error {
	_, err := x.Exec(ctx, `INSERT INTO entries (account_id, period, seq, kind, points, remaining, hold_id, at, reason)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		accountID, period, r.seq, e.kind, e.points, r.remaining(), store.OrNull(e.holdID), store.At(now), store.OrNull(e.reason))
	return err
}

// MonthOf returns the calendar month (UTC) of an instant as it is stored and shown: "2026-03".
func MonthOf(t time.Time) string { return t.UTC().Format("2006-01") }

// newHoldID returns a random ID of 130 bits: unlike other IDs, there is one for each extraction.
func newHoldID() string { return "hold_" + strings.ToLower(rand.Text()) }
