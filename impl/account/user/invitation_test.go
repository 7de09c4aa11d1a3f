package user_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/account/user"
)

// openInvitations returns the invitations to an account without their IDs, which are random.
func (f fixture) openInvitations(accountID string) []user.OpenInvitation {
	f.Helper()
	open, err := f.Invitations(f.Context(), accountID)
	require.NoError(f, err)
	for i := range open {
		require.Len(f, open[i].ID, 64)
		open[i].ID = ""
	}
	return open
}

func TestDirectory_Invitations(t *testing.T) {
	directoryTests{"lists those to an account, and those of operators": func(t fixture) {
		week := noon.Add(7 * 24 * time.Hour)
		t.mustIssue(user.Token{Purpose: user.Invitation, AccountID: t.account.ID, Role: user.Owner, Email: "Next@example.org"})
		t.mustIssue(user.Token{Purpose: user.Reset, UserID: t.owner.ID})
		t.mustIssue(user.Token{Purpose: user.Operator, AccountID: t.account.ID, Role: user.Owner})
		require.Equal(t, []user.OpenInvitation{{Purpose: user.Invitation, Role: user.Owner, Email: "next@example.org", Created: noon, Expires: week}},
			t.openInvitations(t.account.ID))
		require.Equal(t, []user.OpenInvitation{{Purpose: user.Operator, Role: user.Owner, Created: noon, Expires: noon.Add(24 * time.Hour)}},
			t.openInvitations(""))
		t.clock.Advance(7 * 24 * time.Hour)
		require.Empty(t, t.openInvitations(t.account.ID), "they expire")
	}, "are bounded, until one is used, revoked, or has expired": func(t fixture) {
		invite := user.Token{Purpose: user.Invitation, AccountID: t.account.ID, Role: user.PlainMember}
		for range 100 {
			t.mustIssue(invite)
		}
		_, err := t.Issue(t.Context(), invite)
		require.ErrorIs(t, err, user.ErrTooManyInvitations)
		t.mustIssue(user.Token{Purpose: user.Invitation}) // counted apart
		open, err := t.Invitations(t.Context(), t.account.ID)
		require.NoError(t, err)
		require.NoError(t, t.RevokeInvitation(t.Context(), t.account.ID, open[0].ID))
		t.mustIssue(invite)
	}}.run(t)
}

func TestDirectory_RevokeInvitation(t *testing.T) {
	directoryTests{"ends a link of its own account only": func(t fixture) {
		token := t.mustIssue(user.Token{Purpose: user.Invitation, AccountID: t.account.ID, Role: user.PlainMember})
		open, err := t.Invitations(t.Context(), t.account.ID)
		require.NoError(t, err)
		for _, other := range []string{"", "acc_other"} {
			require.ErrorIs(t, t.RevokeInvitation(t.Context(), other, open[0].ID), user.ErrNoInvitation)
		}
		_, err = t.Peek(t.Context(), token)
		require.NoError(t, err)
		require.NoError(t, t.RevokeInvitation(t.Context(), t.account.ID, open[0].ID))
		_, err = t.Peek(t.Context(), token)
		require.ErrorIs(t, err, user.ErrToken)
		require.ErrorIs(t, t.RevokeInvitation(t.Context(), t.account.ID, open[0].ID), user.ErrNoInvitation)
	}}.run(t)
}
