package app

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"uncial/impl/account"
	"uncial/impl/account/session"
	"uncial/impl/account/user"
	"uncial/impl/ledger"
	"uncial/impl/ratelimit"
	"uncial/impl/store"
	"uncial/internal/contract"
)

const (
	defaultDatabase = "sqlite:.uncial/uncial.db"
	// maxReplyTTL lets a client repeat a request after a weekend. It must be below ledger.MinRetention, after which replies are
	// removed too.
	maxReplyTTL = 72 * time.Hour
)

// Data is one open database and the packages that read and write it. It is safe for concurrent use. Commands that work on
// accounts and keys use it without an App.
type Data struct {
	Store    *store.Store
	Accounts *account.Registry
	Users    *user.Directory
	Sessions *session.Store
	Ledger   *ledger.Ledger
	limits   *ratelimit.Limiter
	secret   []byte // the secret that keys are hashed with; nil with DataOptions.WithoutKeys
}

// OpenData opens the database and updates its schema, unless DataOptions.ReadOnly is set. It logs a warning if there are keys
// that were made with another secret. The caller must call Close. Errors name the invalid flag.
func OpenData(ctx context.Context, o DataOptions, log *slog.Logger, now func() time.Time) (*Data, error) {
	o.Database = cmp.Or(o.Database, defaultDatabase)
	plans, err := o.plans()
	if err != nil {
		return nil, err
	}
	st, err := store.Open(ctx, o.Database, store.Options{Existing: o.Existing})
	if err != nil {
		return nil, &FlagError{databaseFlag, err}
	}
	d := &Data{Store: st, Ledger: ledger.New(st, ledger.Options{Plans: plans, Now: now, Retention: cmp.Or(o.Retention, ledger.DefaultRetention), ReplyTTL: o.ReplyTTL}), limits: ratelimit.New(st, now)}
	if err := d.prepare(ctx, o, plans, log, now); err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return d, nil
}

// prepare updates or checks the schema, and fills in the fields of d that need it.
func (d *Data) prepare(ctx context.Context, o DataOptions, plans account.Catalogue, log *slog.Logger, now func() time.Time) error {
	if err := d.prepareSchema(ctx, o.ReadOnly); err != nil {
		return &FlagError{databaseFlag, err}
	}
	secret, err := keySecret(o)
	if err != nil {
		return err
	}
	d.secret = secret
	d.Accounts, err = account.New(d.Store, account.Options{Secret: secret, Plans: plans, Now: now, Log: log})
	if err != nil {
		return err
	}
	d.Users = user.New(d.Store, user.Options{Accounts: d.Accounts, Now: now})
	d.Sessions = session.New(d.Store, now)
	if secret == nil {
		return nil
	}
	refused, err := d.Accounts.CountUnderOtherSecrets(ctx)
	if err == nil && refused > 0 {
		log.Warn("API keys made with another --key-secret will be refused", "keys", refused)
	}
	return err
}

// plans returns the plan catalogue. Errors name the flag.
func (o DataOptions) plans() (account.Catalogue, error) {
	if o.PlansFile == "" {
		return account.DefaultCatalogue(), nil
	}
	plans, err := account.LoadCatalogue(o.PlansFile)
	if err != nil {
		return plans, fmt.Errorf("--plans: %w", err)
	}
	return plans, nil
}

// check returns an error that names the first invalid flag. It opens no database and creates no file.
func (o DataOptions) check() error {
	if err := store.CheckURL(cmp.Or(o.Database, defaultDatabase)); err != nil {
		return &FlagError{databaseFlag, err}
	}
	if _, err := o.plans(); err != nil {
		return err
	}
	if o.Retention > 0 && o.Retention < ledger.MinRetention {
		return fmt.Errorf("--retention: must be at least %dd; 0 keeps everything", ledger.MinRetention/(24*time.Hour))
	}
	if o.ReplyTTL != 0 && (o.ReplyTTL < contract.ReplyLifetime || o.ReplyTTL > maxReplyTTL) {
		return fmt.Errorf("--reply-ttl: must be %dh to %dh; the contract promises clients that a repeat within %d hours is free",
			contract.ReplyLifetime/time.Hour, maxReplyTTL/time.Hour, contract.ReplyLifetime/time.Hour)
	}
	_, err := o.givenSecret()
	return err
}

// prepareSchema updates the schema. With readOnly, it changes nothing and returns an error if the schema is of another version,
// because a service of that version may be running.
func (d *Data) prepareSchema(ctx context.Context, readOnly bool) error {
	if readOnly {
		return d.Store.CheckSchema(ctx)
	}
	_, err := d.Store.Migrate(ctx)
	return err
}

// Close closes the database.
func (d *Data) Close() error { return d.Store.Close() }

