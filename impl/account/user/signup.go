package user

import (
	"context"
	"errors"
	"fmt"
	"time"

	"uncial/impl/account"
	"uncial/impl/store"
)

// NewUser describes a person who signs up.
type NewUser struct {
	Email    string
	Name     string // 1 to 200 printable characters
	Password string // 12 to 200 characters
	Account  string // name of the new account; unused by people who join an account
	Plan     string // of the new account
}

// Check reports everything that is wrong with e-mail address, name and password, for forms; it ignores the name of the account.
// Errors, which are joined: ErrEmail, ErrPassword, account.ErrName.
func (n NewUser) Check() error {
	_, err := checkEmail(n.Email)
	return errors.Join(err, checkPassword(n.Password), account.CheckName(n.Name))
}

// SignUp makes a user with an account of their own. The e-mail address is not verified yet. Errors: ErrEmail,
// ErrEmailTaken, ErrPassword, ErrBusy, account.ErrName, account.ErrPlan, ctx's error, *store.Error.
func (d *Directory) SignUp(ctx context.Context, n NewUser) (User, account.Account, error) {
	return d.join(ctx, n, "", identity{}, false)
}

// Accept makes a user from an invitation, or from the link for an operator, and counts as a sign-in. The link's holder is
// trusted with the e-mail address, so it counts as verified. Errors: those of SignUp, ErrToken (including if the invitation is
// for another address).
func (d *Directory) Accept(ctx context.Context, token string, n NewUser) (User, account.Account, error) {
	if token == "" { // join would take it for a sign-up without an invitation
		return User{}, account.Account{}, ErrToken
	}
	return d.join(ctx, n, token, identity{}, false)
}

// AcceptAs lets an existing user accept an invitation to an account, or the link for an operator, which may name no account.
// Joining an account twice changes nothing. Errors: ErrToken, ErrNoUser, *store.Error.
func (d *Directory) AcceptAs(ctx context.Context, token, userID string) (accountID string, err error) {
	err = d.store.Tx(ctx, func(ctx context.Context, x store.Executor) error {
		u, err := find(ctx, x, `id = $1`, userID)
		if err != nil {
			return err
		}
		t, err := d.take(ctx, x, token, Operator, Invitation)
		if err != nil {
			return err
		}
		if t.Purpose == Invitation && t.AccountID == "" || t.Email != "" && t.Email != u.Email {
			return ErrToken
		}
		if t.Purpose == Operator {
			if _, err := x.Exec(ctx, `UPDATE users SET is_operator = 1 WHERE id = $1`, userID); err != nil {
				return err
			}
		}
		if accountID = t.AccountID; accountID == "" {
			return nil
		}
		return d.addMember(ctx, x, t.AccountID, userID, t.Role)
	})
	if err != nil {
		return "", fmt.Errorf("accept invitation: %w", err)
	}
	return accountID, nil
}

// join makes the user that n describes. token is an invitation, which is used up, or "" for a sign-up without one. The user
// signs in with i or, if i is zero, with the password. isVerified says that the provider vouches for the e-mail address.
func (d *Directory) join(ctx context.Context, n NewUser, token string, i identity, isVerified bool) (User, account.Account, error) {
	email, err := checkEmail(n.Email)
	if err != nil {
		return User{}, account.Account{}, err
	}
	if err := account.CheckName(n.Name); err != nil {
		return User{}, account.Account{}, err
	}
	u := User{Email: email, Name: n.Name}
	var hash *string
	if i != (identity{}) {
		u.HasProvider, u.linked = true, i.version("")
		u.Version = u.linked
	} else {
		made, err := d.hashes.hash(ctx, n.Password)
		if err != nil {
			return User{}, account.Account{}, err
		}
		hash, u.HasPassword, u.Version = &made, true, version(made)
	}
	var a account.Account
	err = d.store.Tx(ctx, func(ctx context.Context, x store.Executor) error {
		var t Token
		if token != "" {
			if t, err = d.take(ctx, x, token, Operator, Invitation); err != nil {
				return err
			}
			if t.Email != "" && t.Email != email {
				return ErrToken
			}
		}
		u.ID, u.Operator, u.Created = account.NewID("user"), t.Purpose == Operator, d.now()
		u.Verified, u.SignedIn = time.Time{}, time.Time{} // the transaction may run twice
		if isVerified || t.Purpose != "" {
			u.Verified = u.Created
		}
		if u.HasProvider || t.Purpose != "" {
			u.SignedIn = u.Created
		}
		if err := insert(ctx, x, u, hash, i); err != nil {
			return err
		}
		a, err = d.joinAccount(ctx, x, u, t, n)
		return err
	})
	if err != nil {
		return User{}, account.Account{}, fmt.Errorf("sign up: %w", err)
	}
	return u, a, nil
}

// joinAccount makes the user a member of the account that the token names, or the owner of a new one.
func (d *Directory) joinAccount(ctx context.Context, x store.Executor, u User, t Token, n NewUser) (account.Account, error) {
	if t.AccountID != "" {
		a, err := d.accounts.FindIn(ctx, x, t.AccountID)
		if err != nil {
			return account.Account{}, err
		}
		return a, d.addMember(ctx, x, a.ID, u.ID, t.Role)
	}
	a, err := d.accounts.CreateIn(ctx, x, n.Account, n.Plan)
	if err != nil {
		return account.Account{}, err
	}
	return a, d.addMember(ctx, x, a.ID, u.ID, Owner)
}

