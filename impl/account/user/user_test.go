package user_test

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/account"
	"uncial/impl/account/session"
	"uncial/impl/account/user"
	"uncial/impl/store"
	"uncial/impl/store/storetest"
	"uncial/testcontainers"
)

const password = "correct horse battery"

var (
	noon = time.Date(2026, time.March, 16, 12, 0, 0, 0, time.UTC)
	home = netip.MustParseAddr("192.0.2.7")
)

// fixture is a test of a directory with one user, who owns an account.
type fixture struct {
	testing.TB
	*user.Directory
	accounts *account.Registry
	sessions *session.Store
	store    *store.Store
	clock    *storetest.Clock
	owner    user.User
	account  account.Account
}

// directoryTests maps the names of sub-tests to their functions.
type directoryTests map[string]func(fixture)

func (tests directoryTests) run(t *testing.T) {
	t.Helper()
	storetest.Run(t, testcontainers.Postgres, newFixture, tests)
}

func newFixture(tb testing.TB, url string) fixture {
	tb.Helper()
	f := fixture{TB: tb, store: storetest.MustMigrate(tb, url), clock: storetest.NewClock(noon)}
	var err error
	f.accounts, err = account.New(f.store, account.Options{Secret: []byte("a secret of the server's own, as long as one must be"), Now: f.clock.Now})
	require.NoError(tb, err)
	f.Directory = user.New(f.store, user.Options{Accounts: f.accounts, Now: f.clock.Now})
	f.sessions = session.New(f.store, f.clock.Now)
	f.owner, f.account = f.mustSignUp("owner@example.org")
	return f
}

func newUser(email string) user.NewUser {
	return user.NewUser{Email: email, Name: "A person", Password: password, Account: "An archive", Plan: "free"}
}

func (f fixture) mustSignUp(email string) (user.User, account.Account) {
	f.Helper()
	u, a, err := f.SignUp(f.Context(), newUser(email))
	require.NoError(f, err)
	return u, a
}

func (f fixture) mustSetPassword(userID string) user.User {
	f.Helper()
	u, err := f.SetPassword(f.Context(), userID, "another good password")
	require.NoError(f, err)
	return u
}

func (f fixture) mustIssue(t user.Token) string {
	f.Helper()
	token, err := f.Issue(f.Context(), t)
	require.NoError(f, err)
	return token
}

func (f fixture) mustJoin(email string, role user.Role) user.User {
	f.Helper()
	token := f.mustIssue(user.Token{Purpose: user.Invitation, AccountID: f.account.ID, Role: role})
	u, a, err := f.Accept(f.Context(), token, newUser(email))
	require.NoError(f, err)
	require.Equal(f, f.account.ID, a.ID)
	return u
}

