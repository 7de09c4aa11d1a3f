package user

import (
	"context"
	"errors"
	"fmt"
	"time"

	"uncial/impl/store"
)

// maxInvitations bounds the open invitations to one account, and those that operators have made.
const maxInvitations = 100

// Errors of invitations.
var (
	ErrNoInvitation       = errors.New("the invitation was used or revoked, or has expired")
	ErrTooManyInvitations = fmt.Errorf("too many open invitations; revoke some; at most %d may be open", maxInvitations)
)

// OpenInvitation is a link that nobody has used yet.
type OpenInvitation struct {
	ID      string // digest of the token in the link
	Purpose Purpose
	Role    Role   // in the account; empty for an account of one's own
	Email   string // the only address that may accept it; empty for any
	Created time.Time
	Expires time.Time
}

// ofAccount is the condition for the invitations that Invitations lists.
const ofAccount = `(purpose = $2 AND COALESCE(account_id, '') = $1 OR purpose = $3 AND $1 = '')`

// Invitations returns the open invitations to an account, newest first. For "" it returns those to accounts of one's own,
// and the links for operators. Errors: *store.Error.
func (d *Directory) Invitations(ctx context.Context, accountID string) ([]OpenInvitation, error) {
	all, err := store.All(ctx, d.store.Reader(), `SELECT digest, purpose, COALESCE(role, ''), COALESCE(email, ''), created_at, expires_at
		FROM one_time_tokens WHERE expires_at > $4 AND `+ofAccount+` ORDER BY created_at DESC, digest`,
		store.Args{accountID, Invitation, Operator, store.At(d.now())},
		func(scan func(...any) error) (i OpenInvitation, err error) {
			var created, expires store.Instant
			err = scan(&i.ID, &i.Purpose, &i.Role, &i.Email, &created, &expires)
			i.Created, i.Expires = created.Time, expires.Time
			return i, err
		})
	if err != nil {
		return nil, fmt.Errorf("list invitations: %w", err)
	}
	return all, nil
}

// RevokeInvitation ends an open invitation to an account; see Invitations for "". Errors: ErrNoInvitation, *store.Error.
func (d *Directory) RevokeInvitation(ctx context.Context, accountID, id string) error {
	return d.store.Writer().ExecOr(ctx, ErrNoInvitation, `DELETE FROM one_time_tokens WHERE digest = $4 AND `+ofAccount, accountID, Invitation, Operator, id)
}

// checkRoom returns ErrTooManyInvitations if no further invitation of the kind of t may be open.
func (d *Directory) checkRoom(ctx context.Context, x store.Executor, t Token) error {
	if t.Purpose != Invitation {
		return nil
	}
	var open int64
	err := x.Get(ctx, `SELECT COUNT(*) FROM one_time_tokens WHERE purpose = $1 AND COALESCE(account_id, '') = $2 AND expires_at > $3`,
		store.Args{Invitation, t.AccountID, store.At(d.now())}, &open)
	if err == nil && open >= maxInvitations {
		return ErrTooManyInvitations
	}
	return err
}
