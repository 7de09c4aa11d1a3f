// Package account stores accounts and their API keys, and decides whether a key may be used. It does not know points
// (package ledger) or rate limits (package ratelimit). Start with Registry, then Registry.Authenticate, which
// every request passes through.
//
// A key is shown once, when it is made, and never stored: the database holds its HMAC-SHA-256 under a secret that only
// the servers know, so the keys in a stolen database are useless.
package account

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"uncial/impl/store"
)

// Callers distinguish the exported errors with errors.Is. People see the texts, on the console and in the dashboard.
var (
	ErrNoAccount = errors.New("no such account, or it was deleted; `uncial account list` shows all")
	ErrNoKey     = errors.New("no such key; `uncial key list` shows all")
	ErrName      = errors.New("invalid name; use 1 to 200 printable characters")
	errSecret    = fmt.Errorf("the key secret is too short; use at least %d characters", MinSecret)
)

const (
	// MinSecret is the minimum length of a secret in characters: 32 hexadecimal digits have 128 bits, too many to guess.
	MinSecret = 32
	// maxName bounds names, in characters, so that tables on the console stay readable.
	maxName = 200
)

// Account is a customer. Points and the rate limit belong to the account; all its keys share them.
type Account struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	Plan    string    `json:"plan"`
	Created time.Time `json:"created"` // UTC, whole microseconds

	Suspended time.Time `json:"suspended,omitzero"` // since then its keys are refused; zero: it is not suspended
	Deleted   time.Time `json:"deleted,omitzero"`   // since then only the ledger refers to it; zero: it was not deleted
}

// Options of a Registry.
type Options struct {
	// Secret is the HMAC key for the digests of API keys: at least MinSecret characters, the same in all replicas, and never
	// changed. Without it API keys can be neither made nor checked; everything else works.
	Secret []byte
	// Plans is the catalogue. Default: DefaultCatalogue().
	Plans Catalogue
	// Now is the clock. Default: time.Now.
	Now func() time.Time
	// Log receives failures that do not stop a request. Default: slog.Default().
	Log *slog.Logger
}

// Registry holds the accounts and keys of one database. It is safe for concurrent use and caches nothing, so a key that
// one replica revokes is refused by all others from the next request on.
type Registry struct {
	store  *store.Store
	secret []byte
	plans  Catalogue
	clock  func() time.Time
	log    *slog.Logger
}

