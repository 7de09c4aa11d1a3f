package user_test

import (
	"context"
	"fmt"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/account/user"
)

func (f fixture) signIn(password string, from netip.Addr) error {
	f.Helper()
	_, err := f.SignIn(f.Context(), "owner@example.org", password, user.Client{Addr: from})
	return err
}

// isDelayed reports whether a sign-in with the right password is delayed, by a caller who does not wait.
func (f fixture) isDelayed(from netip.Addr) bool {
	f.Helper()
	return f.isClientDelayed(user.Client{Addr: from})
}

func (f fixture) isClientDelayed(from user.Client) bool {
	f.Helper()
	return f.isUserDelayed("owner@example.org", from)
}

func (f fixture) isUserDelayed(email string, from user.Client) bool {
	f.Helper()
	ctx, leave := context.WithCancel(f.Context())
	defer leave()
	done := make(chan error, 1)
	go func() {
		_, err := f.SignIn(ctx, email, password, from)
		done <- err
	}()
	for {
		select {
		case err := <-done:
			require.NoError(f, err)
			return false
		case <-time.After(time.Millisecond):
			if f.Waiting() > 0 { // for 1 s at least
				leave()
				require.ErrorIs(f, <-done, context.Canceled)
				return true
			}
		}
	}
}

func TestDirectory_SignIn(t *testing.T) {
	directoryTests{
		"accepts the password and records the time": func(t fixture) {
			u, err := t.SignIn(t.Context(), "Owner@example.org", password, user.Client{Addr: home})
			require.NoError(t, err)
			require.Equal(t, t.owner.ID, u.ID)
			require.Equal(t, noon, u.SignedIn)
		},
		"gives the same answer to a wrong password, an unknown address and a user without a password": func(t fixture) {
			_, _, err := t.SignUpWith(t.Context(), "https://id.example.org", "42", true, "", newUser("sso@example.org"))
			require.NoError(t, err)
			for _, email := range []string{"owner@example.org", "nobody@example.org", "sso@example.org"} {
				_, err := t.SignIn(t.Context(), email, "wrong", user.Client{Addr: home})
				require.ErrorIs(t, err, user.ErrSignIn)
				require.EqualError(t, err, user.ErrSignIn.Error())
			}
		},
		"delays a user's address after three mistakes, and nobody else": func(t fixture) {
			for range 3 {
				require.ErrorIs(t, t.signIn("wrong", home), user.ErrSignIn)
			}
			require.True(t, t.isDelayed(home))
			require.False(t, t.isDelayed(netip.MustParseAddr("198.51.100.1")), "the owner from another address")
			t.clock.Advance(time.Hour)
			require.False(t, t.isDelayed(home), "failures are forgotten after an hour")
		},
		"forgets mistakes after the right password": func(t fixture) {
			for range 4 {
				for range 3 {
					require.ErrorIs(t, t.signIn("wrong", home), user.ErrSignIn)
				}
				require.NoError(t, t.signIn(password, home))
			}
		},
	}.run(t)
}

