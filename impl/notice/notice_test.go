package notice_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/account"
	"uncial/impl/account/user"
	"uncial/impl/ledger"
	"uncial/impl/notice"
	"uncial/impl/store/storetest"
	"uncial/testcontainers"
)

const day = 24 * time.Hour

var noon = time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)

// fixture is a test of two replicas that share a database, with an account of one verified owner and one member.
type fixture struct {
	testing.TB
	replicas [2]*notice.Notifier
	accounts *account.Registry
	ledger   *ledger.Ledger
	clock    *storetest.Clock
	account  account.Account
	mail     *outbox
	log      *bytes.Buffer
}

// outbox keeps messages instead of sending them. A full one refuses them.
type outbox struct {
	full     bool
	messages []string
}

func (o *outbox) Send(_ context.Context, to, subject, text string) error {
	if o.full {
		return errors.New("full")
	}
	o.messages = append(o.messages, to+": "+subject+": "+text)
	return nil
}

func newFixture(tb testing.TB, url string) fixture {
	tb.Helper()
	st := storetest.MustMigrate(tb, url)
	f := fixture{TB: tb, clock: storetest.NewClock(noon), mail: &outbox{}, log: &bytes.Buffer{}}
	var err error
	f.accounts, err = account.New(st, account.Options{Secret: []byte("a test secret that is long enough"), Now: f.clock.Now})
	require.NoError(tb, err)
	users := user.New(st, user.Options{Accounts: f.accounts, Now: f.clock.Now})
	f.ledger = ledger.New(st, ledger.Options{Now: f.clock.Now})
	for i := range f.replicas {
		f.replicas[i] = &notice.Notifier{
			Store: st, Accounts: f.accounts, Users: users, Ledger: f.ledger, Mail: f.mail,
			PagesURL: "https://uncial.example.org/dashboard", Now: f.clock.Now, Log: slog.New(slog.NewTextHandler(f.log, nil)),
		}
	}
	join := func(t user.Token, email string) {
		secret, err := users.Issue(tb.Context(), t)
		require.NoError(tb, err)
		_, a, err := users.Accept(tb.Context(), secret, user.NewUser{
			Email: email, Name: "A person", Password: "correct horse battery", Account: "An archive", Plan: "free",
		})
		require.NoError(tb, err)
		f.account = a
	}
	join(user.Token{Purpose: user.Invitation}, "owner@example.org")
	join(user.Token{Purpose: user.Invitation, AccountID: f.account.ID, Role: user.PlainMember}, "member@example.org")
	return f
}

func (f fixture) mustKey(n account.NewKey) account.Key {
	f.Helper()
	n.AccountID = f.account.ID
	k, _, err := f.accounts.CreateKey(f.Context(), n)
	require.NoError(f, err)
	return k
}

func (f fixture) mustExtract(k account.Key) {
	f.Helper()
	h, err := f.ledger.Hold(f.Context(), ledger.HoldRequest{AccountID: f.account.ID, KeyID: k.ID, MeterID: k.MeterID, Points: 10, TTL: time.Minute})
	require.NoError(f, err)
	_, err = f.ledger.Settle(f.Context(), h, nil)
	require.NoError(f, err)
}

// check lets both replicas check twice, and returns the subjects of the mail that they sent.
func (f fixture) check() (subjects []string) {
	f.Helper()
	f.mail.messages = nil
	for range 2 {
		for _, n := range f.replicas {
			require.NoError(f, n.Check(f.Context()))
		}
	}
	for _, m := range f.mail.messages {
		require.True(f, strings.HasPrefix(m, "owner@example.org: "), m)
		subject, _, _ := strings.Cut(strings.TrimPrefix(m, "owner@example.org: "), ": ")
		subjects = append(subjects, subject)
	}
	return subjects
}

func TestNotifier_Check(t *testing.T) {
	storetest.Run(t, testcontainers.Postgres, newFixture, map[string]func(fixture){
		"tells owners once at each stage that a key should be rotated": func(t fixture) {
			t.mustKey(account.NewKey{Name: "never"})
			t.mustKey(account.NewKey{Name: "quarter", Lifetime: 90 * day})
			for _, step := range []struct {
				day          int
				subjects     []string
				soon, urgent int
			}{
				{74, nil, 0, 0},
				{75, []string{`Rotate the key "never"`, `Rotate the key "quarter"`}, 2, 0},
				{76, nil, 2, 0},
				{87, []string{`Rotate the key "quarter"`}, 1, 1},
				{89, nil, 1, 1},
				{90, []string{`Rotate the key "never"`}, 0, 1}, // the other has expired
				{91, nil, 0, 1},
			} {
				t.clock.Set(noon.Add(time.Duration(step.day) * day))
				require.ElementsMatch(t, step.subjects, t.check(), "day %d", step.day)
				soon, urgent := t.replicas[0].KeysToRotate()
				require.Equal(t, []int{step.soon, step.urgent}, []int{soon, urgent}, "day %d", step.day)
			}
			require.Equal(t, 4, strings.Count(t.log.String(), "key should be rotated"))
		},
		"names the key, its end and its page": func(t fixture) {
			k := t.mustKey(account.NewKey{Name: "scanner", Lifetime: 10 * day})
			t.check()
			require.Len(t, t.mail.messages, 1)
			for _, want := range []string{`"scanner" (ending in ` + k.LastFour + `)`, "expires on 11 March 2026, 12:00 UTC", "https://uncial.example.org/dashboard/keys/" + k.ID} {
				require.Contains(t, t.mail.messages[0], want)
			}
		},
		"tells owners at 50, 80 and 100 % of a cap, again each month": func(t fixture) {
			k := t.mustKey(account.NewKey{Name: "student", Cap: new(int64(100))})
			subject := func(percent string) []string {
				return []string{`The API key "student" has used ` + percent + ` % of its monthly cap`}
			}
			for i, want := range [][]string{1: nil, 4: nil, 5: subject("50"), 6: nil, 8: subject("80"), 9: nil, 10: subject("100")} {
				if i > 0 {
					t.mustExtract(k)
				}
				require.Equal(t, want, t.check(), "%d0 points", i)
			}
			t.clock.Set(time.Date(2026, time.April, 1, 0, 0, 0, 0, time.UTC))
			require.Empty(t, t.check(), "a new month")
			for range 8 {
				t.mustExtract(k)
			}
			require.Equal(t, subject("80"), t.check(), "the notice at 50 % is out of date")
		},
		"tries again when the mail queue is full": func(t fixture) {
			t.mustKey(account.NewKey{Name: "scanner", Lifetime: 2 * day})
			t.mail.full = true
			require.Empty(t, t.check())
			t.mail.full = false
			require.Len(t, t.check(), 1)
		},
	})
}
