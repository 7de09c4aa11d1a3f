package user_test

import (
	"testing"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/stretchr/testify/require"

	"uncial/impl/account"
	"uncial/impl/account/session"
	"uncial/impl/account/user"
)

func (f fixture) mustSession(userID string) (token string) {
	f.Helper()
	token = "session of " + userID
	data, err := scs.GobCodec{}.Encode(noon.Add(time.Hour), map[string]any{session.UserKey: userID})
	require.NoError(f, err)
	require.NoError(f, f.sessions.CommitCtx(f.Context(), token, data, noon.Add(time.Hour)))
	return token
}

func (f fixture) isSignedIn(token string) bool {
	f.Helper()
	_, found, err := f.sessions.FindCtx(f.Context(), token)
	require.NoError(f, err)
	return found
}

func TestDirectory_SetRole(t *testing.T) {
	directoryTests{"keeps an owner in every account": func(t fixture) {
		member := t.mustJoin("member@example.org", user.PlainMember)
		require.ErrorIs(t, t.SetRole(t.Context(), t.account.ID, t.owner.ID, user.PlainMember), user.ErrLastOwner)
		require.ErrorIs(t, t.RemoveMember(t.Context(), t.account.ID, t.owner.ID), user.ErrLastOwner)
		require.ErrorIs(t, t.DeleteUser(t.Context(), t.owner.ID), user.ErrLastOwner)
		require.ErrorIs(t, t.SetRole(t.Context(), t.account.ID, member.ID, "boss"), user.ErrRole)
		require.ErrorIs(t, t.SetRole(t.Context(), t.account.ID, "user_nobody", user.Owner), user.ErrNoUser)
		require.ErrorIs(t, t.SetRole(t.Context(), "acc_nobody", member.ID, user.Owner), account.ErrNoAccount)

		require.NoError(t, t.SetRole(t.Context(), t.account.ID, member.ID, user.Owner))
		require.NoError(t, t.RemoveMember(t.Context(), t.account.ID, t.owner.ID))
		_, err := t.Find(t.Context(), t.owner.ID)
		require.NoError(t, err, "a person who leaves an account stays a user")
	}, "revokes the invitations of an owner who leaves": func(t fixture) {
		member := t.mustJoin("member@example.org", user.PlainMember)
		demoted, removed, deleted := t.mustJoin("1@example.org", user.Owner), t.mustJoin("2@example.org", user.Owner), t.mustJoin("3@example.org", user.Owner)
		invite := func() string {
			return t.mustIssue(user.Token{Purpose: user.Invitation, AccountID: t.account.ID, Role: user.Owner})
		}
		token := invite()
		require.ErrorIs(t, t.RemoveMember(t.Context(), t.account.ID, "user_nobody"), user.ErrNoUser)
		require.NoError(t, t.RemoveMember(t.Context(), t.account.ID, member.ID))
		_, err := t.Peek(t.Context(), token)
		require.NoError(t, err, "members who are not owners cannot make invitations")

		require.NoError(t, t.SetRole(t.Context(), t.account.ID, demoted.ID, user.PlainMember))
		_, err = t.AcceptAs(t.Context(), token, demoted.ID)
		require.ErrorIs(t, err, user.ErrToken)
		token = invite()
		require.NoError(t, t.RemoveMember(t.Context(), t.account.ID, removed.ID))
		_, err = t.AcceptAs(t.Context(), token, removed.ID)
		require.ErrorIs(t, err, user.ErrToken)
		token = invite()
		require.NoError(t, t.DeleteUser(t.Context(), deleted.ID))
		_, _, err = t.Accept(t.Context(), token, newUser("3@example.org"))
		require.ErrorIs(t, err, user.ErrToken)
	}}.run(t)
}

func TestDirectory_DeleteAccount(t *testing.T) {
	directoryTests{
		"erases persons, sessions and names, and revokes the keys": func(t fixture) {
			other, _ := t.mustSignUp("other@example.org")
			invitation := t.mustIssue(user.Token{Purpose: user.Invitation, AccountID: t.account.ID, Role: user.PlainMember})
			_, err := t.AcceptAs(t.Context(), invitation, other.ID)
			require.NoError(t, err)
			open := t.mustIssue(user.Token{Purpose: user.Invitation, AccountID: t.account.ID, Role: user.PlainMember})
			session := t.mustSession(t.owner.ID)
			_, token, err := t.accounts.CreateKey(t.Context(), account.NewKey{AccountID: t.account.ID, Name: "The director's key"})
			require.NoError(t, err)

			require.NoError(t, t.DeleteAccount(t.Context(), t.account.ID))
			_, err = t.Find(t.Context(), t.owner.ID)
			require.ErrorIs(t, err, user.ErrNoUser)
			require.False(t, t.isSignedIn(session))
			_, err = t.Find(t.Context(), other.ID)
			require.NoError(t, err, "a user of another account stays")
			_, err = t.Peek(t.Context(), open)
			require.ErrorIs(t, err, user.ErrToken)
			_, _, err = t.accounts.Authenticate(t.Context(), token, home)
			require.ErrorIs(t, err, account.ErrRevoked)
			keys, err := t.accounts.Keys(t.Context(), t.account.ID)
			require.NoError(t, err)
			require.Equal(t, "deleted", keys[0].Name)
			a, err := t.accounts.Find(t.Context(), t.account.ID)
			require.NoError(t, err)
			require.Equal(t, []any{"deleted", noon}, []any{a.Name, a.Deleted})
			t.mustSignUp("owner@example.org") // the address is free again
		},
		"leaves nothing that could be used": func(t fixture) {
			require.NoError(t, t.DeleteAccount(t.Context(), t.account.ID))
			require.ErrorIs(t, t.DeleteAccount(t.Context(), t.account.ID), account.ErrNoAccount)
			_, _, err := t.accounts.CreateKey(t.Context(), account.NewKey{AccountID: t.account.ID, Name: "late"})
			require.ErrorIs(t, err, account.ErrNoAccount)
			require.ErrorIs(t, t.accounts.Suspend(t.Context(), t.account.ID), account.ErrNoAccount)
			token := t.mustSession(t.owner.ID)
			require.False(t, t.isSignedIn(token), "a request that was running cannot bring the session back")
		},
	}.run(t)
}

func TestDirectory_DeleteUser(t *testing.T) {
	directoryTests{"erases a member": func(t fixture) {
		member := t.mustJoin("member@example.org", user.PlainMember)
		token := t.mustSession(member.ID)
		require.NoError(t, t.DeleteUser(t.Context(), member.ID))
		require.False(t, t.isSignedIn(token))
		members, err := t.Members(t.Context(), t.account.ID)
		require.NoError(t, err)
		require.Len(t, members, 1)
		require.ErrorIs(t, t.DeleteUser(t.Context(), member.ID), user.ErrNoUser)
	}}.run(t)
}