func TestDirectory_SignIn_Attacked(t *testing.T) {
	directoryTests{
		"delays a program that signs in in a loop, and neither the user elsewhere nor others behind its address": func(t fixture) {
			for i := range 18 { // of 20 that are free
				_, err := t.SignIn(t.Context(), fmt.Sprintf("nobody%d@example.org", i), "wrong", user.Client{Addr: home})
				require.ErrorIs(t, err, user.ErrSignIn)
			}
			colleague, _ := t.mustSignUp("colleague@example.org")
			for range 20 + 3 { // those that count like failures are free at first
				require.NoError(t, t.signIn(password, home))
			}
			require.True(t, t.isDelayed(home))
			require.False(t, t.isUserDelayed(colleague.Email, user.Client{Addr: home}), "somebody else behind the address")
			for i := range 8 { // of 10 that are free
				require.ErrorIs(t, t.signIn("wrong", netip.AddrFrom4([4]byte{203, 0, 113, byte(i)})), user.ErrSignIn)
			}
			require.False(t, t.isDelayed(netip.MustParseAddr("198.51.100.1")), "from another address")
			require.False(t, t.isClientDelayed(user.Client{Addr: home, Known: "browser of the owner"}))
			t.clock.Advance(time.Hour)
			require.False(t, t.isDelayed(home))
		},
		"counts the /64 network of an IPv6 address": func(t fixture) {
			for _, from := range []string{"2001:db8::1", "2001:db8::2", "2001:db8::ffff:3"} {
				require.ErrorIs(t, t.signIn("wrong", netip.MustParseAddr(from)), user.ErrSignIn)
			}
			require.True(t, t.isDelayed(netip.MustParseAddr("2001:db8::4")))
			require.False(t, t.isDelayed(netip.MustParseAddr("2001:db8:0:1::4")))
		},
		"does not delay a known browser for the guesses of strangers, but for its own": func(t fixture) {
			for i := range 15 {
				require.ErrorIs(t, t.signIn("wrong", netip.AddrFrom4([4]byte{203, 0, 113, byte(i)})), user.ErrSignIn)
			}
			known := user.Client{Addr: home, Known: "browser of the owner"}
			require.True(t, t.isDelayed(home))
			require.False(t, t.isClientDelayed(known))
			require.True(t, t.isDelayed(home), "the guesses of strangers still count")
			for range 3 {
				_, err := t.SignIn(t.Context(), "owner@example.org", "wrong", known)
				require.ErrorIs(t, err, user.ErrSignIn)
			}
			require.True(t, t.isClientDelayed(known))
		},
		"lets the owner in within seconds while the account is attacked from everywhere": func(t fixture) {
			var guesses sync.WaitGroup
			for i := range 60 {
				guesses.Go(func() {
					from := netip.AddrFrom4([4]byte{203, 0, 113, byte(i)})
					if err := t.signIn("wrong", from); err == nil {
						t.Error("a wrong password was accepted")
					}
				})
			}
			began := time.Now()
			require.NoError(t, t.signIn(password, home))
			require.Less(t, time.Since(began), signInTime)
			guesses.Wait()
		},
	}.run(t)
}

func TestDirectory_CountSignUp(t *testing.T) {
	directoryTests{"bounds the sign-ups of a network within a day": func(t fixture) {
		for range 5 {
			require.NoError(t, t.CountSignUp(t.Context(), home))
		}
		require.ErrorIs(t, t.CountSignUp(t.Context(), home), user.ErrTooManySignUps)
		require.NoError(t, t.CountSignUp(t.Context(), netip.MustParseAddr("192.0.2.8")))
		t.clock.Advance(24 * time.Hour)
		require.NoError(t, t.CountSignUp(t.Context(), home), "a new day")
		require.NoError(t, t.Sweep(t.Context()))
	}}.run(t)
}

func TestDirectory_CountMail(t *testing.T) {
	directoryTests{"bounds the messages to one address within an hour": func(t fixture) {
		count := func(p user.Purpose, from user.Client) error {
			return t.CountMail(t.Context(), p, "A@example.org", from)
		}
		stranger := user.Client{Addr: home}
		for range 3 {
			require.NoError(t, count(user.Reset, stranger))
		}
		require.ErrorIs(t, count(user.Reset, stranger), user.ErrTooManyMails)
		require.NoError(t, count(user.Verification, stranger), "another purpose")
		other := user.Client{Addr: netip.MustParseAddr("198.51.100.1")}
		for range 3 {
			require.NoError(t, count(user.Reset, other), "another stranger")
		}
		require.ErrorIs(t, count(user.Reset, user.Client{Addr: netip.MustParseAddr("198.51.100.2")}), user.ErrTooManyMails, "all strangers together")
		known := user.Client{Addr: home, Known: "browser of the owner"}
		for range 3 {
			require.NoError(t, count(user.Reset, known), "strangers do not use up the resets of the owner")
		}
		require.ErrorIs(t, count(user.Reset, known), user.ErrTooManyMails)
		t.clock.Advance(time.Hour)
		require.NoError(t, count(user.Reset, stranger))
	}}.run(t)
}