// keySecret returns the key secret of the options. Without one, a SQLite file has its secret in PATH.secret, which is generated
// on the first start; for Postgres, the secret is required, because replicas cannot share a file. With DataOptions.WithoutKeys,
// the result is nil. Errors name the flag.
func keySecret(o DataOptions) ([]byte, error) {
	secret, err := o.givenSecret()
	if o.WithoutKeys || secret != nil || err != nil {
		return secret, err
	}
	path := strings.TrimPrefix(o.Database, "sqlite:")
	if path == ":memory:" { // the keys are lost with the process too
		return []byte(rand.Text() + rand.Text()), nil
	}
	return secretFile(path + ".secret")
}

// givenSecret returns the secret of the flag. It returns nil if none is given and either none is needed or a file next to the
// database has it. Errors name the flag.
func (o DataOptions) givenSecret() ([]byte, error) {
	switch {
	case o.WithoutKeys:
		return nil, nil
	case o.KeySecret == "" && strings.HasPrefix(cmp.Or(o.Database, defaultDatabase), "sqlite:"):
		return nil, nil
	case o.KeySecret == "":
		return nil, errors.New("--key-secret: required with Postgres, the same for every process that uses the database; " +
			"generate one with: openssl rand -hex 32")
	case utf8.RuneCountInString(o.KeySecret) < account.MinSecret:
		return nil, fmt.Errorf("--key-secret: too short; use at least %d characters, such as the output of: openssl rand -hex 32", account.MinSecret)
	}
	return []byte(o.KeySecret), nil
}

// secretFile reads the secret from the file at path. If the file is missing, it creates it with a random secret of 260 bits,
// readable only by its owner. If several processes start at once, O_EXCL lets one of them write the secret and the others read
// it.
func secretFile(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return readSecret(path)
	case err != nil:
		return nil, fmt.Errorf("generate the key secret: %w", err)
	}
	secret := rand.Text() + rand.Text()
	_, err = f.WriteString(secret + "\n")
	if err = errors.Join(err, store.GiveToFolderOwner(f), f.Sync(), f.Close()); err != nil {
		return nil, errors.Join(fmt.Errorf("generate the key secret: %w", err), os.Remove(path))
	}
	return []byte(secret), nil
}

// readSecret reads the secret from an existing file. It waits up to a second for another process that is still writing.
func readSecret(path string) ([]byte, error) {
	const tries, pause = 20, 50 * time.Millisecond
	for range tries {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("read the key secret: %w", err)
		}
		if secret := strings.TrimSpace(string(data)); utf8.RuneCountInString(secret) >= account.MinSecret {
			return []byte(secret), nil
		}
		time.Sleep(pause)
	}
	return nil, fmt.Errorf("the key secret in %s is shorter than %d characters; restore the file, or delete it and create new API keys", path, account.MinSecret)
}

// Statement is an account with its points in the current month, which ends at NextReset.
type Statement struct {
	account.Account
	// Problem says why all requests of the account fail; empty if they do not. The points are 0 if they cannot be determined
	// because of it.
	Problem         string    `json:"problem,omitempty"`
	PointsUsed      int64     `json:"pointsUsed"`
	PointsRemaining int64     `json:"pointsRemaining"`
	PointsTotal     int64     `json:"pointsTotal"`
	NextReset       time.Time `json:"nextReset"`
}

// Statements returns all accounts with their points, oldest first. Errors: *store.Error.
func (d *Data) Statements(ctx context.Context) ([]Statement, error) {
	accounts, err := d.Accounts.List(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]Statement, len(accounts))
	for i, a := range accounts {
		var problem string
		if _, err := d.Accounts.Plan(a.Plan); err != nil && a.Deleted.IsZero() {
			problem = err.Error()
		}
		b, err := d.Ledger.Balance(ctx, a.ID)
		if err != nil && !errors.Is(err, account.ErrPlan) {
			return nil, fmt.Errorf("account %s: %w", a.ID, err)
		}
		list[i] = Statement{a, problem, b.Used, b.Remaining, b.Total, b.NextReset}
	}
	return list, nil
}

// sweep expires the holds of dead processes, removes the holds of old months, and deletes old replies, sessions, tokens and
// counts of failed sign-ins. Any number of replicas may sweep at the same time. Errors: *store.Error.
func (d *Data) sweep(ctx context.Context) (ledger.Swept, error) {
	swept, err := d.Ledger.Sweep(ctx)
	return swept, errors.Join(err, d.Sessions.Sweep(ctx), d.Users.Sweep(ctx))
}

// ChangePlan puts an account on another plan and returns the account. Errors: those of Ledger.ChangePlan.
func (d *Data) ChangePlan(ctx context.Context, id, plan string) (account.Account, error) {
	if _, err := d.Ledger.ChangePlan(ctx, id, plan); err != nil {
		return account.Account{}, err
	}
	return d.Accounts.Find(ctx, id)
}
