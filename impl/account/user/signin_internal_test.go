package user

import (
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/account"
	"uncial/impl/store/storetest"
)

func TestDirectory_SignIn_ChangedPassword(t *testing.T) {
	t.Parallel()
	st := storetest.MustMigrate(t, storetest.SQLite(t))
	accounts, err := account.New(st, account.Options{Secret: []byte("a secret of the server's own, as long as one must be")})
	require.NoError(t, err)
	d := New(st, Options{Accounts: accounts})
	u, _, err := d.SignUp(t.Context(), NewUser{Email: "a@example.org", Name: "A", Password: "correct horse battery", Account: "A", Plan: "free"})
	require.NoError(t, err)
	var before string
	require.NoError(t, st.Reader().Get(t.Context(), `SELECT password_hash FROM users`, nil, &before))

	_, err = d.SetPassword(t.Context(), u.ID, "another good password")
	require.NoError(t, err)
	_, err = d.signedIn(t.Context(), u.ID, before, attempt{email: u.Email})
	require.ErrorIs(t, err, ErrSignIn, "the password was right when it was looked at, but was changed in the meantime")
	_, err = d.SignIn(t.Context(), u.Email, "another good password", Client{})
	require.NoError(t, err)
}
