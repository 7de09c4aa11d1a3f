package user_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/account/user"
)

const issuer = "https://id.example.org"

func (f fixture) hasProvider(id string) bool {
	f.Helper()
	u, err := f.Find(f.Context(), id)
	require.NoError(f, err)
	return u.HasProvider
}

// accepts reports whether a session that began with the version is good for the user as stored.
func (f fixture) accepts(version, id string) bool {
	f.Helper()
	u, err := f.Find(f.Context(), id)
	require.NoError(f, err)
	return u.Accepts(version)
}

func TestDirectory_Link(t *testing.T) {
	directoryTests{"lets a user with a password sign in with a provider, too": func(t fixture) {
		require.NoError(t, t.Link(t.Context(), t.owner.ID, issuer, "42"))
		u, err := t.SignInWith(t.Context(), issuer, "42")
		require.NoError(t, err)
		require.Equal(t, t.owner.ID, u.ID)
		require.True(t, u.HasProvider)
		require.NoError(t, t.signIn(password, home))
		require.NoError(t, t.Link(t.Context(), t.owner.ID, issuer, "42"), "again")

		other, _ := t.mustSignUp("other@example.org")
		require.ErrorIs(t, t.Link(t.Context(), other.ID, issuer, "42"), user.ErrIdentity)
		require.ErrorIs(t, t.Link(t.Context(), "user_nobody", issuer, "43"), user.ErrNoUser)
	}, "ends with a new password, because whoever knew the old one may have made it": func(t fixture) {
		require.NoError(t, t.Link(t.Context(), t.owner.ID, issuer, "42"))
		t.mustSetPassword(t.owner.ID)
		_, err := t.SignInWith(t.Context(), issuer, "42")
		require.ErrorIs(t, err, user.ErrNoUser)
	}, "stays with a user who gets the first password": func(t fixture) {
		u, _, err := t.SignUpWith(t.Context(), issuer, "44", true, "", newUser("sso@example.org"))
		require.NoError(t, err)
		t.mustSetPassword(u.ID)
		require.True(t, t.hasProvider(u.ID))
	}, "needs an issuer and a subject": func(t fixture) {
		for _, identity := range [][2]string{{"", ""}, {issuer, ""}, {"", "46"}} {
			_, _, err := t.SignUpWith(t.Context(), identity[0], identity[1], true, "", newUser("sso@example.org"))
			require.ErrorContains(t, err, "issuer and subject must not be empty")
		}
	}, "ends when the owner of an unverified address chooses a password": func(t fixture) {
		u, _, err := t.SignUpWith(t.Context(), issuer, "45", false, "", newUser("victim@example.org"))
		require.NoError(t, err)
		_, err = t.ResetPassword(t.Context(), t.mustIssue(user.Token{Purpose: user.Reset, UserID: u.ID}), password)
		require.NoError(t, err)
		_, err = t.SignInWith(t.Context(), issuer, "45")
		require.ErrorIs(t, err, user.ErrNoUser, "whoever signed up with the address of somebody else")
	}}.run(t)
}

func TestDirectory_Unlink(t *testing.T) {
	directoryTests{"ends the link of a user with a password only": func(t fixture) {
		require.NoError(t, t.Link(t.Context(), t.owner.ID, issuer, "42"))
		require.NoError(t, t.Unlink(t.Context(), t.owner.ID))
		require.False(t, t.hasProvider(t.owner.ID))
		u, _, err := t.SignUpWith(t.Context(), issuer, "44", true, "", newUser("sso@example.org"))
		require.NoError(t, err)
		require.True(t, t.accepts(u.Version, u.ID))
		require.NoError(t, t.Unlink(t.Context(), u.ID))
		require.True(t, t.hasProvider(u.ID), "otherwise the user could no longer sign in")
	}, "ends the sessions that began with the provider, also one that begins at the same time": func(t fixture) {
		require.NoError(t, t.Link(t.Context(), t.owner.ID, issuer, "42"))
		u, err := t.SignInWith(t.Context(), issuer, "42")
		require.NoError(t, err)
		require.True(t, t.accepts(u.Version, u.ID))
		require.NoError(t, t.Unlink(t.Context(), u.ID))
		require.False(t, t.accepts(u.Version, u.ID))
		require.True(t, t.accepts(t.owner.Version, u.ID), "a session that began with the password")
		require.NoError(t, t.Link(t.Context(), u.ID, issuer, "43"))
		require.False(t, t.accepts(u.Version, u.ID), "another link")
		require.NoError(t, t.Link(t.Context(), u.ID, issuer, "42"))
		require.True(t, t.accepts(u.Version, u.ID))
		t.mustSetPassword(u.ID)
		require.False(t, t.accepts(u.Version, u.ID), "a new password")
	}}.run(t)
}
