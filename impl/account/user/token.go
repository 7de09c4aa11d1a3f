package user

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"uncial/impl/store"
)

// Purpose of a one-time token.
type Purpose string

// Purposes of one-time tokens.
const (
	Operator     Purpose = "operator"     // make a user who is an operator
	Invitation   Purpose = "invitation"   // sign up, or join an account
	Verification Purpose = "verification" // prove ownership of the e-mail address of a user
	EmailChange  Purpose = "email"        // prove ownership of the new e-mail address of a user
	Reset        Purpose = "reset"        // choose a new password
)

// lifetimes of tokens. A reset has the shortest, because its link replaces a password.
var lifetimes = map[Purpose]time.Duration{
	Operator:     24 * time.Hour,
	Invitation:   7 * 24 * time.Hour,
	Verification: 24 * time.Hour,
	EmailChange:  24 * time.Hour,
	Reset:        time.Hour,
}

// ErrToken means that a link does not work. It does not say why, so that guessing reveals nothing.
var ErrToken = errors.New("the link has expired or was used before; ask for a new one")

// Token describes what a one-time token does.
type Token struct {
	Purpose   Purpose
	UserID    string    // whose e-mail address or password; empty for invitations and operators
	AccountID string    // account to join; empty: the person gets an account of their own
	Role      Role      // in that account
	Email     string    // the address to prove; for an invitation: the only address that may accept it, empty for any
	Expires   time.Time // set by Issue
}

// Issue stores what a token does and returns the token, which belongs in a link and cannot be read again. For verifications,
// changes of address and resets it replaces the user's earlier token of that purpose. Errors: ErrRole, ErrEmail,
// ErrTooManyInvitations, *store.Error.
func (d *Directory) Issue(ctx context.Context, t Token) (token string, err error) {
	return d.issue(ctx, t, func(context.Context, store.Executor) error { return nil })
}

// IssueMail is Issue for a token that is mailed to t.Email, an address that the client from has entered. It counts the message
// as CountMail does, and also among those of sender, the ID of an account or user, unless sender is empty. Refused messages are
// not counted. Errors: those of Issue, ErrTooManyMails, ErrTooManySent.
func (d *Directory) IssueMail(ctx context.Context, t Token, sender string, from Client) (token string, err error) {
	return d.issue(ctx, t, func(ctx context.Context, x store.Executor) error {
		if err := d.countMail(ctx, x, t.Purpose, t.Email, from); err != nil || sender == "" {
			return err
		}
		return d.countUpTo(ctx, x, subject("sent", sender), maxSent, sentWindow, ErrTooManySent)
	})
}

// issue is Issue with further work in the same transaction, whose error refuses the token.
func (d *Directory) issue(ctx context.Context, t Token, count func(context.Context, store.Executor) error) (token string, err error) {
	if t.AccountID != "" && !t.Role.isValid() {
		return "", ErrRole
	}
	if t.Email != "" {
		if t.Email, err = checkEmail(t.Email); err != nil {
			return "", err
		}
	}
	token = rand.Text() // 130 bits
	now := d.now()
	err = d.store.Tx(ctx, func(ctx context.Context, x store.Executor) error {
		if err := d.checkRoom(ctx, x, t); err != nil {
			return err
		}
		if err := count(ctx, x); err != nil {
			return err
		}
		if t.UserID != "" {
			_, err := x.Exec(ctx, `DELETE FROM one_time_tokens WHERE user_id = $1 AND purpose = $2`, t.UserID, t.Purpose)
			if err != nil {
				return err
			}
		}
		_, err := x.Exec(ctx, `INSERT INTO one_time_tokens
				(digest, purpose, user_id, account_id, email, role, created_at, expires_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`, tokenDigest(token), t.Purpose, store.OrNull(t.UserID),
			store.OrNull(t.AccountID), store.OrNull(t.Email), store.OrNull(string(t.Role)), store.At(now), store.At(now.Add(lifetimes[t.Purpose])))
		return err
	})
	if err != nil {
		return "", fmt.Errorf("issue %s token: %w", t.Purpose, err)
	}
	return token, nil
}

// Peek returns what a token does without using it, for the page behind a link. Errors: ErrToken, *store.Error.
func (d *Directory) Peek(ctx context.Context, token string) (Token, error) {
	return d.readToken(ctx, d.store.Reader(), `SELECT purpose, COALESCE(user_id, ''), COALESCE(account_id, ''),
		COALESCE(role, ''), COALESCE(email, ''), expires_at FROM one_time_tokens WHERE digest = $1 AND expires_at > $2`, token)
}

// take uses up a token. If calls race, one of them gets it. Errors: ErrToken (including for another purpose), *store.Error.
func (d *Directory) take(ctx context.Context, x store.Executor, token string, purposes ...Purpose) (Token, error) {
	t, err := d.readToken(ctx, x, `DELETE FROM one_time_tokens WHERE digest = $1 AND expires_at > $2
		RETURNING purpose, COALESCE(user_id, ''), COALESCE(account_id, ''), COALESCE(role, ''), COALESCE(email, ''), expires_at`, token)
	if err != nil {
		return Token{}, err
	}
	if !slices.Contains(purposes, t.Purpose) {
		return Token{}, ErrToken // rolls the transaction back, so that the token stays
	}
	return t, nil
}

// readToken runs a statement that returns one token. Its arguments are the digest of the token and the present time. Errors:
// ErrToken, *store.Error.
func (d *Directory) readToken(ctx context.Context, x store.Executor, statement, token string) (Token, error) {
	var t Token
	var expires store.Instant
	err := x.Get(ctx, statement, store.Args{tokenDigest(token), store.At(d.now())},
		&t.Purpose, &t.UserID, &t.AccountID, &t.Role, &t.Email, &expires)
	if errors.Is(err, store.ErrNoRows) {
		return Token{}, ErrToken
	}
	if err != nil {
		return Token{}, fmt.Errorf("read token: %w", err)
	}
	t.Expires = expires.Time
	return t, nil
}

// tokenDigest returns the digest that is stored instead of a token. Tokens are random, so a slow hash is not needed.
func tokenDigest(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}