// insert stores a new user. hash is nil for users without a password. Errors: ErrEmailTaken, also if the user of the provider
// exists, *store.Error.
func insert(ctx context.Context, x store.Executor, u User, hash *string, i identity) error {
	return x.ExecOr(ctx, ErrEmailTaken, `INSERT INTO users (id, email, name, password_hash, oidc_issuer, oidc_subject, is_operator, created_at,
			verified_at, signed_in_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING`,
		u.ID, u.Email, u.Name, hash, store.OrNull(i.issuer), store.OrNull(i.subject), flag(u.Operator), store.At(u.Created), store.At(u.Verified), store.At(u.SignedIn))
}

// Verify marks an e-mail address as verified. For EmailChange it also replaces the address of the user, and revokes the link of
// a reset that went to the old one. Errors: ErrToken, ErrEmailTaken, *store.Error.
func (d *Directory) Verify(ctx context.Context, token string) (User, error) {
	var u User
	err := d.store.Tx(ctx, func(ctx context.Context, x store.Executor) error {
		t, err := d.take(ctx, x, token, Verification, EmailChange)
		if err != nil {
			return err
		}
		n, err := x.Exec(ctx, `UPDATE users SET email = $2, verified_at = $3 WHERE id = $1
			AND NOT EXISTS (SELECT 1 FROM users other WHERE other.email = $2 AND other.id <> $1)`, t.UserID, t.Email, store.At(d.now()))
		if err == nil && n == 0 {
			return ErrEmailTaken
		}
		if err == nil && t.Purpose == EmailChange {
			_, err = x.Exec(ctx, `DELETE FROM one_time_tokens WHERE user_id = $1 AND purpose = $2`, t.UserID, Reset)
		}
		if err != nil {
			return err
		}
		u, err = find(ctx, x, `id = $1`, t.UserID)
		return err
	})
	if err != nil {
		return User{}, fmt.Errorf("verify e-mail address: %w", err)
	}
	return u, nil
}

// ChangeEmail replaces the e-mail address of a user at once, for servers that send no mail. Errors: ErrEmail,
// ErrEmailTaken, ErrNoUser, *store.Error.
func (d *Directory) ChangeEmail(ctx context.Context, id, email string) error {
	email, err := checkEmail(email)
	if err != nil {
		return err
	}
	err = d.update(ctx, `UPDATE users SET email = $2 WHERE id = $1
		AND NOT EXISTS (SELECT 1 FROM users other WHERE other.email = $2 AND other.id <> $1)`, id, email)
	if errors.Is(err, ErrNoUser) {
		if _, e := d.Find(ctx, id); e == nil {
			return ErrEmailTaken
		}
	}
	return err
}

// ResetPassword sets a new password through a reset link and ends all sessions of the user. Errors: ErrToken, ErrPassword,
// ErrBusy, ctx's error, *store.Error.
func (d *Directory) ResetPassword(ctx context.Context, token, password string) (User, error) {
	if _, err := d.Peek(ctx, token); err != nil { // a wrong link must not cost a hash
		return User{}, err
	}
	hash, err := d.hashes.hash(ctx, password)
	if err != nil {
		return User{}, err
	}
	var u User
	err = d.store.Tx(ctx, func(ctx context.Context, x store.Executor) error {
		t, err := d.take(ctx, x, token, Reset)
		if err != nil {
			return err
		}
		if err := d.setPassword(ctx, x, t.UserID, hash); err != nil {
			return err
		}
		u, err = find(ctx, x, `id = $1`, t.UserID)
		return err
	})
	if err != nil {
		return User{}, fmt.Errorf("reset password: %w", err)
	}
	return u, nil
}

// SetPassword sets the password of a user and ends all sessions of the user; the caller begins a new one for the user returned.
// Errors: ErrPassword, ErrNoUser, ErrBusy, ctx's error, *store.Error.
func (d *Directory) SetPassword(ctx context.Context, id, password string) (User, error) {
	hash, err := d.hashes.hash(ctx, password)
	if err != nil {
		return User{}, err
	}
	var u User
	err = d.store.Tx(ctx, func(ctx context.Context, x store.Executor) error {
		if err := d.setPassword(ctx, x, id, hash); err != nil {
			return err
		}
		u, err = find(ctx, x, `id = $1`, id)
		return err
	})
	if err != nil {
		return User{}, fmt.Errorf("set password: %w", err)
	}
	return u, nil
}

// setPassword also ends the sessions of the user and revokes what somebody who knew the old password may have requested: links
// that would replace the password or the e-mail address, invitations to the accounts that the user owns, and the link to a
// provider. Users without a password keep the link to the provider, because nobody could use a password to make it. They lose
// it too while their address is not verified, because anybody can sign up with an address that the provider does not vouch for.
func (d *Directory) setPassword(ctx context.Context, x store.Executor, id, hash string) error {
	n, err := x.Exec(ctx, `UPDATE users SET password_hash = $2, 
			oidc_issuer = CASE WHEN password_hash IS NULL AND verified_at IS NOT NULL THEN oidc_issuer END,
			oidc_subject = CASE WHEN password_hash IS NULL AND verified_at IS NOT NULL THEN oidc_subject END WHERE id = $1`, id, hash)
	if err == nil && n == 0 {
		return ErrNoUser
	}
	if err == nil {
		// The rows stay for package session, as after signing out.
		_, err = x.Exec(ctx, `UPDATE sessions SET user_id = NULL, data = '', expires_at = $2
			WHERE user_id = $1 AND expires_at > $2`, id, store.At(d.now()))
	}
	if err == nil {
		_, err = x.Exec(ctx, `DELETE FROM one_time_tokens WHERE user_id = $1 AND purpose IN ($2, $3)`, id, Reset, EmailChange)
	}
	if err == nil {
		_, err = x.Exec(ctx, `DELETE FROM one_time_tokens WHERE purpose = $2
			AND account_id IN (SELECT account_id FROM members WHERE user_id = $1 AND role = 'owner')`, id, Invitation)
	}
	return err
}
