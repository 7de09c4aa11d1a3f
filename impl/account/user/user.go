// Package user stores the people who sign in: their e-mail addresses and passwords, the accounts that they belong to, the
// links that work once, failed sign-ins, and the log of what operators did. Pages and cookies are in package dashboard,
// the data of sessions in package session, keys in package account. Start with Directory, then SignIn.
//
// No secret is stored: passwords are argon2id hashes, and of the token in a link only the SHA-256 digest is kept.
package user

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/mail"
	"strings"
	"time"

	"uncial/impl/account"
	"uncial/impl/store"
)

// Errors that callers distinguish with errors.Is. People see the texts, on the console and in the dashboard.
var (
	ErrNoUser     = errors.New("no such user; `uncial user list` shows all")
	ErrEmail      = errors.New("invalid e-mail address; use one such as name@example.org, of at most 254 characters")
	ErrEmailTaken = errors.New("the e-mail address already belongs to a user")
	ErrPassword   = fmt.Errorf("invalid password; use %d to %d characters", minPassword, maxPassword)
	ErrLastOwner  = errors.New("the account needs an owner; make another member an owner first, or delete the account")
	ErrRole       = errors.New("invalid role; choose owner or member")
)

// maxEmail is the longest address that SMTP can carry (RFC 5321, section 4.5.3.1.3, without the angle brackets).
const maxEmail = 254

// User is a person who can sign in.
type User struct {
	ID          string    `json:"id"`
	Email       string    `json:"email"` // in lower case
	Name        string    `json:"name"`
	HasPassword bool      `json:"hasPassword"` // false: signs in through OpenID Connect only
	HasProvider bool      `json:"hasProvider"` // signs in through OpenID Connect, too
	Operator    bool      `json:"operator"`
	Created     time.Time `json:"created"`
	Verified    time.Time `json:"verified,omitzero"` // when the e-mail address was verified; zero: it was not
	SignedIn    time.Time `json:"signedIn,omitzero"` // latest sign-in; zero: never
	// Version changes with each new password. That of a user from SignInWith or SignUpWith also changes with the link to the
	// provider. A session is valid only while the user Accepts the version that it began with.
	Version string `json:"-"`
	linked  string // Version for sessions that begin with the provider; "" without one
}

// Accepts reports whether a session that began with this Version is still valid: the password has not changed and, if the
// session began at the provider, neither has the link.
func (u User) Accepts(version string) bool {
	return version == u.Version || u.HasProvider && version == u.linked
}

// Options of a Directory.
type Options struct {
	// Accounts makes the accounts of new users. Required.
	Accounts *account.Registry
	// Now is the clock. Default: time.Now.
	Now func() time.Time
}

// Directory holds the users of one database. It is safe for concurrent use, and any number of replicas may share the
// database. Only the bounds on work in progress (hashes, delayed sign-ins) apply to each process separately.
type Directory struct {
	store    *store.Store
	accounts *account.Registry
	clock    func() time.Time
	hashes   *hasher
	waiting  *waitingRoom
}

// New returns the directory stored in st, and reads nothing from it yet.
func New(st *store.Store, o Options) *Directory {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Directory{
		store: st, accounts: o.Accounts, clock: o.Now,
		hashes: newHasher(), waiting: newWaitingRoom(),
	}
}

// now returns the time with the precision that the database stores.
func (d *Directory) now() time.Time { return store.At(d.clock()).Time }

// Find returns the user with this ID. Errors: ErrNoUser, *store.Error.
func (d *Directory) Find(ctx context.Context, id string) (User, error) {
	return find(ctx, d.store.Reader(), `id = $1`, id)
}

// FindByEmail returns the user with this e-mail address, in upper or lower case. Errors: ErrNoUser, *store.Error.
func (d *Directory) FindByEmail(ctx context.Context, email string) (User, error) {
	return find(ctx, d.store.Reader(), `email = $1`, foldEmail(email))
}