func TestDirectory_IssueMail(t *testing.T) {
	directoryTests{"bounds the messages of a sender to all addresses within a day, without counting refused ones": func(t fixture) {
		send := func(sender, email string, role user.Role) error {
			token := user.Token{Purpose: user.Invitation, AccountID: t.account.ID, Role: role, Email: email}
			_, err := t.IssueMail(t.Context(), token, sender, user.Client{Addr: home})
			return err
		}
		sent := 0
		for range 3 {
			require.NoError(t, send("account", "one@example.org", user.PlainMember))
			sent++
		}
		for range 10 {
			require.ErrorIs(t, send("account", "nobody", user.PlainMember), user.ErrEmail)
			require.ErrorIs(t, send("account", "two@example.org", "captain"), user.ErrRole)
			require.ErrorIs(t, send("account", "one@example.org", user.PlainMember), user.ErrTooManyMails)
		}
		for ; sent < 50; sent++ {
			require.NoError(t, send("account", fmt.Sprintf("reader%d@example.org", sent), user.PlainMember))
		}
		require.ErrorIs(t, send("account", "two@example.org", user.PlainMember), user.ErrTooManySent)
		require.Len(t, t.openInvitations(t.account.ID), 50, "a refused message leaves no open invitation")
		for range 3 {
			require.NoError(t, send("another account", "two@example.org", user.PlainMember), "the refused message was not counted for its address")
		}
		t.clock.Advance(24 * time.Hour)
		require.NoError(t, send("account", "two@example.org", user.PlainMember), "a new day")
	}, "counts nothing when too many invitations are open": func(t fixture) {
		invitation := user.Token{Purpose: user.Invitation, AccountID: t.account.ID, Role: user.PlainMember, Email: "one@example.org"}
		for range 100 {
			t.mustIssue(invitation)
		}
		for range 51 {
			_, err := t.IssueMail(t.Context(), invitation, t.account.ID, user.Client{Addr: home})
			require.ErrorIs(t, err, user.ErrTooManyInvitations)
		}
		open, err := t.Invitations(t.Context(), t.account.ID)
		require.NoError(t, err)
		require.NoError(t, t.RevokeInvitation(t.Context(), t.account.ID, open[0].ID))
		_, err = t.IssueMail(t.Context(), invitation, t.account.ID, user.Client{Addr: home})
		require.NoError(t, err)
	}}.run(t)
}

func TestDirectory_ResetPassword(t *testing.T) {
	directoryTests{"replaces the password once and ends the sessions": func(t fixture) {
		session := t.mustSession(t.owner.ID)
		token := t.mustIssue(user.Token{Purpose: user.Reset, UserID: t.owner.ID})
		_, err := t.ResetPassword(t.Context(), token, "short")
		require.ErrorIs(t, err, user.ErrPassword)
		_, err = t.ResetPassword(t.Context(), token, "another good password")
		require.NoError(t, err)
		require.NoError(t, t.signIn("another good password", home))
		require.ErrorIs(t, t.signIn(password, home), user.ErrSignIn)
		require.False(t, t.isSignedIn(session))
		_, err = t.ResetPassword(t.Context(), token, "yet another password")
		require.ErrorIs(t, err, user.ErrToken)
	}, "revokes a change of address that somebody with the old password began": func(t fixture) {
		stolen := t.mustIssue(user.Token{Purpose: user.EmailChange, UserID: t.owner.ID, Email: "thief@example.org"})
		t.mustSetPassword(t.owner.ID)
		_, err := t.Verify(t.Context(), stolen)
		require.ErrorIs(t, err, user.ErrToken)
	}, "revokes the invitations to the accounts of an owner": func(t fixture) {
		stolen := t.mustIssue(user.Token{Purpose: user.Invitation, AccountID: t.account.ID, Role: user.Owner})
		t.mustSetPassword(t.owner.ID)
		_, _, err := t.Accept(t.Context(), stolen, newUser("thief@example.org"))
		require.ErrorIs(t, err, user.ErrToken)
	}}.run(t)
}
