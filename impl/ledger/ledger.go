// Package ledger keeps the points. An extraction holds its price, and the hold then ends in one of three ways: it is
// settled (charged), released (given back), or it expires, because the process that took it died.
//
// Each calendar month (UTC) of an account has one balance row. Every movement changes it by a conditional statement,
// so that racing holds can never overspend, and adds an entry numbered by that row: the sum of a period's entries is
// what remains. Audit proves it.
//
// What an extraction costs, in statements besides BEGIN and COMMIT: Authenticate 1, Count 1, Hold 3, Settle 3. An
// idempotency key costs nothing more. Each Extend adds 1, the first use of a key in a minute 1, and the first
// extraction of a month 6.
package ledger

import (
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

// Errors for decisions.
var (
	ErrKeyReused = errors.New("the idempotency key came with another request before")
	ErrRunning   = errors.New("the first request with this idempotency key still runs")
	ErrExpired   = errors.New("the hold has expired")
	ErrEnded     = errors.New("the hold has been settled or released")
	ErrPoints    = errors.New("points: must be positive")
	ErrTTL       = errors.New("ttl: must be positive")
)

// InsufficientError says that an account has fewer points left than were asked for.
type InsufficientError struct {
	Remaining int64
	NextReset time.Time
}

func (e *InsufficientError) Error() string {
	return fmt.Sprintf("not enough points: %d are left until %s", e.Remaining, e.NextReset.Format(time.RFC3339))
}

// ReplayError carries the stored answer of an earlier request with the same idempotency key.
type ReplayError struct{ Answer []byte }

func (e *ReplayError) Error() string { return "the request was answered before" }

// Balance is the state of an account's points in the current period. Used includes running holds, so that Used +
// Remaining is always Total.
type Balance struct {
	Used      int64     `json:"used"`
	Remaining int64     `json:"remaining"`
	Total     int64     `json:"total"`
	NextReset time.Time `json:"nextReset"` // the first instant of the next month, UTC
}

// Options of a Ledger.
type Options struct {
	// Plans is the catalogue. Default account.DefaultCatalogue().
	Plans account.Catalogue
	// Now is the clock. Default time.Now.
	Now func() time.Time
}

// Ledger is safe for concurrent use by any number of processes.
type Ledger struct {
	store *store.Store
	plans account.Catalogue
	clock func() time.Time
}

// New returns the ledger in st.
func New(st *store.Store, o Options) *Ledger {
	if o.Now == nil {
		o.Now = time.Now
	}
	if len(o.Plans.Names()) == 0 {
		o.Plans = account.DefaultCatalogue()
	}
	return &Ledger{store: st, plans: o.Plans, clock: o.Now}
}

func (l *Ledger) now() time.Time { return store.At(l.clock()).Time }

// Balance reads an account's points. Where nothing was held yet in this period, all of the plan's allowance remains.
// Errors: account.ErrNoAccount, account.ErrPlan, *store.Error.
func (l *Ledger) Balance(ctx context.Context, accountID string) (Balance, error) {
	b, err := l.current(ctx, l.store.Reader(), accountID, l.now())
	if err != nil {
		return Balance{}, fmt.Errorf("balance: %w", err)
	}
	return b, nil
}

func (l *Ledger) current(ctx context.Context, x store.Executor, accountID string, now time.Time) (Balance, error) {
	var plan string
	var total, taken *int64
	err := x.Get(ctx, `SELECT a.plan, b.total, b.used + b.held FROM accounts a
		LEFT JOIN balances b ON b.account_id = a.id AND b.period = $2 WHERE a.id = $1`,
		store.Args{accountID, periodOf(now)}, &plan, &total, &taken)
	if errors.Is(err, store.ErrNoRows) {
		return Balance{}, account.ErrNoAccount
	}
	if err != nil {
		return Balance{}, err
	}
	if total != nil {
		return row{total: *total, used: *taken}.balance(now), nil
	}
	allowance, err := l.plans.Plan(plan)
	return row{total: allowance.Points}.balance(now), err
}

// row is a balance as it is stored.
type row struct{ total, used, held, seq int64 }

func (r row) remaining() int64 { return r.total - r.used - r.held }

func (r row) balance(now time.Time) Balance {
	return Balance{Used: r.used + r.held, Remaining: r.remaining(), Total: r.total, NextReset: contract.NextReset(now)}
}

// entry is one movement; points is what it adds to what remains.
type entry struct {
	kind   string
	points int64
	holdID string // empty for grant and adjust
}

// write adds the entry that belongs to the state r, which the balance row has just been brought into.
func (r row) write(ctx context.Context, x store.Executor, accountID, period string, e entry, now time.Time) error {
	var hold *string
	if e.holdID != "" {
		hold = &e.holdID
	}
	_, err := x.Exec(ctx, `INSERT INTO entries (account_id, period, seq, kind, points, remaining, hold_id, at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		accountID, period, r.seq, e.kind, e.points, r.remaining(), hold, store.At(now))
	return err
}

// periodOf names the calendar month, UTC: "2026-03".
func periodOf(t time.Time) string { return t.UTC().Format("2006-01") }

func newHoldID() string { return "hold_" + strings.ToLower(rand.Text()) }