// List returns at most limit users in the order of their e-mail addresses, beginning after the address given; "" begins
// with the first. Errors: *store.Error.
func (d *Directory) List(ctx context.Context, after string, limit int) ([]User, error) {
	all, err := store.All(ctx, d.store.Reader(), selectUser+` WHERE email > $1 ORDER BY email LIMIT $2`,
		store.Args{foldEmail(after), limit}, scanUser)
	if err != nil {
		return nil, fmt.Errorf("list users: %w", err)
	}
	return all, nil
}

// HasOperator reports whether any user is an operator. Errors: *store.Error.
func (d *Directory) HasOperator(ctx context.Context) (bool, error) {
	var n int64
	err := d.store.Reader().Get(ctx, `SELECT COUNT(*) FROM users WHERE is_operator = 1`, nil, &n)
	if err != nil {
		return false, fmt.Errorf("count operators: %w", err)
	}
	return n > 0, nil
}

// Rename changes the name of a user. Errors: account.ErrName, ErrNoUser, *store.Error.
func (d *Directory) Rename(ctx context.Context, id, name string) error {
	if err := account.CheckName(name); err != nil {
		return err
	}
	return d.update(ctx, `UPDATE users SET name = $2 WHERE id = $1`, id, name)
}

// SetOperator makes a user an operator, or an ordinary user again. Errors: ErrNoUser, *store.Error.
func (d *Directory) SetOperator(ctx context.Context, id string, operator bool) error {
	return d.update(ctx, `UPDATE users SET is_operator = $2 WHERE id = $1`, id, flag(operator))
}

// update runs a statement that changes one user, whose ID is its first argument. Errors: ErrNoUser, *store.Error.
func (d *Directory) update(ctx context.Context, statement string, args ...any) error {
	return d.store.Writer().ExecOr(ctx, ErrNoUser, statement, args...)
}

// selectUser selects the columns that scanUser reads, in its order.
const selectUser = `SELECT id, email, name, COALESCE(password_hash, ''),
	COALESCE(oidc_issuer, ''), COALESCE(oidc_subject, ''), is_operator, created_at, verified_at, signed_in_at FROM users`

// find returns the user that a condition on the columns of users selects. Errors: ErrNoUser, *store.Error.
func find(ctx context.Context, x store.Executor, condition string, args ...any) (User, error) {
	u, err := scanUser(func(dest ...any) error {
		return x.Get(ctx, selectUser+` WHERE `+condition, args, dest...)
	})
	if errors.Is(err, store.ErrNoRows) {
		return User{}, ErrNoUser
	}
	if err != nil {
		return User{}, fmt.Errorf("find user: %w", err)
	}
	return u, nil
}

// scanUser reads a row of selectUser.
func scanUser(scan func(...any) error) (User, error) { return scanUserAnd(scan) }

// scanUserAnd reads a row of selectUser, followed by more columns of the caller's.
func scanUserAnd(scan func(...any) error, more ...any) (User, error) {
	var u User
	var hash string
	var provider identity
	var operator int64
	var created, verified, signedIn store.Instant
	err := scan(append([]any{&u.ID, &u.Email, &u.Name, &hash, &provider.issuer, &provider.subject, &operator, &created, &verified, &signedIn}, more...)...)
	u.HasPassword, u.HasProvider, u.Operator, u.Version = hash != "", provider != identity{}, operator == 1, version(hash)
	if u.HasProvider {
		u.linked = provider.version(hash)
	}
	u.Created, u.Verified, u.SignedIn = created.Time, verified.Time, signedIn.Time
	return u, err
}

// version is the User.Version of a password hash: a digest, which tells nothing about the hash.
func version(hash string) string {
	sum := sha256.Sum256([]byte(hash))
	return hex.EncodeToString(sum[:])
}

// flag is a boolean as stored in the database.
func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// foldEmail returns the stored form of an e-mail address. The part before the @ may depend on its case (RFC 5321, section
// 2.4), but in practice no provider does that, and people type it either way.
func foldEmail(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

// checkEmail returns the stored form of an e-mail address. Errors: ErrEmail.
func checkEmail(email string) (string, error) {
	folded := foldEmail(email)
	parsed, err := mail.ParseAddress(folded)
	if err != nil || parsed.Address != folded || len(folded) > maxEmail || !account.IsPrintable(folded) {
		return "", ErrEmail
	}
	return folded, nil
}
