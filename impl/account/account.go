// Package account keeps accounts, their plans and their API keys. A key itself is shown once and never stored: the
// database holds its HMAC-SHA-256 under a secret of the server's.
package account

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"uncial/impl/store"
)

// Errors for decisions.
var (
	ErrNoAccount = errors.New("no such account")
	ErrNoKey     = errors.New("no such key")
	ErrName      = errors.New("name: must be 1 to 200 printable characters")
	ErrSecret    = errors.New("key secret: must be at least 16 bytes")
)

const (
	minSecret = 16  // bytes
	maxName   = 200 // characters
)

// Account is a customer. Points and rate limit belong to it; all its keys share them.
type Account struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	Plan    string    `json:"plan"`
	Created time.Time `json:"created"`
}

// Options of a Registry.
type Options struct {
	// Secret signs the stored digests of keys: at least 16 bytes, the same in all replicas, for ever. Without it keys
	// can be neither made nor checked; everything else works.
	Secret []byte
	// Plans is the catalogue. Default DefaultCatalogue().
	Plans Catalogue
	// Now is the clock. Default time.Now.
	Now func() time.Time
	// Log hears of failures that do not stop a request. Default slog.Default().
	Log *slog.Logger
}

// Registry is the book of accounts and keys. It is safe for concurrent use and keeps nothing in memory.
type Registry struct {
	store  *store.Store
	secret []byte
	plans  Catalogue
	clock  func() time.Time
	log    *slog.Logger
}

// New returns the registry in st. Errors: ErrSecret where a secret is given but too short.
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

// now is the clock in the precision that is stored.
func (r *Registry) now() time.Time { return store.At(r.clock()).Time }

// Plan finds a plan of the catalogue. Errors: ErrPlan.
func (r *Registry) Plan(name string) (Plan, error) { return r.plans.Plan(name) }

// Create makes an account. Errors: ErrName, ErrPlan, *store.Error.
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

// Find returns the account. Errors: ErrNoAccount, *store.Error.
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

// List returns all accounts, oldest first.
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

// LostPlans are the plans that accounts have and the catalogue lacks, sorted. Such accounts can do nothing until the
// plan is back or they are given another.
func (r *Registry) LostPlans(ctx context.Context) ([]string, error) {
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

func checkName(name string) error {
	unprintable := func(c rune) bool { return !unicode.IsPrint(c) }
	if strings.TrimSpace(name) == "" || !utf8.ValidString(name) ||
		utf8.RuneCountInString(name) > maxName || strings.ContainsFunc(name, unprintable) {
		return ErrName
	}
	return nil
}

// newID is a random name of 80 bits, in lower case, so that it sorts alike in every database.
func newID(kind string) string { return kind + "_" + strings.ToLower(rand.Text())[:16] }
