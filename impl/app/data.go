package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"time"

	"uncial/impl/account"
	"uncial/impl/ledger"
	"uncial/impl/ratelimit"
	"uncial/impl/store"
)

const (
	defaultDatabase = "sqlite:.uncial/uncial.db"
	minSecret       = 32 // characters
)

// Data is the database and what is kept in it.
type Data struct {
	Store    *store.Store
	Accounts *account.Registry
	Ledger   *ledger.Ledger
	Limits   *ratelimit.Limiter
}

// OpenData opens the database and brings it to this version. Errors name the flag at fault.
func OpenData(ctx context.Context, o DataOptions, log *slog.Logger, now func() time.Time) (*Data, error) {
	if o.Database == "" {
		o.Database = defaultDatabase
	}
	plans := account.DefaultCatalogue()
	if o.PlansFile != "" {
		var err error
		if plans, err = account.LoadCatalogue(o.PlansFile); err != nil {
			return nil, fmt.Errorf("--plans: %w", err)
		}
	}
	st, err := store.Open(ctx, o.Database, store.Options{Existing: o.Existing})
	if err != nil {
		return nil, fmt.Errorf("--database: %w", err)
	}
	d := &Data{Store: st, Ledger: ledger.New(st, ledger.Options{Plans: plans, Now: now}), Limits: ratelimit.New(st, now)}
	if err := d.prepare(ctx, o, plans, log, now); err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return d, nil
}

func (d *Data) prepare(ctx context.Context, o DataOptions, plans account.Catalogue, log *slog.Logger, now func() time.Time) error {
	if _, err := d.Store.Migrate(ctx); err != nil {
		return fmt.Errorf("--database: %w", err)
	}
	secret, err := keySecret(o)
	if err != nil {
		return err
	}
	d.Accounts, err = account.New(d.Store, account.Options{Secret: secret, Plans: plans, Now: now, Log: log})
	if err != nil || secret == nil {
		return err
	}
	lost, err := d.Accounts.CountUnderOtherSecrets(ctx)
	if err == nil && lost > 0 {
		log.Warn("--key-secret: is not the one that some keys were made with; these open nothing", "keys", lost)
	}
	return err
}

// Close closes the database.
func (d *Data) Close() error { return d.Store.Close() }

// keySecret is the secret given, or for a SQLite file the one kept beside it, made on the first start; nil where no keys
// are made or checked.
func keySecret(o DataOptions) ([]byte, error) {
	if o.WithoutKeys {
		return nil, nil
	}
	if o.KeySecret != "" {
		if len(o.KeySecret) < minSecret {
			return nil, fmt.Errorf("--key-secret: must be at least %d characters, such as the output of: openssl rand -hex 32", minSecret)
		}
		return []byte(o.KeySecret), nil
	}
	path, ok := strings.CutPrefix(o.Database, "sqlite:")
	if !ok {
		return nil, errors.New("--key-secret: is required with Postgres, the same for every process on the database; " +
			"make one with: openssl rand -hex 32")
	}
	if path == ":memory:" {
		return []byte(rand.Text() + rand.Text()), nil
	}
	return secretFile(path + ".secret")
}

// secretFile reads the secret, or makes it. Of processes that race one wins and the others read.
func secretFile(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return readSecret(path)
	case err != nil:
		return nil, fmt.Errorf("make the key secret: %w", err)
	}
	secret := rand.Text() + rand.Text()
	_, err = f.WriteString(secret + "\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return nil, errors.Join(fmt.Errorf("make the key secret: %w", err), os.Remove(path))
	}
	return []byte(secret), nil
}

func readSecret(path string) ([]byte, error) {
	const tries, pause = 20, 50 * time.Millisecond // another process may be about to write it
	for range tries {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("read the key secret: %w", err)
		}
		if secret := strings.TrimSpace(string(data)); len(secret) >= minSecret {
			return []byte(secret), nil
		}
		time.Sleep(pause)
	}
	return nil, fmt.Errorf("the key secret in %s is shorter than %d characters; restore it, or remove it and make new keys", path, minSecret)
}

// Statement is an account with its points.
type Statement struct {
	account.Account
	PointsUsed      int64     `json:"pointsUsed"`
	PointsRemaining int64     `json:"pointsRemaining"`
	PointsTotal     int64     `json:"pointsTotal"`
	NextReset       time.Time `json:"nextReset"`
}

// Statements are all accounts with their points, oldest first.
func (d *Data) Statements(ctx context.Context) ([]Statement, error) {
	accounts, err := d.Accounts.List(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]Statement, len(accounts))
	for i, a := range accounts {
		b, err := d.Ledger.Balance(ctx, a.ID)
		if err != nil {
			return nil, fmt.Errorf("account %s: %w", a.ID, err)
		}
		list[i] = Statement{a, b.Used, b.Remaining, b.Total, b.NextReset}
	}
	return list, nil
}

// ChangePlan gives an account another plan.
func (d *Data) ChangePlan(ctx context.Context, id, plan string) (account.Account, error) {
	if _, err := d.Ledger.ChangePlan(ctx, id, plan); err != nil {
		return account.Account{}, err
	}
	return d.Accounts.Find(ctx, id)
}