// New returns the registry stored in st, and reads nothing from it yet. It fails if a secret is given that has fewer than
// MinSecret characters.
func New(st *store.Store, o Options) (*Registry, error) {
	if len(o.Secret) > 0 && utf8.RuneCount(o.Secret) < MinSecret {
		return nil, errSecret
	}
	if o.Plans.plans == nil {
		o.Plans = DefaultCatalogue()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return &Registry{store: st, secret: o.Secret, plans: o.Plans, clock: o.Now, log: o.Log}, nil
}

// now returns the time with the precision that the database stores.
func (r *Registry) now() time.Time { return store.At(r.clock()).Time }

// Plan returns a plan of the catalogue by its name. The plan of an account may be missing there, if the operator has removed
// it. Errors: ErrPlan.
func (r *Registry) Plan(name string) (Plan, error) { return r.plans.Plan(name) }

// Plans returns a copy of the catalogue, by name.
func (r *Registry) Plans() map[string]Plan { return maps.Clone(r.plans.plans) }

// Create makes an account. Names need not be unique; the ID is. Errors: ErrName, ErrPlan, *store.Error.
func (r *Registry) Create(ctx context.Context, name, plan string) (Account, error) {
	return r.CreateIn(ctx, r.store.Writer(), name, plan)
}

// CreateIn is Create within the transaction x.
func (r *Registry) CreateIn(ctx context.Context, x store.Executor, name, plan string) (Account, error) {
	if err := CheckName(name); err != nil {
		return Account{}, err
	}
	if _, err := r.plans.Plan(plan); err != nil {
		return Account{}, err
	}
	a := Account{ID: NewID("acc"), Name: name, Plan: plan, Created: r.now()}
	_, err := x.Exec(ctx, `INSERT INTO accounts (id, name, plan, created_at) VALUES ($1, $2, $3, $4)`,
		a.ID, a.Name, a.Plan, store.At(a.Created))
	if err != nil {
		return Account{}, fmt.Errorf("create account: %w", err)
	}
	return a, nil
}

// Find returns the account with this ID, even if it was deleted. IDs are compared byte by byte. Errors: ErrNoAccount,
// *store.Error.
func (r *Registry) Find(ctx context.Context, id string) (Account, error) {
	return r.FindIn(ctx, r.store.Reader(), id)
}

// FindIn is Find within the transaction x.
func (r *Registry) FindIn(ctx context.Context, x store.Executor, id string) (Account, error) {
	a, err := scanAccount(func(dest ...any) error {
		return x.Get(ctx, selectAccount+` WHERE id = $1`, store.Args{id}, dest...)
	})
	if errors.Is(err, store.ErrNoRows) {
		return Account{}, ErrNoAccount
	}
	if err != nil {
		return Account{}, fmt.Errorf("find account: %w", err)
	}
	return a, nil
}

// List returns all accounts, deleted ones too, oldest first; accounts of the same microsecond are ordered by ID. Errors:
// *store.Error.
func (r *Registry) List(ctx context.Context) ([]Account, error) {
	all, err := store.All(ctx, r.store.Reader(), selectAccount+` ORDER BY created_at, id`, nil, scanAccount)
	if err != nil {
		return nil, fmt.Errorf("list accounts: %w", err)
	}
	return all, nil
}

// Page returns at most limit accounts, newest first, beginning after the account with this ID; "" begins with the
// newest. Errors: *store.Error.
func (r *Registry) Page(ctx context.Context, after string, limit int) ([]Account, error) {
	all, err := store.All(ctx, r.store.Reader(), selectAccount+` WHERE $1 = '' OR
			(created_at, id) < (SELECT created_at, id FROM accounts WHERE id = $1)
		ORDER BY created_at DESC, id DESC LIMIT $2`, store.Args{after, limit}, scanAccount)
	if err != nil {
		return nil, fmt.Errorf("list accounts: %w", err)
	}
	return all, nil
}

// selectAccount selects the columns that scanAccount reads, in its order.
const selectAccount = `SELECT id, name, plan, created_at, suspended_at, deleted_at FROM accounts`

func scanAccount(scan func(...any) error) (Account, error) {
	var a Account
	var created, suspended, deleted store.Instant
	err := scan(&a.ID, &a.Name, &a.Plan, &created, &suspended, &deleted)
	a.Created, a.Suspended, a.Deleted = created.Time, suspended.Time, deleted.Time
	return a, err
}

// Suspend refuses the keys of an account from the next request on, until Resume. Suspending it again changes nothing.
// Errors: ErrNoAccount (including for a deleted account), *store.Error.
func (r *Registry) Suspend(ctx context.Context, id string) error {
	return r.update(ctx, `UPDATE accounts SET suspended_at = COALESCE(suspended_at, $2) WHERE id = $1 AND deleted_at IS NULL`,
		id, store.At(r.now()))
}

// Resume ends a suspension. Errors: ErrNoAccount (including for a deleted account), *store.Error.
func (r *Registry) Resume(ctx context.Context, id string) error {
	return r.update(ctx, `UPDATE accounts SET suspended_at = NULL WHERE id = $1 AND deleted_at IS NULL`, id)
}

// Rename changes the name of an account. Errors: ErrName, ErrNoAccount (including for a deleted account), *store.Error.
func (r *Registry) Rename(ctx context.Context, id, name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	return r.update(ctx, `UPDATE accounts SET name = $2 WHERE id = $1 AND deleted_at IS NULL`, id, name)
}

// update runs a statement that changes one account. Errors: ErrNoAccount, *store.Error.
func (r *Registry) update(ctx context.Context, statement string, args ...any) error {
	return r.store.Writer().ExecOr(ctx, ErrNoAccount, statement, args...)
}

// UnknownPlans returns the plans of accounts that are missing from the catalogue, sorted. Every request of such an account
// fails until the plan is restored or the account is moved to another plan. Errors: *store.Error.
func (r *Registry) UnknownPlans(ctx context.Context) ([]string, error) {
	all, err := store.All(ctx, r.store.Reader(), `SELECT DISTINCT plan FROM accounts WHERE deleted_at IS NULL`, nil,
		func(scan func(...any) error) (plan string, err error) { return plan, scan(&plan) })
	if err != nil {
		return nil, fmt.Errorf("list plans: %w", err)
	}
	slices.Sort(all)
	return slices.DeleteFunc(all, func(name string) bool {
		_, err := r.plans.Plan(name)
		return err == nil
	}), nil
}

// CheckName returns ErrName if a name cannot be shown on one line of a console.
func CheckName(name string) error {
	if strings.TrimSpace(name) == "" || utf8.RuneCountInString(name) > maxName || !IsPrintable(name) {
		return ErrName
	}
	return nil
}

// IsPrintable reports whether a text has no control, format or private-use character, no space but U+0020, and no character
// that stands for bytes that are not text (U+FFFD).
func IsPrintable(text string) bool {
	return !strings.ContainsFunc(text, func(c rune) bool { return c == utf8.RuneError || !unicode.IsPrint(c) })
}

// NewID returns a random ID of 80 bits with a prefix, such as "acc_". Lower-case letters and digits sort the same way
// in every database, whatever its collation.
func NewID(kind string) string { return kind + "_" + strings.ToLower(rand.Text())[:16] }
