package user

import (
	"context"
	"errors"
	"fmt"

	"uncial/impl/account"
	"uncial/impl/store"
)

// identity is a user as an OpenID Connect provider knows it.
type identity struct{ issuer, subject string }

// SignInWith returns the user of an OpenID Connect provider, whose ID token the caller has checked. Issuer and subject
// identify the user (OpenID Connect Core 1.0, section 5.7); the e-mail address does not. Errors: ErrNoUser,
// *store.Error.
func (d *Directory) SignInWith(ctx context.Context, issuer, subject string) (User, error) {
	var id string
	err := d.store.Writer().Get(ctx, `UPDATE users SET signed_in_at = $3 WHERE oidc_issuer = $1 AND oidc_subject = $2 RETURNING id`,
		store.Args{issuer, subject, store.At(d.now())}, &id)
	if errors.Is(err, store.ErrNoRows) {
		return User{}, ErrNoUser
	}
	if err != nil {
		return User{}, fmt.Errorf("sign in with a provider: %w", err)
	}
	return d.Find(ctx, id)
}

// SignUpWith makes a user of an OpenID Connect provider, with an account of their own. secret is an invitation, or empty
// for a sign-up without one. verified says that the provider vouches for the e-mail address. n.Password is ignored.
// Errors: those of SignUp without ErrPassword and ErrBusy; ErrToken.
func (d *Directory) SignUpWith(ctx context.Context, issuer, subject string, verified bool, secret string, n NewUser) (User, account.Account, error) {
	email, err := checkEmail(n.Email)
	if err != nil {
		return User{}, account.Account{}, err
	}
	if err := account.CheckName(n.Name); err != nil {
		return User{}, account.Account{}, err
	}
	var u User
	var a account.Account
	err = d.store.Tx(ctx, func(ctx context.Context, x store.Executor) error {
		var t Token
		if secret != "" {
			if t, err = d.take(ctx, x, secret, Operator, Invitation); err != nil {
				return err
			}
			if t.Email != "" && t.Email != email {
				return ErrToken
			}
		}
		u = User{ID: newID("user"), Email: email, Name: n.Name, Operator: t.Purpose == Operator, Created: d.now()}
		u.SignedIn = u.Created
		if verified || t.Purpose != "" {
			u.Verified = u.Created
		}
		if err := insert(ctx, x, u, nil, identity{issuer, subject}); err != nil {
			return err
		}
		a, err = d.enter(ctx, x, u, t, n)
		return err
	})
	if err != nil {
		return User{}, account.Account{}, fmt.Errorf("sign up with a provider: %w", err)
	}
	return u, a, nil
}