func TestDirectory_SignUp(t *testing.T) {
	directoryTests{
		"makes a user who owns a new account": func(t fixture) {
			found, err := t.FindByEmail(t.Context(), " Owner@Example.ORG ")
			require.NoError(t, err)
			require.Equal(t, t.owner, found)
			require.NotEmpty(t, found.Version)
			found.Version = ""
			require.Equal(t, user.User{ID: t.owner.ID, Email: "owner@example.org", Name: "A person", HasPassword: true, Created: noon}, found)
			memberships, err := t.Memberships(t.Context(), t.owner.ID)
			require.NoError(t, err)
			require.Equal(t, []user.Membership{{Account: t.account, Role: user.Owner}}, memberships)
			require.Equal(t, "free", t.account.Plan)
		},
		"names what is wrong, and leaves nothing behind": func(t fixture) {
			for want, change := range map[error]func(*user.NewUser){
				user.ErrEmail:      func(n *user.NewUser) { n.Email = "A <a@example.org>" },
				user.ErrEmailTaken: func(n *user.NewUser) { n.Email = "OWNER@example.org" },
				user.ErrPassword:   func(n *user.NewUser) { n.Password = "elevenchars" },
				account.ErrPlan:    func(n *user.NewUser) { n.Plan = "gold" },
				account.ErrName:    func(n *user.NewUser) { n.Account = "" },
			} {
				n := newUser("new@example.org")
				change(&n)
				_, _, err := t.SignUp(t.Context(), n)
				require.ErrorIs(t, err, want)
			}
			for _, hidden := range []string{"\u200b", "\u202e", "\u2066", "\u00ad", "\u00a0", "\u009b31m", "\ue000"} {
				_, _, err := t.SignUp(t.Context(), newUser("n"+hidden+"ew@example.org"))
				require.ErrorIs(t, err, user.ErrEmail, "%q", hidden)
			}
			all, err := t.accounts.List(t.Context())
			require.NoError(t, err)
			require.Len(t, all, 1)
			users, err := t.List(t.Context(), "", 10)
			require.NoError(t, err)
			require.Len(t, users, 1)
		},
		"does not store passwords or tokens": func(t fixture) {
			token := t.mustIssue(user.Token{Purpose: user.Reset, UserID: t.owner.ID})
			var hash, digest string
			require.NoError(t, t.store.Reader().Get(t.Context(), `SELECT u.password_hash, o.digest
				FROM users u JOIN one_time_tokens o ON o.user_id = u.id`, nil, &hash, &digest))
			require.True(t, strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$"), hash)
			require.NotContains(t, hash, password)
			require.NotContains(t, digest, token)
		},
	}.run(t)
}

func TestDirectory_Accept(t *testing.T) {
	directoryTests{
		"makes the first operator by a link that works once": func(t fixture) {
			has, err := t.HasOperator(t.Context())
			require.NoError(t, err)
			require.False(t, has)
			token := t.mustIssue(user.Token{Purpose: user.Operator})
			u, _, err := t.Accept(t.Context(), token, newUser("root@example.org"))
			require.NoError(t, err)
			require.True(t, u.Operator)
			require.Equal(t, noon, u.Verified)
			_, _, err = t.Accept(t.Context(), token, newUser("second@example.org"))
			require.ErrorIs(t, err, user.ErrToken)
			has, err = t.HasOperator(t.Context())
			require.NoError(t, err)
			require.True(t, has)
		},
		"makes an existing user an operator, who joins the account of the link": func(t fixture) {
			u, _ := t.mustSignUp("root@example.org")
			token := t.mustIssue(user.Token{Purpose: user.Operator, AccountID: t.account.ID, Role: user.Owner})
			id, err := t.AcceptAs(t.Context(), token, u.ID)
			require.NoError(t, err)
			require.Equal(t, t.account.ID, id)
			u, err = t.Find(t.Context(), u.ID)
			require.NoError(t, err)
			require.True(t, u.Operator)
			_, err = t.AcceptAs(t.Context(), token, u.ID)
			require.ErrorIs(t, err, user.ErrToken)

			id, err = t.AcceptAs(t.Context(), t.mustIssue(user.Token{Purpose: user.Operator}), t.owner.ID)
			require.NoError(t, err)
			require.Empty(t, id, "a link that names no account")
			_, err = t.AcceptAs(t.Context(), t.mustIssue(user.Token{Purpose: user.Invitation}), t.owner.ID)
			require.ErrorIs(t, err, user.ErrToken, "an invitation to an account of one's own")
		},
	}.run(t)
}

func TestDirectory_Accept_Invitation(t *testing.T) {
	directoryTests{
		"adds a member who is not an operator": func(t fixture) {
			u := t.mustJoin("member@example.org", user.PlainMember)
			require.False(t, u.Operator)
			members, err := t.Members(t.Context(), t.account.ID)
			require.NoError(t, err)
			require.Len(t, members, 2)
			role, err := t.RoleIn(t.Context(), t.account.ID, u.ID)
			require.NoError(t, err)
			require.Equal(t, user.PlainMember, role)
		},
		"keeps the link after a failed attempt": func(t fixture) {
			token := t.mustIssue(user.Token{Purpose: user.Invitation, Email: "Invited@example.org"})
			for email, want := range map[string]error{"owner@example.org": user.ErrToken, "other@example.org": user.ErrToken} {
				_, _, err := t.Accept(t.Context(), token, newUser(email))
				require.ErrorIs(t, err, want)
			}
			_, _, err := t.Accept(t.Context(), token, newUser("invited@example.org"))
			require.NoError(t, err)
		},
		"refuses links that expired or are for something else": func(t fixture) {
			late := t.mustIssue(user.Token{Purpose: user.Invitation})
			reset := t.mustIssue(user.Token{Purpose: user.Reset, UserID: t.owner.ID})
			_, _, err := t.Accept(t.Context(), reset, newUser("new@example.org"))
			require.ErrorIs(t, err, user.ErrToken)
			_, _, err = t.Accept(t.Context(), "", newUser("new@example.org"))
			require.ErrorIs(t, err, user.ErrToken, "no link")
			t.clock.Advance(7 * 24 * time.Hour)
			_, _, err = t.Accept(t.Context(), late, newUser("new@example.org"))
			require.ErrorIs(t, err, user.ErrToken)
			_, err = t.Peek(t.Context(), late)
			require.ErrorIs(t, err, user.ErrToken)
		},
	}.run(t)
}

func TestDirectory_AcceptAs(t *testing.T) {
	directoryTests{"lets a user join a second account": func(t fixture) {
		other, _ := t.mustSignUp("other@example.org")
		token := t.mustIssue(user.Token{Purpose: user.Invitation, AccountID: t.account.ID, Role: user.Owner})
		id, err := t.AcceptAs(t.Context(), token, other.ID)
		require.NoError(t, err)
		require.Equal(t, t.account.ID, id)
		memberships, err := t.Memberships(t.Context(), other.ID)
		require.NoError(t, err)
		require.Len(t, memberships, 2)
		_, err = t.AcceptAs(t.Context(), token, other.ID)
		require.ErrorIs(t, err, user.ErrToken)
	}}.run(t)
}

func TestDirectory_Verify(t *testing.T) {
	directoryTests{
		"marks the address of a user": func(t fixture) {
			token := t.mustIssue(user.Token{Purpose: user.Verification, UserID: t.owner.ID, Email: t.owner.Email})
			u, err := t.Verify(t.Context(), token)
			require.NoError(t, err)
			require.Equal(t, noon, u.Verified)
		},
		"revokes a reset that went to the old address": func(t fixture) {
			reset := t.mustIssue(user.Token{Purpose: user.Reset, UserID: t.owner.ID})
			_, err := t.Verify(t.Context(), t.mustIssue(user.Token{Purpose: user.EmailChange, UserID: t.owner.ID, Email: "new@example.org"}))
			require.NoError(t, err)
			_, err = t.ResetPassword(t.Context(), reset, "another good password")
			require.ErrorIs(t, err, user.ErrToken)
		},
		"replaces the address, unless it belongs to another user in the meantime": func(t fixture) {
			change := func() string {
				return t.mustIssue(user.Token{Purpose: user.EmailChange, UserID: t.owner.ID, Email: "new@example.org"})
			}
			first, second := change(), change()
			_, err := t.Verify(t.Context(), first)
			require.ErrorIs(t, err, user.ErrToken, "the second link replaced the first")
			other, _ := t.mustSignUp("new@example.org")
			_, err = t.Verify(t.Context(), second)
			require.ErrorIs(t, err, user.ErrEmailTaken)
			require.ErrorIs(t, t.ChangeEmail(t.Context(), t.owner.ID, "new@example.org"), user.ErrEmailTaken)
			require.NoError(t, t.DeleteAccount(t.Context(), mustOnlyAccount(t, other.ID)))
			u, err := t.Verify(t.Context(), second)
			require.NoError(t, err)
			require.Equal(t, "new@example.org", u.Email)
			require.ErrorIs(t, t.ChangeEmail(t.Context(), "user_nobody", "x@example.org"), user.ErrNoUser)
		},
	}.run(t)
}

func mustOnlyAccount(t fixture, userID string) string {
	t.Helper()
	m, err := t.Memberships(t.Context(), userID)
	require.NoError(t, err)
	require.Len(t, m, 1)
	return m[0].ID
}

func TestDirectory_List(t *testing.T) {
	directoryTests{"returns pages in the order of addresses": func(t fixture) {
		t.mustSignUp("z@example.org")
		t.mustSignUp("a@example.org")
		first, err := t.List(t.Context(), "", 2)
		require.NoError(t, err)
		rest, err := t.List(t.Context(), first[1].Email, 2)
		require.NoError(t, err)
		require.Equal(t, []string{"a@example.org", "owner@example.org"}, []string{first[0].Email, first[1].Email})
		require.Len(t, rest, 1)
		require.Equal(t, "z@example.org", rest[0].Email)
	}}.run(t)
}

func TestDirectory_Record(t *testing.T) {
	directoryTests{"returns the newest records first, page by page": func(t fixture) {
		for _, action := range []string{"first", "second", "third"} {
			t.clock.Advance(time.Second)
			require.NoError(t, t.Record(t.Context(), user.LogRecord{Actor: user.Console, Action: action, AccountID: t.account.ID}))
		}
		page, err := t.Records(t.Context(), "", 2)
		require.NoError(t, err)
		rest, err := t.Records(t.Context(), page[1].ID, 2)
		require.NoError(t, err)
		require.Equal(t, []string{"third", "second", "first"}, []string{page[0].Action, page[1].Action, rest[0].Action})
		require.Len(t, rest, 1)
		require.Equal(t, noon.Add(time.Second), rest[0].At)
	}}.run(t)
}
