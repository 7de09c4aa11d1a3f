// Package account stores accounts and their API keys, and decides whether a key may be used. It does not know points
// (package ledger) or rate limits (package ratelimit). Start reading at Registry, then Registry.Authenticate, which
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

// Errors that callers decide on.
var (
	ErrNoAccount = errors.New("no such account; `uncial account list` shows all")
	ErrNoKey     = errors.New("no such key; `uncial key list` shows all")
	ErrName      = errors.New("invalid name; use 1 to 200 printable characters")
	ErrSecret    = errors.New("the key secret is too short; use at least 16 bytes")
)

const (
	// minSecret is the least length of a secret in bytes: 128 bits are too many to guess. The flag --key-secret asks for
	// twice as many characters.
	minSecret = 16
	// maxName bounds names, in characters, so that tables on the console stay readable.
	maxName = 200
)

// Account is a customer. Points and the rate limit belong to the account; all its keys share them.
type Account struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	Plan    string    `json:"plan"`
	Created time.Time `json:"created"` // UTC, whole microseconds
}

// Options of a Registry.
type Options struct {
	// Secret is the HMAC key for the digests of API keys: at least 16 bytes, the same in all replicas, and never changed.
	// Without it API keys can be neither made nor checked; everything else works.
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

// New returns the registry stored in st. Errors: ErrSecret if a secret is given but too short.
func New(st *store.Store, o Options) (*Registry, error) {
	if len(o.Secret) > 0 && len(o.Secret) < minSecret {
		return nil, ErrSecret
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

// Plan returns a plan of the catalogue by its name. Errors: ErrPlan.
func (r *Registry) Plan(name string) (Plan, error) { return r.plans.Plan(name) }

// Plans returns a copy of the catalogue, by name.
func (r *Registry) Plans() map[string]Plan { return maps.Clone(r.plans.plans) }

// Create makes an account. Names need not be unique; the ID is. Errors: ErrName, ErrPlan, *store.Error.
func (r *Registry) Create(ctx context.Context, name, plan string) (Account, error) {
	if err := checkName(name); err != nil {
		return Account{}, err
	}
	if _, err := r.plans.Plan(plan); err != nil {
		return Account{}, err
	}
	a := Account{ID: newID("acc"), Name: name, Plan: plan, Created: r.now()}
	_, err := r.store.Writer().Exec(ctx, `INSERT INTO accounts (id, name, plan, created_at) VALUES ($1, $2, $3, $4)`,
		a.ID, a.Name, a.Plan, store.At(a.Created))
	if err != nil {
		return Account{}, fmt.Errorf("create account: %w", err)
	}
	return a, nil
}

// Find returns the account with this ID. IDs are compared byte by byte. Errors: ErrNoAccount, *store.Error.
func (r *Registry) Find(ctx context.Context, id string) (Account, error) {
	a := Account{ID: id}
	var created store.Instant
	err := r.store.Reader().Get(ctx, `SELECT name, plan, created_at FROM accounts WHERE id = $1`,
		store.Args{id}, &a.Name, &a.Plan, &created)
	if errors.Is(err, store.ErrNoRows) {
		return Account{}, ErrNoAccount
	}
	if err != nil {
		return Account{}, fmt.Errorf("find account: %w", err)
	}
	a.Created = created.Time
	return a, nil
}

// List returns all accounts, oldest first; accounts of the same microsecond are ordered by ID. Errors: *store.Error.
func (r *Registry) List(ctx context.Context) ([]Account, error) {
	all, err := store.All(ctx, r.store.Reader(),
		`SELECT id, name, plan, created_at FROM accounts ORDER BY created_at, id`, nil,
		func(scan func(...any) error) (a Account, err error) {
			var created store.Instant
			err = scan(&a.ID, &a.Name, &a.Plan, &created)
			a.Created = created.Time
			return a, err
		})
	if err != nil {
		return nil, fmt.Errorf("list accounts: %w", err)
	}
	return all, nil
}

// UnknownPlans returns the plans of accounts that are missing from the catalogue, sorted. Every request of such an account
// fails until the plan is restored or the account is moved to another plan. Errors: *store.Error.
func (r *Registry) UnknownPlans(ctx context.Context) ([]string, error) {
	all, err := store.All(ctx, r.store.Reader(), `SELECT DISTINCT plan FROM accounts`, nil,
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

// checkName reports names that cannot be shown on one line of a console. Errors: ErrName.
func checkName(name string) error {
	unprintable := func(c rune) bool { return !unicode.IsPrint(c) }
	if strings.TrimSpace(name) == "" || !utf8.ValidString(name) ||
		utf8.RuneCountInString(name) > maxName || strings.ContainsFunc(name, unprintable) {
		return ErrName
	}
	return nil
}

// newID returns a random ID of 80 bits behind a prefix, such as "acc_". Lower-case letters and digits sort the same way
// in every database, whatever its collation.
func newID(kind string) string { return kind + "_" + strings.ToLower(rand.Text())[:16] }
