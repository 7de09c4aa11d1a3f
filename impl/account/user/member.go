package user

import (
	"context"
	"errors"
	"fmt"
	"time"

	"uncial/impl/account"
	"uncial/impl/store"
)

// Role is what a member may do. Owners manage keys, members and the account. Other members see keys and usage, and use the
// playground.
type Role string

// Roles in an account. Every account with users has at least one owner.
const (
	Owner       Role = "owner"
	PlainMember Role = "member"
)

func (r Role) isValid() bool { return r == Owner || r == PlainMember }

// Membership is an account of a user.
type Membership struct {
	account.Account
	Role Role `json:"role"`
}

// Member is a user of an account.
type Member struct {
	User
	Role  Role      `json:"role"`
	Since time.Time `json:"since"`
}

// Memberships returns the accounts of a user, the oldest membership first. Deleted accounts have no members. Errors:
// *store.Error.
func (d *Directory) Memberships(ctx context.Context, userID string) ([]Membership, error) {
	all, err := store.All(ctx, d.store.Reader(), `SELECT a.id, a.name, a.plan, a.created_at, a.suspended_at, m.role
		FROM members m JOIN accounts a ON a.id = m.account_id WHERE m.user_id = $1 ORDER BY m.created_at, a.id`,
		store.Args{userID}, func(scan func(...any) error) (m Membership, err error) {
			var created, suspended store.Instant
			err = scan(&m.ID, &m.Name, &m.Plan, &created, &suspended, &m.Role)
			m.Created, m.Suspended = created.Time, suspended.Time
			return m, err
		})
	if err != nil {
		return nil, fmt.Errorf("list memberships: %w", err)
	}
	return all, nil
}

// Members returns the users of an account, the oldest membership first. Errors: *store.Error.
func (d *Directory) Members(ctx context.Context, accountID string) ([]Member, error) {
	all, err := store.All(ctx, d.store.Reader(), `SELECT u.id, u.email, u.name,
			COALESCE(u.password_hash, ''), COALESCE(u.oidc_issuer, ''), COALESCE(u.oidc_subject, ''), u.is_operator, u.created_at, u.verified_at, u.signed_in_at,
			m.role, m.created_at
		FROM members m JOIN users u ON u.id = m.user_id WHERE m.account_id = $1 ORDER BY m.created_at, u.id`,
		store.Args{accountID}, func(scan func(...any) error) (m Member, err error) {
			var since store.Instant
			m.User, err = scanUserAnd(scan, &m.Role, &since)
			m.Since = since.Time
			return m, err
		})
	if err != nil {
		return nil, fmt.Errorf("list members: %w", err)
	}
	return all, nil
}

// RoleIn returns the role of a user in an account. Errors: ErrNoUser if the user is not a member, *store.Error.
func (d *Directory) RoleIn(ctx context.Context, accountID, userID string) (Role, error) {
	var r Role
	err := d.store.Reader().Get(ctx, `SELECT role FROM members WHERE account_id = $1 AND user_id = $2`,
		store.Args{accountID, userID}, &r)
	if errors.Is(err, store.ErrNoRows) {
		return "", ErrNoUser
	}
	if err != nil {
		return "", fmt.Errorf("find member: %w", err)
	}
	return r, nil
}

// SetRole changes the role of a member. Changing an owner's role revokes the open invitations to the account. Errors:
// ErrRole, ErrLastOwner, ErrNoUser, account.ErrNoAccount, *store.Error.
func (d *Directory) SetRole(ctx context.Context, accountID, userID string, role Role) error {
	if !role.isValid() {
		return ErrRole
	}
	return d.changeMember(ctx, accountID, userID,
		`UPDATE members SET role = $3 WHERE account_id = $1 AND user_id = $2`, accountID, userID, role)
}

// RemoveMember removes a user from an account; the user stays. Removing an owner revokes the open invitations to the account.
// Errors: ErrLastOwner, ErrNoUser, account.ErrNoAccount, *store.Error.
func (d *Directory) RemoveMember(ctx context.Context, accountID, userID string) error {
	return d.changeMember(ctx, accountID, userID,
		`DELETE FROM members WHERE account_id = $1 AND user_id = $2`, accountID, userID)
}

// changeMember runs a statement that changes one member, and rolls it back if the account has no owner afterwards. It
// locks the account first, so that two owners cannot leave at the same time.
func (d *Directory) changeMember(ctx context.Context, accountID, userID, statement string, args ...any) error {
	err := d.store.Tx(ctx, func(ctx context.Context, x store.Executor) error {
		if err := lockAccount(ctx, x, accountID); err != nil {
			return err
		}
		if err := revokeOwnersInvitations(ctx, x, accountID, userID); err != nil {
			return err
		}
		n, err := x.Exec(ctx, statement, args...)
		if err != nil {
			return err
		}
		if n == 0 {
			return ErrNoUser
		}
		return requireOwner(ctx, x, accountID)
	})
	if err != nil {
		return fmt.Errorf("change members: %w", err)
	}
	return nil
}

// revokeOwnersInvitations deletes the open invitations to an account if the user is one of its owners. Only owners can make
// them, and an owner who leaves could return with one.
func revokeOwnersInvitations(ctx context.Context, x store.Executor, accountID, userID string) error {
	_, err := x.Exec(ctx, `DELETE FROM one_time_tokens WHERE account_id = $1
		AND EXISTS (SELECT 1 FROM members WHERE account_id = $1 AND user_id = $2 AND role = 'owner')`, accountID, userID)
	return err
}

// lockAccount locks an account that was not deleted until the transaction ends. Errors: account.ErrNoAccount,
// *store.Error.
func lockAccount(ctx context.Context, x store.Executor, accountID string) error {
	return x.ExecOr(ctx, account.ErrNoAccount, `UPDATE accounts SET plan = plan WHERE id = $1 AND deleted_at IS NULL`, accountID)
}

// requireOwner returns ErrLastOwner if the account has no owner.
func requireOwner(ctx context.Context, x store.Executor, accountID string) error {
	var owners int64
	err := x.Get(ctx, `SELECT COUNT(*) FROM members WHERE account_id = $1 AND role = 'owner'`, store.Args{accountID}, &owners)
	if err == nil && owners == 0 {
		return ErrLastOwner
	}
	return err
}

// addMember makes a user a member of an account that was not deleted. A member who joins again keeps the role.
func (d *Directory) addMember(ctx context.Context, x store.Executor, accountID, userID string, role Role) error {
	if !role.isValid() {
		return ErrRole
	}
	if err := lockAccount(ctx, x, accountID); err != nil {
		return err
	}
	_, err := x.Exec(ctx, `INSERT INTO members (account_id, user_id, role, created_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (account_id, user_id) DO NOTHING`, accountID, userID, role, store.At(d.now()))
	return err
}
