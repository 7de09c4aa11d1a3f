package user

import (
	"context"
	"errors"
	"fmt"

	"uncial/impl/account"
	"uncial/impl/store"
)

// ErrIdentity means that somebody else signs in with the identity at the provider.
var ErrIdentity = errors.New("this identity at the provider is already linked to another user")

// identity is a user as an OpenID Connect provider knows it.
type identity struct{ issuer, subject string }

// version is the User.Version for sessions that begin with the provider.
func (i identity) version(hash string) string {
	return version(hash + "\x00" + i.issuer + "\x00" + i.subject)
}

// SignInWith returns the user of an OpenID Connect provider, whose ID token the caller has checked. Issuer and subject
// identify the user (OpenID Connect Core 1.0, section 5.7); the e-mail address does not. Errors: ErrNoUser,
// *store.Error.
func (d *Directory) SignInWith(ctx context.Context, issuer, subject string) (User, error) {
	var u User
	err := d.store.Tx(ctx, func(ctx context.Context, x store.Executor) error {
		var id string
		err := x.Get(ctx, `UPDATE users SET signed_in_at = $3 WHERE oidc_issuer = $1 AND oidc_subject = $2 RETURNING id`,
			store.Args{issuer, subject, store.At(d.now())}, &id)
		if errors.Is(err, store.ErrNoRows) {
			return ErrNoUser
		}
		if err == nil {
			u, err = find(ctx, x, `id = $1`, id)
		}
		return err
	})
	if err != nil {
		return User{}, fmt.Errorf("sign in with a provider: %w", err)
	}
	u.Version = u.linked
	return u, nil
}

// SignUpWith makes a user of an OpenID Connect provider, with an account of their own. token is an invitation, or empty
// for a sign-up without one. verified says that the provider vouches for the e-mail address. n.Password is ignored.
// Errors: those of SignUp without ErrPassword and ErrBusy; ErrToken.
func (d *Directory) SignUpWith(ctx context.Context, issuer, subject string, verified bool, token string, n NewUser) (User, account.Account, error) {
	if issuer == "" || subject == "" {
		return User{}, account.Account{}, errors.New("sign up with a provider: issuer and subject must not be empty")
	}
	return d.join(ctx, n, token, identity{issuer, subject}, verified)
}

// Link lets a user sign in with an identity of an OpenID Connect provider, in place of the one linked before. The caller has
// checked ID token and password. Errors: ErrIdentity, ErrNoUser, *store.Error.
func (d *Directory) Link(ctx context.Context, id, issuer, subject string) error {
	err := d.update(ctx, `UPDATE users SET oidc_issuer = $2, oidc_subject = $3 WHERE id = $1
		AND NOT EXISTS (SELECT 1 FROM users other WHERE other.oidc_issuer = $2 AND other.oidc_subject = $3 AND other.id <> $1)`,
		id, issuer, subject)
	if errors.Is(err, ErrNoUser) {
		if _, e := d.Find(ctx, id); e == nil {
			return ErrIdentity
		}
	}
	return err
}

// Unlink ends the link to the provider. Users without a password keep it, because they could no longer sign in. Errors:
// ErrNoUser, *store.Error.
func (d *Directory) Unlink(ctx context.Context, id string) error {
	return d.update(ctx, `UPDATE users SET oidc_issuer = CASE WHEN password_hash IS NULL THEN oidc_issuer END,
		oidc_subject = CASE WHEN password_hash IS NULL THEN oidc_subject END WHERE id = $1`, id)
}
